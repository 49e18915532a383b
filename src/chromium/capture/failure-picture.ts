/** Takes a picture of what a page shows when its render has failed: its session in, the bytes of a JPEG out. */
import { setTimeout as sleep } from 'node:timers/promises';
import { ask, DONE } from '../devtools/ask.ts';
import type { Session } from '../devtools/connection.ts';
import type { CaptureQueue } from './capture-queue.ts';

/** The page is closed then, whether there is a picture or not. */
const WITHIN_MS = 1_000;
const MAX_SIDE_PX = 1_600;
const MAX_BYTES = 1_048_576;
const QUALITY = 60;

/** Returns undefined if there is none in time, such as of a page whose script does not end. Never throws. */
export function takeFailurePicture(session: Session, queue: CaptureQueue): Promise<Buffer | undefined> {
  const late = sleep(WITHIN_MS, undefined, { ref: false });
  return Promise.race([capture(session, queue).catch(() => undefined), late]);
}

async function capture(session: Session, queue: CaptureQueue): Promise<Buffer | undefined> {
  await ask(session, 'removeCover', [], DONE);
  const { cssVisualViewport } = await session.send('Page.getLayoutMetrics');
  const { pageX: x, pageY: y, clientWidth, clientHeight } = cssVisualViewport;
  const [width, height] = [Math.min(clientWidth, MAX_SIDE_PX), Math.min(clientHeight, MAX_SIDE_PX)];
  const parameters = { format: 'jpeg', quality: QUALITY, clip: { x, y, width, height, scale: 1 } } as const;
  const { data } = await queue.capture(() => session.send('Page.captureScreenshot', parameters), width * height);
  const jpeg = Buffer.from(data, 'base64');
  return jpeg.length > 0 && jpeg.length <= MAX_BYTES ? jpeg : undefined;
}
