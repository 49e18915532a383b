/** Builds the report of a render: network use, warnings and timings. */

import type { Content } from '../chromium/load/load-settings.ts';
import { hostWithPort } from '../egress/render-traffic.ts';
import { ServiceError } from '../errors.ts';
import { findFontPackage } from '../fonts/optional-fonts.ts';
import { CONTENTS_OPTION } from '../in-page/contract/paged.ts';
import type { LosslessPictures } from '../pdf/images/lossless-pictures.ts';
import type { RenderReport, Warning } from './report-schema.ts';
import type { WarningKind } from './request/schemas/warnings.ts';
import type { PageReport } from './steps/printed-document.ts';

/** Maximum number of requests that `printed_early` names. */
const MAX_PENDING = 100;
/** Pictures of together fewer bytes are not reported. */
const LARGE_BYTES = 4_000_000;
/** The distance between a header and the text in points. */
const TEMPLATE_GAP = 8;
/** Maximum number of controls that `field_printed` names. */
const MAX_FIELDS = 100;

interface ReportContext {
  /** Only the operator learns what to set so that a refused host is allowed. */
  isOperator?: boolean | undefined;
  content: Content;
  /** Undefined if they do not matter. */
  pictures?: LosslessPictures | undefined;
}

type Unsupported = PageReport['unsupported'][number];

export function toReport(
  page: PageReport,
  timings: RenderReport['timings'],
  { isOperator, content, pictures }: ReportContext,
): RenderReport {
  const { failed, failures } = page;
  const { requests, bytes, contacted, refused, remedies } = page.network;
  const describeRemedy = (remedy: string | undefined) => (isOperator && remedy ? `; ${remedy}` : '');
  const resources = failed.map((each) => failureWarning(each, describeRemedy(each.remedy), content));
  const named = new Set(failed.map(({ url }) => URL.parse(url)).map((url) => url && hostWithPort(url))); // it may be cut short
  const hosts = refused
    .filter((host) => !named.has(host))
    .map((host): Warning => {
      const message = `connections to this host were refused or cut off${describeRemedy(remedies?.get(host))}`;
      return { kind: 'host_refused', host, message };
    });
  const errors = page.consoleErrors.map((message): Warning => ({ kind: 'console_error', message }));
  const lacking = [
    ...targetWarnings(page.missingTargets),
    ...fontWarnings(page),
    ...paperWarnings(page),
    ...fieldWarnings(page),
    ...[...page.unsupported, ...page.unrepeated.map(notRepeatedWarning)].map(withoutEffect),
    ...lossWarnings(page),
    ...earlyWarnings(page.unfinished),
    ...(page.pageWarnings ?? []),
    ...page.templateCovers.map(templateWarning),
    ...blankWarnings(page.blankPages),
    ...pictureWarnings(pictures),
  ];
  return {
    network: { requests, bytes, contacted, refused },
    warnings: [...resources, ...hosts, ...errors, ...lacking],
    ...(page.layout && { layout: page.layout }),
    warning_count: failures + hosts.length + errors.length + lacking.length,
    timings,
  };
}

/** A warning if pictures make the PDF large. */
function pictureWarnings({ count, bytes }: LosslessPictures = { count: 0, bytes: 0 }): Warning[] {
  if (bytes < LARGE_BYTES) return [];
  const pictures = count === 1 ? '1 picture takes' : `${count} pictures take`;
  const message = `${pictures} ${(bytes / 1e6).toFixed(1)} MB of the PDF, because Chromium stores all but JPEGs without loss; use JPEGs, images.quality or images.maxDpi`;
  return [{ kind: 'pictures_large', count, message }];
}

/** Throws `render_gate_failed` if there is a warning of a kind listed in `failOnWarning`. */
export function requireNone(kinds: readonly WarningKind[], { warnings }: RenderReport): void {
  const found = warnings.filter(({ kind }) => kinds.includes(kind));
  const [first] = found;
  if (!first) return;
  const what = first.url ?? first.host;
  const more = found.length > 1 ? ` (and ${found.length - 1} more)` : '';
  throw new ServiceError(
    'render_gate_failed',
    `failOnWarning: ${first.kind}: ${what ? `${what}: ` : ''}${first.message}${more}`,
    {
      members: { gate: 'failOnWarning', warnings: found },
    },
  );
}

