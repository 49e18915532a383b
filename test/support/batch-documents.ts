/** The documents of the items of a batch, and whether they were printed together. */
import { bytesOf, type Client, succeeded } from './client.ts';

/** Renders the items in one batch, and returns their PDFs in order. */
export async function batchDocuments(client: Client, items: object[]): Promise<Buffer[]> {
  const { items: ended = [] } = await client.batch({ items });
  const download = async ({ document_id: id }: { document_id: string | null }) =>
    bytesOf(await succeeded(client.get(`/v1/documents/${id}`, { accept: 'application/pdf' })));
  return Promise.all(ended.map(download));
}

/** Whether the PDF was split from the print of combined documents, whose catalog is their second object, and not their last. */
export function isCombined(pdf: Buffer): boolean {
  return pdf.toString('latin1').includes('/Root 2 0 R');
}
