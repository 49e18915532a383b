/** Sends a page of a PDF as an image. */
import type { FastifyReply } from 'fastify';
import type { HeldBytes } from '../../queue/byte-budget.ts';
import { type DrawOrder, noSuchPage, type PageDrawing } from '../../uploads/draw-pages.ts';
import { disconnectSignal } from '../server/client-disconnect.ts';

export const PNG = 'image/png';

const PAGE = /^[1-9]\d{0,6}$/;
/** A PDF is in memory twice: where it is read, and on its way to the process that draws it. */
const COPIES = 2;

/** The page that a path names. Throws `not_found`. */
export function readPageNumber(text: string, pages: number): number {
  if (!PAGE.test(text) || Number(text) > pages) throw noSuchPage();
  return Number(text);
}

/** Owners take turns. `read` is called when it is their turn. `memory` counts that of the request. */
export async function sendDrawnPage(
  drawing: PageDrawing,
  owner: string,
  { bytes, read, ...order }: Omit<DrawOrder, 'content'> & { bytes: number; read(left: AbortSignal): Promise<Buffer> },
  memory: HeldBytes,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const left = disconnectSignal(reply);
  const content = async () => {
    left.throwIfAborted();
    memory.grow(COPIES * bytes);
    return read(left);
  };
  const png = await drawing.draw(owner, { content, ...order }, left);
  memory.resize(png.byteLength);
  return reply.type(PNG).send(Buffer.from(png.buffer, png.byteOffset, png.byteLength));
}
