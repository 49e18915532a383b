/** Reads the pixels of a page as poppler draws it. */
import { run } from './printed-files.ts';

export interface Box {
  left: number;
  top: number;
  right: number;
  bottom: number;
}

export class DrawnPixels {
  readonly width: number;
  readonly height: number;
  readonly #pixels: Buffer;

  static async of(file: string, { dpi = 72, page = 1 } = {}): Promise<DrawnPixels> {
    const settings = ['-cropbox', '-r', `${dpi}`, '-f', `${page}`, '-l', `${page}`, file];
    const { stdout } = await run('pdftoppm', settings, { encoding: 'buffer', maxBuffer: 1e9 });
    return new DrawnPixels(stdout);
  }

  private constructor(ppm: Buffer) {
    const [header = '', ...size] = /^P6\s+(\d+)\s+(\d+)\s+255\s/.exec(ppm.toString('latin1', 0, 64)) ?? [];
    [this.width = 0, this.height = 0] = size.map(Number);
    this.#pixels = ppm.subarray(header.length);
  }

  /** The red, green and blue of a pixel. */
  pixel(x: number, y: number): number[] {
    const at = 3 * (y * this.width + x);
    return [...this.#pixels.subarray(at, at + 3)];
  }

  /** The box around all pixels that are wanted. By default these are all that are not nearly white. */
  box(isWanted = (r: number, g: number, b: number) => Math.min(r, g, b) < 230): Box {
    const box = { left: this.width, top: this.height, right: 0, bottom: 0 };
    for (let at = 0; at < this.#pixels.length; at += 3) {
      const [r = 0, g = 0, b = 0] = this.#pixels.subarray(at, at + 3);
      if (!isWanted(r, g, b)) continue;
      const [x, y] = [(at / 3) % this.width, Math.floor(at / 3 / this.width)];
      box.left = Math.min(box.left, x);
      box.top = Math.min(box.top, y);
      box.right = Math.max(box.right, x + 1);
      box.bottom = Math.max(box.bottom, y + 1);
    }
    return box;
  }
}
