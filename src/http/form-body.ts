/** Parses `multipart/form-data` (RFC 7578). The parts are views of the bytes of the body, not copies. */
import { Busboy } from '@fastify/busboy';
import { invalidRequest, type ServiceError } from '../errors.ts';

export interface Part {
  name: string;
  /** The name may include folders. */
  filename: string | undefined;
  type: string | undefined;
  content: Buffer;
}

/** Throws `invalid_request`. */
export async function readForm(body: Buffer, contentType: string, maxParts: number): Promise<Part[]> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  if (countDelimiters(body, contentType, maxParts + 2) > maxParts + 1) throw invalid(`has more than ${maxParts} parts`);
  const parts: Part[] = [];
  const form = openForm(contentType, maxParts);
  form.on('file', (name: string | undefined, stream, filename, _encoding, type) => {
    if (name === undefined) return void reject(invalid('has a part without a name'));
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

/**
 * Counts up to `atMost`. The parser would create a stream for each part, even beyond its limit, and keep all until it has
 * finished.
 */
function countDelimiters(body: Buffer, contentType: string, atMost: number): number {
  const boundary = /;\s*boundary=(?:"([^"]*)"|([^\s;]*))/i.exec(contentType)?.slice(1).find(Boolean);
  if (!boundary) throw notAForm();
  const delimiter = Buffer.from(`--${boundary}`, 'latin1');
  let count = 0;
  for (let at = body.indexOf(delimiter); at >= 0 && count < atMost; at = body.indexOf(delimiter, at + delimiter.length)) count++;
  return count;
}

function openForm(contentType: string, maxParts: number) {
  try {
    return new Busboy({
      headers: { 'content-type': contentType },
      preservePath: true,
      isPartAFile: () => true, // text parts are delivered as bytes, too
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
