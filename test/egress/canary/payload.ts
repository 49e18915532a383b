/** Markup that tries to reach the canary: what the tables are made of, which of it shares a document, and its places filled in. */

export interface Payload {
  name: string;
  html: string;
  /** Fires after the load event would come: the document holds that back until the payload has had its time. */
  late: boolean;
  /** Leaves the document, changes all of it, or waits for what happens to it: no other payload may be in the same one. */
  alone: boolean;
  /** Why nothing arrives even where everything is allowed. */
  blockedBelowThePolicy?: string;
}

/** For what fires before it is stopped, or does not; either way this is the status of the reply. */
export const RACES = {
  'the document is refused as soon as it leaves, which may be before or after it asks for where it goes': 422,
  'the document is printed already, and its page may be closed before or after it asks': 200,
} as const;
export const [LEAVES_LATE, ASKS_LATE] = Object.keys(RACES) as [keyof typeof RACES, keyof typeof RACES];

export type Row = [name: string, html: string, blockedBelowThePolicy?: string | undefined];

/** What stands in a payload in braces. */
export interface Places {
  /** `http://127.0.0.1:port/mark`, to which an ending says what comes back: .png .css .js .svg .events .html */
  url: string;
  mark: string;
  /** Of the canary, on all addresses. */
  port: number;
  /** Of the canary, for this payload alone. */
  own: number;
  /** Origin and port of the allowed site. */
  site: string;
  sitePort: number;
  /** An address of the machine that is not loopback. */
  lan: string;
  /** Path of a file with the secret. */
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

/** How many payloads one document has at most. */
const MOST = 8;

/** The payloads of each document. Those of one document are of one area, late or not, blocked or not, with scripts or without. */
export function documentsOf<P extends Payload>(payloads: P[]): P[][] {
  const documents: P[][] = [];
  const unfilled = new Map<string, P[]>();
  for (const payload of payloads) {
    const kind = kindOf(payload);
    const begun = payload.alone ? undefined : unfilled.get(kind);
    if (begun && begun.length < MOST) {
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

/** One payload of a document, with its places filled in. */
export function markupOf({ html }: Payload, places: Places): string {
  return html.replace(PLACE, (_all, place: keyof Places) => String(places[place]));
}

export function isNamedIn(html: string, place: keyof Places): boolean {
  return html.includes(`{${place}}`);
}

export function script(source: string): string {
  return `<body><script>{ ${source} }</script>`;
}

/** Runs the script in a worker. */
export function worker(source: string): string {
  return script(`new Worker(URL.createObjectURL(new Blob([${JSON.stringify(source)}])))`);
}

/** A frame with this document, of the origin of the document around it. */
export function frame(html: string, attributes = ''): string {
  return `<iframe ${attributes} srcdoc="${html.replace(/&/g, '&amp;').replace(/"/g, '&quot;')}"></iframe>`;
}

/** The address at which the allowed site serves this text. */
export function served(body: string, type = 'text/html', origin = '{site}'): string {
  const encoded = encodeURIComponent(body)
    .replace(/'/g, '%27')
    .replace(/%7B(\w+)%7D/g, '{$1}');
  return `${origin}/page?type=${type}&body=${encoded}`;
}

/** A frame with this document, of the origin of the allowed site. */
export function siteFrame(html: string, origin?: string): string {
  return `<iframe src="${served(html, 'text/html', origin)}"></iframe>`;
}

/** In a handler that runs when it is late: goes on when the payload has had its time. */
export const WAIT = 'const x = new XMLHttpRequest(); x.open("GET", "{site}/hold/{mark}", false); x.send();';
