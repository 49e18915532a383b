/** Option names of other tools: a name that callers may send out of habit in, the name of our option out. */
import { PdfOptions } from './options-schema.ts';

/** Names in lower case. */
const OPTION_NAMES: Readonly<Record<string, string | string[]>> = {
  // puppeteer and playwright
  displayheaderfooter: ['headerTemplate', 'footerTemplate'],
  emulatemediatype: 'mediaType',
  emulatemedia: 'mediaType',
  omitbackgrounds: 'omitBackground',
  timezoneid: 'timezone',
  javascriptenabled: 'javascript',
  httpcredentials: 'authenticate',
  waitforfonts: 'waitUntil',
  waitfor: ['waitForSelector', 'waitForFunction', 'waitForTimeout'],
  // Gotenberg
  paperwidth: 'width',
  paperheight: 'height',
  papersize: 'format',
  pagesize: 'format',
  margintop: 'margin.top',
  marginright: 'margin.right',
  marginbottom: 'margin.bottom',
  marginleft: 'margin.left',
  nativepageranges: 'pageRanges',
  generatedocumentoutline: 'outline',
  generatetaggedpdf: 'tagged',
  emulatedmediatype: 'mediaType',
  emulatedmediafeatures: 'colorScheme',
  waitwindowstatus: 'waitForFunction',
  waitdelay: 'waitForTimeout',
  waitforexpression: 'waitForFunction',
  failonhttpstatuscodes: 'failOnHttpStatus',
  failonresourcehttpstatuscodes: 'failOnHttpStatus',
  failonresourceloadingfailed: 'failOnResourceError',
  failonconsoleexceptions: 'failOnConsoleError',
  skipnetworkidleevent: 'waitUntil',
  skipnetworkalmostidleevent: 'waitUntil',
  userpassword: 'password.user',
  ownerpassword: 'password.owner',
  embeds: 'attachments',
  embedsmetadata: 'attachments',
  optimizeimages: 'images',
  imagequality: 'images',
  facturxxml: 'invoice',
  facturxconformancelevel: 'invoice',
  pdfa: 'conformance',
  pdfua: 'conformance',
  // PDFShift
  delay: 'waitForTimeout',
  wait_for: 'waitForFunction',
  header: 'headerTemplate',
  footer: 'footerTemplate',
  css: 'addStyleTag',
  http_headers: 'extraHTTPHeaders',
  headers: 'extraHTTPHeaders',
  auth: 'authenticate',
  protection: 'password',
  pages: 'pageRanges',
  zoom: 'scale',
  disable_backgrounds: 'printBackground',
  disable_javascript: 'javascript',
  use_print: 'mediaType',
  orientation: 'landscape',
  // DocRaptor
  prince_options: ['password', 'tagged', 'baseUrl'],
  media: 'mediaType',
};

const BODY_NAMES: Readonly<Record<string, string | string[]>> = {
  source: ['html', 'url'],
  content: 'html',
  document_content: 'html',
  document_url: 'url',
  doc: ['html', 'url'],
  template: 'template_id',
  templateid: 'template_id',
  files: 'assets',
  webhook: 'webhook_url',
  callback_url: 'webhook_url',
  async: 'the header Prefer: respond-async',
  path: 'filename',
  name: 'filename',
};

const OPTIONS = new Map(Object.keys(PdfOptions.properties).map((name) => [name.toLowerCase(), name]));
/** Members of the body that callers may send as options by mistake. */
const BODY = ['html', 'markdown', 'url', 'template_id', 'data', 'assets', 'store', 'filename', 'stylesheet'];

/** The path of the field that `name`, sent as a member of `parent`, is likely to mean. `parent` is empty for the body. */
export function equivalentOption(parent: string, name: string): string | undefined {
  if (parent !== '' && parent !== 'options') return undefined;
  if (parent && OPTIONS.has(name.toLowerCase())) return undefined; // it is only misspelt
  const key = name.toLowerCase();
  const members = findNames(BODY_NAMES, key) ?? (BODY.includes(key) ? [key] : undefined);
  if (members) return parent ? `${members.join(' or ')}, beside options` : members.join(' or ');
  const options =
    findNames(OPTION_NAMES, key) ?? [OPTIONS.get(key) ?? OPTIONS.get(joinWords(key))].filter((option) => option !== undefined);
  return options.map((option) => `options.${option}`).join(' or ') || undefined;
}

function findNames(table: Readonly<Record<string, string | string[]>>, key: string): string[] | undefined {
  const known = [key, joinWords(key)].find((each) => Object.hasOwn(table, each));
  const names = known === undefined ? undefined : table[known];
  return names === undefined ? undefined : [names].flat();
}

/** Removes the separators of `margin_top` and `margin-top`. */
function joinWords(key: string): string {
  return key.replaceAll(/[_-]/g, '');
}
