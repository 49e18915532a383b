/** Markup that tries to reach the canary: what the tables are made of, which of it shares a document, and its places filled in. */

export interface Payload {
  name: string;
  html: string;
  /** Whether the payload acts after the load event, which the document therefore delays until the payload has had its time. */
  late: boolean;
  /** Whether the payload leaves or replaces its document or waits for its end, so that it cannot share the document. */
  alone: boolean;
  /** Why nothing arrives even where everything is allowed. */
  blockedBelowThePolicy?: string;
}

/** Reasons why a payload may or may not arrive before it is stopped. The status of the reply is the same either way. */
export const RACES = {
  'the document is refused as soon as it leaves, which may be before or after it asks for where it goes': 422,
  'the document is printed already, and its page may be closed before or after it asks': 200,
} as const;
export const [LEAVES_LATE, ASKS_LATE] = Object.keys(RACES) as [keyof typeof RACES, keyof typeof RACES];

export type Row = [name: string, html: string, blockedBelowThePolicy?: string | undefined];

/** Values that replace the names in braces in a payload. */
export interface Places {
  /** `http://127.0.0.1:port/mark`. An extension selects the type of the reply: .png .css .js .svg .events .html */
  url: string;
  mark: string;
  /** The port of the canary on all addresses. */
  port: number;
  /** The port of the canary that only this payload knows. */
  own: number;
  /** The origin of the allowed site. */
  site: string;
  sitePort: number;
  /** An address of the machine that is not loopback. */
  lan: string;
  /** The path of a file with the secret. */
  file: string;
}

const PLACE = /\{(url|mark|port|own|site|sitePort|lan|file)\}/g;

export function payloads(area: string, rows: Row[], { late = false, alone = false } = {}): Payload[] {
  return rows.map(([name, html, blockedBelowThePolicy]) => ({
    name: `${area}: ${name}`,
    html,
    late,
    alone,
    ...(blockedBelowThePolicy && { blockedBelowThePolicy }),
  }));
}

const MAX_PAYLOADS_PER_DOCUMENT = 8;

/** Groups payloads into documents. Those of one document have the same area and are alike in being late, blocked and scripted. */
export function documentsOf<P extends Payload>(payloads: P[]): P[][] {
  const documents: P[][] = [];
  const unfilled = new Map<string, P[]>();
  for (const payload of payloads) {
    const kind = kindOf(payload);
    const begun = payload.alone ? undefined : unfilled.get(kind);
    if (begun && begun.length < MAX_PAYLOADS_PER_DOCUMENT) {
      begun.push(payload);
      continue;
    }
    const document = [payload];
    documents.push(document);
    if (!payload.alone) unfilled.set(kind, document);
  }
  return documents;
}

function kindOf({ name, late, blockedBelowThePolicy, html }: Payload): string {
  return [name.split(':')[0], late, Boolean(blockedBelowThePolicy), /<script|<iframe|<object|<embed/.test(html)].join();
}

/** Returns the markup of a payload with its values filled in. */
export function markupOf({ html }: Payload, places: Places): string {
  return html.replace(PLACE, (_all, place: keyof Places) => String(places[place]));
}

export function isNamedIn(html: string, place: keyof Places): boolean {
  return html.includes(`{${place}}`);
}

export function script(source: string): string {
  return `<body><script>{ ${source} }</script>`;
}

/** Returns markup that runs the script in a worker. */
export function worker(source: string): string {
  return script(`new Worker(URL.createObjectURL(new Blob([${JSON.stringify(source)}])))`);
}

/** Returns a frame with this document, which has the origin of its parent. */
export function frame(html: string, attributes = ''): string {
  return `<iframe ${attributes} srcdoc="${html.replace(/&/g, '&amp;').replace(/"/g, '&quot;')}"></iframe>`;
}

/** Returns the URL at which the allowed site serves this text. */
export function served(body: string, type = 'text/html', origin = '{site}'): string {
  const encoded = encodeURIComponent(body)
    .replace(/'/g, '%27')
    .replace(/%7B(\w+)%7D/g, '{$1}');
  return `${origin}/page?type=${type}&body=${encoded}`;
}

/** Returns a frame with this document, which has the origin of the allowed site. */
export function siteFrame(html: string, origin?: string): string {
  return `<iframe src="${served(html, 'text/html', origin)}"></iframe>`;
}

/** A synchronous request that keeps a late event handler running until the payload has had its time. */
export const WAIT = 'const x = new XMLHttpRequest(); x.open("GET", "{site}/hold/{mark}", false); x.send();';
