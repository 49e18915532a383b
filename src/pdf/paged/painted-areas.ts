/** Finds what the content of a page paints: lines of text, and areas that hide what is below them. */
import { type Operands, scanReadable, stringBytes } from '../content/content-scanner.ts';
import { GraphicsState, readNumbers } from '../content/graphics-state.ts';
import type { PrintedPages } from '../edit/printed-pages.ts';
import { IDENTITY, type Matrix, transform } from '../objects/matrix.ts';

/** Points from the top left corner of the page. */
export interface Area extends Record<'left' | 'top' | 'right' | 'bottom', number> {
  isText: boolean;
}

/** What q saves and Q restores. */
interface Ink {
  isOpaque: boolean;
  isBright: boolean;
}

/** The extent of text above and below its line, and the least width of a glyph, in proportion to the font size. */
const [ASCENT, DESCENT, GLYPH] = [0.7, 0.15, 0.35];
/** Larger text is a watermark. */
const MAX_FONT = 45;
/** Text with these amounts of all colours is hardly seen on paper. */
const BRIGHT = 0.8;
const LEAST_OPACITY = 0.5;
const OPACITY = /\/ca ([\d.]+)/;

/** Leaves out what is rotated or transparent, and text that is bright or as large as a watermark. Widths of text are estimates. */
export function readPainted(file: PrintedPages, index: number, content: string): Area[] {
  const scan = new PageScan(file, index);
  scan.run(Buffer.from(content, 'latin1'));
  return scan.found;
}

class PageScan {
  readonly found: Area[] = [];
  readonly #file: PrintedPages;
  /** The dictionary of the page. */
  readonly #page: string;
  readonly #height: number;
  readonly #state = new GraphicsState(IDENTITY);
  readonly #saved: Ink[] = [];
  #ink: Ink = { isOpaque: true, isBright: false };
  /** The rectangles of the open path. */
  #path: Area[] = [];

  constructor(file: PrintedPages, index: number) {
    this.#file = file;
    this.#page = file.text(file.pages[index] ?? 0);
    this.#height = file.pageSize(index).height;
  }

  run(content: Buffer): void {
    const visits: Record<string, (operands: Operands, end: number) => void> = {
      q: () => this.#saved.push(this.#ink),
      Q: () => {
        this.#ink = this.#saved.pop() ?? this.#ink;
      },
      gs: ({ names }) => {
        this.#ink = { ...this.#ink, isOpaque: Number(OPACITY.exec(this.#resource(names[0]))?.[1] ?? 1) >= LEAST_OPACITY };
      },
      rg: ({ start }, end) => {
        this.#ink = { ...this.#ink, isBright: readNumbers(content, start, end).every((amount) => amount >= BRIGHT) };
      },
      re: ({ start }, end) => {
        const [x = 0, y = 0, width = 0, height = 0] = readNumbers(content, start, end);
        this.#path.push(...this.#area(this.#state.now.matrix, [x, y, x + width, y + height], false));
      },
      f: () => this.#paint(this.#path.splice(0)),
      n: () => this.#path.splice(0),
      Do: ({ names }) => {
        const object = this.#resource(names[0]);
        const isOpaque = object.includes('/Subtype /Image') && !object.includes('/SMask');
        if (isOpaque) this.#paint(this.#area(this.#state.now.matrix, [0, 0, 1, 1], false));
      },
      Tj: (operands) => this.#show(content, operands),
      TJ: (operands) => this.#show(content, operands),
    };
    scanReadable(content, (operator, operands, end) => {
      this.#state.visit(content, operator, operands, end);
      visits[operator]?.(operands, end);
    });
  }

  #show(content: Buffer, { strings }: Operands): void {
    const { size } = this.#state.now;
    const glyphs = strings.reduce((sum, each) => sum + stringBytes(content, each).length / 2, 0);
    const [line] = this.#area(this.#state.textMatrix, [0, -DESCENT * size, glyphs * GLYPH * size, ASCENT * size], true);
    const isLarge = line && line.bottom - line.top > MAX_FONT * (ASCENT + DESCENT);
    if (line && !isLarge && !this.#ink.isBright) this.#paint([line]);
  }

  #paint(areas: readonly Area[]): void {
    if (this.#ink.isOpaque) this.found.push(...areas);
  }

  /** Returns the area between two corners, or nothing if it is rotated. */
  #area(matrix: Matrix, [x, y, toX, toY]: [number, number, number, number], isText: boolean): Area[] {
    if (Math.abs(matrix[1]) + Math.abs(matrix[2]) > 0.01) return [];
    const [[left, one], [right, other]] = [transform(matrix, x, y), transform(matrix, toX, toY)];
    const [top, bottom] = [this.#height - Math.max(one, other), this.#height - Math.min(one, other)];
    return [{ left: Math.min(left, right), right: Math.max(left, right), top, bottom, isText }];
  }

  /** The dictionary of the object that is a resource of the page with this name. */
  #resource(name = ''): string {
    const [, id] = new RegExp(`/${name} (\\d+) 0 R`).exec(this.#page) ?? [];
    return id === undefined ? '' : this.#file.text(Number(id));
  }
}
