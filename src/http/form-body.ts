/** `multipart/form-data` (RFC 7578): the bytes of a form in, its parts out, which are views of these bytes. */
import { Busboy } from '@fastify/busboy';
import { invalidRequest, type ServiceError } from '../errors.ts';

export interface Part {
  name: string;
  /** With its folders. */
  filename: string | undefined;
  type: string | undefined;
  content: Buffer;
}

/** Throws `invalid_request`. */
export async function readForm(body: Buffer, contentType: string, maxParts: number): Promise<Part[]> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const parts: Part[] = [];
  const form = openForm(contentType, maxParts);
  form.on('file', (name, stream, filename, _encoding, type) => {
    const chunks: Buffer[] = [];
    stream.on('data', (chunk: Buffer) => chunks.push(chunk));
    stream.on('end', () => parts.push({ name, filename, type, content: joined(chunks) }));
    stream.on('error', reject);
  });
  form.on('partsLimit', () => reject(invalid(`has more than ${maxParts} parts`)));
  form.on('error', () => reject(notAForm()));
  form.on('finish', resolve);
  form.end(body);
  await promise;
  return parts;
}

function openForm(contentType: string, maxParts: number) {
  try {
    return new Busboy({
      headers: { 'content-type': contentType },
      preservePath: true,
      isPartAFile: () => true, // text, too, comes as bytes
      limits: { parts: maxParts },
    });
  } catch {
    throw notAForm();
  }
}

function joined(chunks: Buffer[]): Buffer {
  const [only = Buffer.alloc(0)] = chunks;
  return chunks.length > 1 ? Buffer.concat(chunks) : only;
}

function notAForm(): ServiceError {
  return invalid('is not multipart/form-data with the boundary that Content-Type names');
}

function invalid(what: string): ServiceError {
  return invalidRequest([{ path: '', message: `the body ${what}` }]);
}
