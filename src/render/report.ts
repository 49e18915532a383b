/** What a render has to tell besides its PDF: whom it asked, and what is missing. */
import { fontPackageFor } from '../chromium/fonts/optional-fonts.ts';
import type { PageReport } from '../chromium/page.ts';
import type { Phase } from '../deadline.ts';
import { hostOf } from '../egress/render-traffic.ts';
import { ServiceError } from '../errors.ts';
import type { WarningKind } from './warnings.ts';

/** Requests that are named. */
const MAX_PENDING = 100;

export interface Warning {
  kind: WarningKind;
  /** For people. */
  message: string;
  /** Of the part that is missing. */
  url?: string;
  /** `host:port` of connections that were refused or cut off. */
  host?: string;
  status?: number;
  net_error?: string;
  /** CSS pixels that are cut off. */
  pixels?: number;
  /** Where they are. */
  side?: 'right' | 'bottom';
  /** The box that cuts off most, such as `div.main`; none where it is the paper. */
  element?: string;
  /** Size of what is printed smaller than it is designed. */
  percent?: number;
  /** Of CSS without effect, with its value, and the address of the style sheet or `style`. */
  property?: string;
  value?: string;
  where?: string;
  /** Of characters without a glyph. */
  script?: string;
  /** The first distinct ones. */
  characters?: string;
  /** Of these, or of boxes that cut something off. */
  count?: number;
  /** That another font stands in for. */
  family?: string;
}

/** As the record of a stored document shows it. */
export interface RenderReport {
  network: {
    requests: number;
    bytes: number;
    /** `host:port` of what was connected to, at most a hundred. */
    contacted: string[];
    /** `host:port` of what was refused or cut off, at most a hundred. What is there is not told. */
    refused: string[];
  };
  /** At most a hundred of each kind. */
  warnings: Warning[];
  /** How many there are. */
  warning_count: number;
  /** Milliseconds in each phase, up to now. */
  timings: Record<Phase, number>;
}

export function reportOf(
  { network, failed, failures, consoleErrors, missingGlyphs, substituted, unsupported, unfinished, ...paper }: PageReport,
  timings: RenderReport['timings'],
): RenderReport {
  const { requests, bytes, contacted, refused } = network;
  const resources = failed.map(warningOf);
  const named = new Set(failed.map(({ url }) => URL.parse(url)).map((url) => url && hostOf(url))); // it may be cut short
  const hosts = refused
    .filter((host) => !named.has(host))
    .map((host): Warning => ({ kind: 'host_refused', host, message: 'connections to this host were refused or cut off' }));
  const errors = consoleErrors.map((message): Warning => ({ kind: 'console_error', message }));
  const lacking = [
    ...fontWarnings(missingGlyphs, substituted),
    ...paperWarnings(paper),
    ...unsupported.map(withoutEffect),
    ...earlyWarnings(unfinished),
  ];
  return {
    network: { requests, bytes, contacted, refused },
    warnings: [...resources, ...hosts, ...errors, ...lacking],
    warning_count: failures + hosts.length + errors.length + lacking.length,
    timings,
  };
}

/** Throws `render_gate_failed` when there is a warning of a kind the caller wants no PDF with. */
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

function paperWarnings({ cutOffPx, clipped, shrunkToPercent }: Pick<PageReport, 'cutOffPx' | 'clipped' | 'shrunkToPercent'>) {
  const warnings = clipped.map(clippedIn);
  if (cutOffPx > 0) warnings.unshift(clippedBy(cutOffPx));
  if (shrunkToPercent !== undefined) warnings.push(shrunkTo(shrunkToPercent));
  return warnings;
}

function clippedBy(pixels: number): Warning {
  const message = `the document is ${pixels} CSS pixels wider than the page, which cuts it off; use wider paper, smaller margins, landscape or scale`;
  return { kind: 'content_clipped', side: 'right', pixels, message };
}

function clippedIn({ side, pixels, element, count }: PageReport['clipped'][number]): Warning {
  const what = side === 'right' ? 'its right edge' : 'its lower edge';
  const others = count > 1 ? `, and so do ${count - 1} more` : '';
  const message = `${element} cuts off ${pixels} CSS pixels of its content at ${what}${others}; make it larger, or set overflow: visible for print`;
  return { kind: 'content_clipped', side, pixels, element, count, message };
}

function shrunkTo(percent: number): Warning {
  const message = `the document is wider than the page and was scaled down to ${percent} % to fit; use wider paper, smaller margins or landscape`;
  return { kind: 'content_shrunk', percent, message };
}

function withoutEffect({ property, value, where, why }: PageReport['unsupported'][number]): Warning {
  const message = `${property}${property.startsWith('@') ? ' ' : ': '}${value} has no effect in Chromium${why ? `: ${why}` : ''}`;
  return { kind: 'unsupported_css', property, value, where, message };
}

/** One for each request that was under way, and one for anything else. */
function earlyWarnings({ urls, waitsFor }: NonNullable<PageReport['unfinished']> = { urls: [], waitsFor: '' }): Warning[] {
  const pending =
    'this request had not ended when the document was printed; send waitUntil: load if the document does not need it';
  const why =
    waitsFor === 'changes'
      ? 'the document was still changing when it was printed'
      : `the document was printed before ${waitsFor} was ready`;
  return [
    ...urls.slice(0, MAX_PENDING).map((url): Warning => ({ kind: 'printed_early', url, message: pending })),
    ...(waitsFor ? [{ kind: 'printed_early' as const, message: why }] : []),
  ];
}

function fontWarnings(missing: PageReport['missingGlyphs'], substituted: PageReport['substituted']): Warning[] {
  return [
    ...missing.map((entry): Warning => {
      const font = fontPackageFor(entry.script);
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

function warningOf({ url, refused, status, netError, reason }: PageReport['failed'][number]): Warning {
  if (refused)
    return {
      kind: 'resource_refused',
      url,
      message: 'not loaded: the address may not be reached, or a limit of the render was reached',
    };
  if (status !== undefined) return { kind: 'resource_failed', url, status, message: `answered with status ${status}` };
  return {
    kind: 'resource_failed',
    url,
    ...(netError && { net_error: netError }),
    message: `not loaded: ${netError || reason || 'failed'}`,
  };
}
