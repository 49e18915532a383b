/** The routes that draw pages: a form with PDFs in; an image, or an archive of several, out. Nothing is charged. */
import { hasCode, invalidField, renameFields } from '../../errors.ts';
import type { RouteServices } from '../../http/routes/services.ts';
import { PAGE_CHOICE_EXPECTED, parsePageChoice } from '../../pdf/assemble/page-choice.ts';
import type { UploadedFile } from '../../render/request/values/assets.ts';
import type { ImageEncoding } from '../../uploads/encode-image.ts';
import { toFileName } from '../field-names.ts';
import { BEST_QUALITY, type ImageRoute } from '../image-fields.ts';
import type { Render } from '../render.ts';
import type { GotenbergForm } from '../sent-form.ts';
import { toPageChoice } from './marks.ts';
import { type NamedFile, packFiles } from './results.ts';
import { inTime } from './time-limit.ts';

const DEFAULT_DPI = 150;

/** Throws `invalid_request` for fields that contradict each other. */
export function checkImageFields({ values }: GotenbergForm, route: ImageRoute): void {
  const { pages } = readPages(values);
  if (pages !== undefined && !parsePageChoice(pages)) {
    const [first, last] = [values.get('firstPage'), values.get('lastPage')];
    if (first === undefined) throw invalidField('pages', `must have ${PAGE_CHOICE_EXPECTED}`);
    throw invalidField('lastPage', `must be at least ${first}, which is firstPage, and not ${last}`);
  }
  if (route === 'render' && values.has('quality') && values.get('format') !== 'jpeg')
    throw invalidField('quality', 'cannot be combined with the format png');
}

interface Pages {
  pages: string | undefined;
  /** The field that an error about the pages is about. */
  field: string;
}

function readPages(values: GotenbergForm['values']): Pages {
  const given = values.get('pages') as string | undefined;
  if (given !== undefined) return { pages: toPageChoice(given), field: 'pages' };
  const [first, last] = [values.get('firstPage'), values.get('lastPage')];
  if (first === undefined && last === undefined) return { pages: undefined, field: 'pages' };
  return { pages: `${first ?? 'first'}-${last ?? 'last'}`, field: last === undefined ? 'firstPage' : 'lastPage' };
}

export function drawPdfs(
  { pageDrawing, limits }: Pick<RouteServices, 'pageDrawing' | 'limits'>,
  { values }: GotenbergForm,
  files: readonly UploadedFile[],
  route: ImageRoute,
): Render {
  const encoding = {
    format: (values.get('format') ?? 'png') as ImageEncoding['format'],
    quality: (values.get('quality') ?? BEST_QUALITY) as number,
  };
  const dpi = (values.get('dpi') ?? DEFAULT_DPI) as number;
  const { pages, field } = readPages(values);
  return async ({ principal, client, memory }) => {
    const hold = (bytes: number) => memory.grow(bytes);
    const drawn: NamedFile[] = [];
    for (const { path, content } of inTime(limits, files)) {
      const images = await pageDrawing
        .drawMany(principal.accountId, { content, pages, dpi, encoding, hold }, client)
        .catch((error: unknown) => {
          if (!hasCode(error, 'invalid_request')) throw error;
          throw renameFields(error, (given) => (given === 'pages' ? field : given || toFileName(path)));
        });
      for (const [index, { page, image }] of images.entries()) {
        const number = route === 'render' ? `_${page}` : `-${index + 1}`; // as version 9 and version 8 name them
        const name = `${path.replace(/\.pdf$/i, '')}${number}.${encoding.format}`;
        drawn.push({ name, content: Buffer.from(image.buffer, image.byteOffset, image.byteLength) });
      }
    }
    const packed = await packFiles(drawn, `image/${encoding.format}`);
    memory.makeRoomFor(packed.bytes);
    return { ...packed, remaining: null };
  };
}