function paperWarnings({ cutOffPx, clipped, shrunkToPercent, widest }: PageReport) {
  const warnings = clipped.map((each) => (each.element ? elementClippedWarning(each) : pageClippedWarning(each.pixels, 'left')));
  if (cutOffPx > 0) warnings.unshift({ ...pageClippedWarning(cutOffPx, 'right', widest?.element), ...toFit(widest) });
  if (shrunkToPercent !== undefined) warnings.push({ ...shrunkWarning(shrunkToPercent, widest?.element), ...toFit(widest) });
  return warnings;
}

function fieldWarnings({ printedFields }: PageReport): Warning[] {
  const message =
    'is printed as it is and cannot be filled in: it, or a radio button of its set, is rotated, scaled, repeated, in the top layer or in a shadow tree, or a style sheet selects what is changed for the print';
  return printedFields
    .slice(0, MAX_FIELDS)
    .map(({ selector }): Warning => ({ kind: 'field_printed', element: selector, message: `${selector} ${message}` }));
}

/** What makes a document too wide, and the scale with which it fits. */
function toFit(widest: PageReport['widest']): Pick<Warning, 'element' | 'fitting_scale'> {
  const { element, fittingScale } = widest ?? {};
  return { ...(element && { element }), ...(fittingScale !== undefined && { fitting_scale: fittingScale }) };
}

function pageClippedWarning(pixels: number, side: 'left' | 'right', widest?: string): Warning {
  const where = side === 'left' ? ' at the left' : '';
  const because = widest ? `, because of ${widest}` : '';
  const message = `the document is ${pixels} CSS pixels wider than the page${because}, which cuts it off${where}; use wider paper, smaller margins, landscape or fit: "width"`;
  return { kind: 'content_clipped', side, pixels, message };
}

function elementClippedWarning({ side, pixels, element, count }: PageReport['clipped'][number]): Warning {
  const what = side === 'bottom' ? 'its lower edge' : `its ${side} edge`;
  const others = count > 1 ? `, and so do ${count - 1} more` : '';
  const message = `${element} cuts off ${pixels} CSS pixels of its content at ${what}${others}; make it larger, or set overflow: visible for print`;
  return { kind: 'content_clipped', side, pixels, element, count, message };
}

function shrunkWarning(percent: number, widest?: string): Warning {
  const because = widest ? `, because of ${widest},` : '';
  const message = `the document is wider than the page${because} and was scaled down to ${percent} % to fit; use wider paper, smaller margins or landscape`;
  return { kind: 'content_shrunk', percent, message };
}

function withoutEffect({ property, value, where, effect, why, element }: Unsupported): Warning {
  const what = `${property}${property.startsWith('@') ? ' ' : ': '}${value}${element ? ` on ${element}` : ''}`;
  const message = `${what} ${effect ?? 'has no effect in Chromium'}${why ? `: ${why}` : ''}`;
  return { kind: 'unsupported_css', property, value, where, ...(element && { element }), message };
}

function notRepeatedWarning({ element, display }: PageReport['unrepeated'][number]): Unsupported {
  const effect = 'is not repeated on every page by Chromium';
  const why = 'it must be lower than a quarter of the page, and its break-inside must be avoid';
  return { property: 'display', value: display, where: 'style', element, effect, why };
}

function targetWarnings(missing: PageReport['missingTargets'] = []): Warning[] {
  return missing.map(({ to, element }): Warning => {
    const remedy = element === CONTENTS_OPTION ? 'correct its selector' : 'give an element this id, or correct the link';
    const message = `${element} refers to ${to}, which the document does not have, or does not show; ${remedy}`;
    return { kind: 'target_missing', url: to, element, message };
  });
}

/** Warnings about what a reader of the PDF cannot find, follow or open. */
function lossWarnings({ rasterized, lost: { closed, links }, missingTargets = [] }: PageReport): Warning[] {
  const others = (count: number) => (count > 1 ? ` and ${count - 1} more` : '');
  const isReported = (url: string) => missingTargets.some(({ to }) => to === url);
  const warnings = links.filter(({ url }) => !isReported(url)).map(linkWarning);
  if (closed) {
    const remedy = 'add the attribute open, or details::details-content { content-visibility: visible } for print';
    const message = `${closed.element}${others(closed.count)} is closed, so that its content is not printed; ${remedy}`;
    warnings.push({ kind: 'content_hidden', ...closed, message });
  }
  if (rasterized) {
    const remedy = 'leave out filter, -webkit-box-reflect and perspectives for print';
    const message = `the text of ${rasterized.element}${others(rasterized.count)} became a picture, which cannot be searched or copied; ${remedy}`;
    warnings.push({ kind: 'content_rasterized', ...rasterized, message });
  }
  return warnings;
}

