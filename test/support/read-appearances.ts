/** Reads what the form fields of a PDF show from their appearance streams. */
import { PDF, PdfArray, PdfDict, PdfRef, PdfStream, PdfString } from '@libpdf/core';
import { readFinished } from './read-finished.ts';

/** Returns the text by field name, only of text and choice fields. `wanted` limits the names; by default, all are read. */
export async function readAppearances(pdf: Uint8Array, wanted?: string[]): Promise<Record<string, string>> {
  const found: Record<string, string> = {};
  const all = appearancesOf(await PDF.load(pdf));
  for (const [index, [own]] of all.entries()) {
    if (wanted && !wanted.includes(own)) continue;
    const source = await PDF.load(pdf);
    const [name, form] = appearancesOf(source)[index] as [string, PdfRef];
    const page = source.getPages()[0]?.dict as PdfDict;
    const stream = source.getObject(form) as PdfStream;
    page.set('Contents', form);
    page.set('Resources', stream.get('Resources') ?? new PdfDict());
    found[name] = (await readFinished(await source.save())).texts[0] ?? '';
  }
  return found;
}

function appearancesOf(pdf: PDF): Array<[string, PdfRef]> {
  const resolve = (value: unknown) => (value instanceof PdfRef ? pdf.getObject(value) : value);
  return pdf.getPages().flatMap(({ dict }) => {
    const annotations = resolve(dict.get('Annots'));
    const widgets = annotations instanceof PdfArray ? annotations.toArray().map(resolve) : [];
    return widgets.flatMap((widget): Array<[string, PdfRef]> => {
      if (!(widget instanceof PdfDict)) return [];
      const name = widget.get('T');
      const looks = resolve(widget.get('AP'));
      const normal = looks instanceof PdfDict ? looks.get('N') : undefined;
      const isShown = normal instanceof PdfRef && pdf.getObject(normal) instanceof PdfStream;
      return name instanceof PdfString && isShown ? [[name.asString(), normal]] : [];
    });
  });
}
