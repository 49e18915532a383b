/** Option names of other tools: a name that callers may send out of habit in, the name of our option out. */
import { PdfOptions } from './options-schema.ts';

/** Our names, and those of puppeteer, playwright, Gotenberg, PDFShift and DocRaptor. */
const OPTION_NAMES = {
  headerTemplate: ['displayHeaderFooter'],
  footerTemplate: ['displayHeaderFooter'],
  mediaType: ['emulateMediaType', 'emulateMedia', 'emulatedMediaType', 'use_print', 'media'],
  colorScheme: ['emulatedMediaFeatures'],
  omitBackground: ['omitBackgrounds'],
  printBackground: ['disable_backgrounds'],
  timezone: ['timezoneId'],
  javascript: ['javaScriptEnabled', 'disable_javascript'],
  authenticate: ['httpCredentials', 'auth'],
  extraHTTPHeaders: ['http_headers', 'headers'],
  waitUntil: ['waitForFonts', 'skipNetworkIdleEvent', 'skipNetworkAlmostIdleEvent'],
  waitForSelector: ['waitFor'],
  waitForFunction: ['waitFor', 'wait_for', 'waitWindowStatus', 'waitForExpression'],
  waitForTimeout: ['waitFor', 'waitDelay', 'delay'],
  width: ['paperWidth'],
  height: ['paperHeight'],
  format: ['paperSize', 'pageSize'],
  landscape: ['orientation'],
  'margin.top': ['marginTop'],
  'margin.right': ['marginRight'],
  'margin.bottom': ['marginBottom'],
  'margin.left': ['marginLeft'],
  scale: ['zoom'],
  pageRanges: ['nativePageRanges', 'pages'],
  outline: ['generateDocumentOutline'],
  failOnHttpStatus: ['failOnHttpStatusCodes', 'failOnResourceHttpStatusCodes'],
  failOnResourceError: ['failOnResourceLoadingFailed'],
  failOnConsoleError: ['failOnConsoleExceptions'],
  password: ['protection', 'prince_options'],
  'password.user': ['userPassword'],
  'password.owner': ['ownerPassword'],
  tagged: ['generateTaggedPdf', 'prince_options'],
  baseUrl: ['prince_options'],
  attachments: ['embeds', 'embedsMetadata'],
  images: ['optimizeImages', 'imageQuality'],
  invoice: ['facturxXml', 'facturxConformanceLevel'],
  conformance: ['pdfa', 'pdfua'],
  addStyleTag: ['css'],
};

const BODY_NAMES = {
  html: ['source', 'doc', 'content', 'document_content'],
  url: ['source', 'doc', 'document_url'],
  template_id: ['template', 'templateId'],
  assets: ['files'],
  webhook_url: ['webhook', 'callback_url'],
  'the header Prefer: respond-async': ['async'],
  filename: ['path', 'name'],
};

const OPTIONS = new Map(Object.keys(PdfOptions.properties).map((name) => [name.toLowerCase(), name]));
/** Members of the body that callers may send as options by mistake. */
const BODY = ['html', 'markdown', 'url', 'template_id', 'data', 'assets', 'store', 'filename', 'stylesheet'];

/** The path of the field that `name`, sent as a member of `parent`, is likely to mean. `parent` is empty for the body. */
export function equivalentOption(parent: string, name: string): string | undefined {
  if (parent !== '' && parent !== 'options') return undefined;
  const key = name.toLowerCase();
  if (parent && OPTIONS.has(key)) return undefined; // it is only misspelt
  const members = BODY.includes(key) ? [key] : findNames(BODY_NAMES, key);
  if (members.length) return `${members.join(' or ')}${parent && ', beside options'}`;
  const others = findNames(OPTION_NAMES, key);
  const options = others.length ? others : [OPTIONS.get(key) ?? OPTIONS.get(joinWords(key))].filter(Boolean);
  return options.map((option) => `options.${option}`).join(' or ') || undefined;
}

function findNames(table: Readonly<Record<string, string[]>>, key: string): string[] {
  const find = (isIt: (other: string) => boolean) =>
    Object.keys(table).filter((name) => table[name]?.some((other) => isIt(other.toLowerCase())));
  const same = find((other) => other === key);
  return same.length ? same : find((other) => joinWords(other) === joinWords(key));
}

/** Removes the separators of `margin_top` and `margin-top`. */
function joinWords(key: string): string {
  return key.replaceAll(/[_-]/g, '');
}