function linkWarning({ url, element }: PageReport['lost']['links'][number]): Warning {
  const why = url.startsWith('#')
    ? `the document has no element with the id ${url.slice(1)}`
    : 'its URL is not absolute, and the document has no base: write the whole URL, or send baseUrl';
  return { kind: 'link_dropped', url, element, message: `the link is not in the PDF: ${why}` };
}

function templateWarning({ template, pages, reach }: PageReport['templateCovers'][number]): Warning {
  const [element, side] = template === 'header' ? ['headerTemplate', 'top'] : ['footerTemplate', 'bottom'];
  const message = `${element} is higher than the margin and covers text; set margin.${side} to ${Math.ceil(reach) + TEMPLATE_GAP}pt or more`;
  return { kind: 'content_covered', element, pages, message };
}

function blankWarnings(pages: number[]): Warning[] {
  if (!pages.length) return [];
  const remedy = 'look for a forced break or a height of 100vh before it';
  const message = `${pages.length === 1 ? `page ${pages[0]} has` : `${pages.length} pages have`} nothing but perhaps a background; ${remedy}`;
  return [{ kind: 'page_blank', pages: pages.slice(0, MAX_PENDING), message }];
}

/** One warning for each request that was running, and one for any other reason. */
function earlyWarnings({ urls, waitsFor }: NonNullable<PageReport['unfinished']> = { urls: [], waitsFor: '' }): Warning[] {
  const pending =
    'this request had not ended when the document was printed; send waitUntil: load if the document does not need it';
  const ongoing: Record<string, string> = {
    changes: 'the document was still changing when it was printed',
    work: 'scripts or workers of the document were still at work when it was printed',
  };
  const why = ongoing[waitsFor] ?? `the document was printed before ${waitsFor} was ready`;
  return [
    ...urls.slice(0, MAX_PENDING).map((url): Warning => ({ kind: 'printed_early', url, message: pending })),
    ...(waitsFor ? [{ kind: 'printed_early' as const, message: why }] : []),
  ];
}

export function fontWarnings({ missingGlyphs, substituted }: Pick<PageReport, 'missingGlyphs' | 'substituted'>): Warning[] {
  return [
    ...missingGlyphs.map((entry): Warning => {
      const font = findFontPackage(entry.script);
      const remedy = font ? `; the operator can add a font: npm install ${font}` : '';
      const message = `no font has a glyph for ${entry.count} characters of the script ${entry.script}, such as ${entry.characters}${remedy}`;
      return { kind: 'missing_glyphs', message, ...entry };
    }),
    ...substituted.map((family): Warning => {
      const message = `the font ${family} is neither installed nor loaded by the document; another font was used`;
      return { kind: 'font_substituted', message, family };
    }),
  ];
}

function failureWarning(
  { url, refused, status, netError, reason }: PageReport['failed'][number],
  remedy: string,
  content?: Content,
): Warning {
  if (refused)
    return {
      kind: 'resource_refused',
      url,
      message: `not loaded: the URL is not allowed, or a limit of the render was reached${remedy}`,
    };
  if (status !== undefined)
    return { kind: 'resource_failed', url, status, message: `answered with status ${status}${assetHint(url, content)}` };
  return {
    kind: 'resource_failed',
    url,
    ...(netError && { net_error: netError }),
    message: `not loaded: ${netError || reason || 'failed'}`,
  };
}

/** Names the asset with the same file name in another folder, if the URL is that of an asset. */
function assetHint(url: string, content: Content | undefined): string {
  if (content?.kind !== 'html' || !content.assets || URL.canParse(url)) return '';
  const baseName = (path: string) => path.slice(path.lastIndexOf('/') + 1);
  const other = [...content.assets.keys()].find((path) => baseName(path) === baseName(url));
  return other === undefined ? '' : `: assets has no ${url}; it has ${other}`;
}
