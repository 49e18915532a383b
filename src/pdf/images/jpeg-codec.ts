/**
 * Encodes and decodes JPEGs with MozJPEG, as WebAssembly. It sets the global `ImageData`, which the decoder creates and Node does
 * not have.
 */
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import decode, { init as initDecoder } from '@jsquash/jpeg/decode.js';
import encode, { init as initEncoder } from '@jsquash/jpeg/encode.js';

/** Pixels from the upper left corner, without padding. */
export interface Pixels {
  width: number;
  height: number;
  /** 1 for grey, 3 for red, green and blue. */
  channels: number;
  data: Uint8Array;
}

/** The numbers of libjpeg. */
const [GRAYSCALE, YCBCR] = [1, 3];
/** Progressive JPEGs are 4 % smaller and take more than twice as long. */
const ENCODING = { progressive: false, baseline: true };
const OPAQUE = 255;

let ready: Promise<unknown> | undefined;

/** `quality` is 1 to 100. */
export async function encodeJpeg({ width, height, channels, data }: Pixels, quality: number): Promise<Uint8Array> {
  await prepare();
  const rgba = new Uint8ClampedArray(width * height * 4).fill(OPAQUE);
  for (let from = 0, to = 0; from < data.length; from += channels, to += 4)
    for (let channel = 0; channel < 3; channel++) rgba[to + channel] = data[from + (channels === 1 ? 0 : channel)] ?? 0;
  const settings = { ...ENCODING, quality, color_space: channels === 1 ? GRAYSCALE : YCBCR };
  return new Uint8Array(await encode({ data: rgba, width, height, colorSpace: 'srgb' } as never, settings));
}

/** `channels` is what to return. Throws if the JPEG cannot be read. */
export async function decodeJpeg(jpeg: Uint8Array, channels: number): Promise<Pixels> {
  await prepare();
  const { width, height, data: rgba } = (await decode(Uint8Array.from(jpeg).buffer)) as unknown as Omit<Pixels, 'channels'>;
  const data = new Uint8Array(width * height * channels);
  for (let from = 0, to = 0; to < data.length; from += 4, to += channels)
    for (let channel = 0; channel < channels; channel++) data[to + channel] = rgba[from + channel] ?? 0;
  return { width, height, channels, data };
}

function prepare(): Promise<unknown> {
  ready ??= Promise.all([
    compile(import.meta.resolve('@jsquash/jpeg/codec/enc/mozjpeg_enc.wasm')).then((module) => initEncoder(module as never)),
    compile(import.meta.resolve('@jsquash/jpeg/codec/dec/mozjpeg_dec.wasm')).then((module) => initDecoder(module as never)),
  ]);
  return ready;
}

async function compile(url: string): Promise<WebAssembly.Module> {
  return WebAssembly.compile(await readFile(fileURLToPath(url)));
}

/** The decoder calls it with `new`. */
function ImageData(data: Uint8ClampedArray, width: number, height: number): Omit<Pixels, 'channels'> {
  return { data, width, height } as never;
}
Object.assign(globalThis, { ImageData });
