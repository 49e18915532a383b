/** Option names of other tools: a name that callers may send out of habit in, the name of our option out. */
import { PdfOptions } from './options-schema.ts';

/**
 * Our names, and those of puppeteer, playwright, Gotenberg, PDFShift and DocRaptor, in lower case. Separators matter only for
 * `wait_for` of PDFShift.
 */
const OPTION_NAMES = {
  headerTemplate: ['displayheaderfooter', 'header'],
  footerTemplate: ['displayheaderfooter', 'footer'],
  mediaType: ['emulatemediatype', 'emulatemedia', 'emulatedmediatype', 'useprint', 'media'],
  colorScheme: ['emulatedmediafeatures'],
  omitBackground: ['omitbackgrounds'],
  printBackground: ['disablebackgrounds'],
  timezone: ['timezoneid'],
  javascript: ['javascriptenabled', 'disablejavascript'],
  authenticate: ['httpcredentials', 'auth'],
  extraHTTPHeaders: ['httpheaders', 'headers'],
  waitUntil: ['waitforfonts', 'skipnetworkidleevent', 'skipnetworkalmostidleevent'],
  waitForSelector: ['waitfor'],
  waitForFunction: ['waitfor', 'wait_for', 'waitwindowstatus', 'waitforexpression'],
  waitForTimeout: ['waitfor', 'waitdelay', 'delay'],
  width: ['paperwidth'],
  height: ['paperheight'],
  format: ['papersize', 'pagesize'],
  landscape: ['orientation'],
  'margin.top': ['margintop'],
  'margin.right': ['marginright'],
  'margin.bottom': ['marginbottom'],
  'margin.left': ['marginleft'],
  scale: ['zoom'],
  pageRanges: ['nativepageranges', 'pages'],
  outline: ['generatedocumentoutline'],
  failOnHttpStatus: ['failonhttpstatuscodes', 'failonresourcehttpstatuscodes'],
  failOnResourceError: ['failonresourceloadingfailed'],
  failOnConsoleError: ['failonconsoleexceptions'],
  password: ['protection', 'princeoptions'],
  'password.user': ['userpassword'],
  'password.owner': ['ownerpassword'],
  tagged: ['generatetaggedpdf', 'princeoptions'],
  baseUrl: ['princeoptions'],
  attachments: ['embeds', 'embedsmetadata'],
  images: ['optimizeimages', 'imagequality'],
  invoice: ['facturxxml', 'facturxconformancelevel'],
  conformance: ['pdfa', 'pdfua'],
  addStyleTag: ['css'],
};

const BODY_NAMES = {
  html: ['source', 'doc', 'content', 'documentcontent'],
  url: ['source', 'doc', 'documenturl'],
  template_id: ['template', 'templateid'],
  assets: ['files'],
  webhook_url: ['webhook', 'callbackurl'],
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
  const find = (other: string) => Object.keys(table).filter((name) => table[name]?.includes(other));
  const same = find(key);
  return same.length ? same : find(joinWords(key));
}

/** Removes the separators of `margin_top` and `margin-top`. */
function joinWords(key: string): string {
  return key.replaceAll(/[_-]/g, '');
}
