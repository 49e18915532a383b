/** Parses the lines of a batch file: lines in; for each, a render request or the error that prevents it, out. */
import { parseItem, readReference } from '../../batches/batch-request.ts';
import { invalidRequest, ServiceError } from '../../errors.ts';
import { parseJsonText } from '../../parse-json.ts';
import type { RenderLimits, RenderRequest } from '../../render/request/render-request.ts';
import { decodeUtf8 } from '../../utf8.ts';
import type { Members } from '../../validate.ts';
import type { Line } from './lines.ts';

export interface LineItem {
  /** The index of the item, from 0. */
  index: number;
  line: number;
  /** The offset in bytes at which its line ends. */
  end: number;
  reference: string | undefined;
  filename: string | undefined;
  request: RenderRequest | ServiceError;
}

/** Skips empty lines. */
export async function* readItems(lines: AsyncIterable<Line>, defaults: Members, limits: RenderLimits): AsyncGenerator<LineItem> {
  let index = 0;
  for await (const { number, end, bytes } of lines) {
    if (bytes && !bytes.toString('latin1').trim()) continue;
    yield { index: index++, line: number, end, ...read(bytes, defaults, limits) };
  }
}

function read(
  bytes: Buffer | undefined,
  defaults: Members,
  limits: RenderLimits,
): Pick<LineItem, 'reference' | 'filename' | 'request'> {
  let reference: string | undefined;
  try {
    const item = parseLine(bytes);
    reference = readReference(item);
    const request = parseItem(item, defaults, limits);
    if (request.source.kind === 'template') throw invalidRequest([{ path: 'template_id', message: NO_TEMPLATES }]);
    return { reference, filename: request.filename, request };
  } catch (error) {
    if (error instanceof ServiceError) return { reference, filename: undefined, request: error };
    throw error;
  }
}

const NO_TEMPLATES = 'stored templates are not available without a server; send html or url';

function parseLine(bytes: Buffer | undefined): unknown {
  if (!bytes) throw new ServiceError('content_too_large', 'the line is larger than PLATEN_MAX_REQUEST_BYTES');
  return parseJsonText(decodeLine(bytes).replace(/^\ufeff/, ''), 'the line');
}

function decodeLine(bytes: Buffer): string {
  try {
    return decodeUtf8(bytes, 'in.jsonl');
  } catch (error) {
    throw new ServiceError('invalid_json', `the line ${(error as Error).message}`);
  }
}
