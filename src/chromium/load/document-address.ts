/**
 * Decides at which address a document from markup is loaded: its content and settings in, a URL out. Documents without an address are
 * at about:blank. See docs/decisions/0064-address-of-a-document.md.
 */
import { mentionsNetworkApis, ownBase } from './html/classify-html.ts';
import type { Content, LoadSettings } from './load-settings.ts';

/** Only scripts can find out the address. */
const SCRIPT = /<script|javascript:|[\s"'/]on[a-z]+\s*=/i;
const FRAME = /<(?:i?frame|frameset|object|embed|portal|fencedframe)\b/i;
const INSECURE = /\bhttp:\/\/(?!www\.w3\.org\/)/i;

type Loading = Pick<LoadSettings, 'device' | 'added' | 'waitForFunction'>;

export function documentAddress(content: Content, load: Loading): string | undefined {
  if (content.kind === 'url' || !runsScripts(content.html, load)) return undefined;
  const { html, assets } = content;
  const address = URL.parse(content.baseUrl ?? ownBase(html) ?? '');
  if (!address || !/^https?:$/.test(address.protocol)) return undefined;
  // A frame of a site would lose its origin, as everything in a sandbox does.
  const embedsSites = FRAME.test(html) && (!assets || mentionsNetworkApis(html));
  // A document with a secure address could not load the parts of its own that are not secure.
  const isMixed = address.protocol === 'https:' && INSECURE.test(html);
  return embedsSites || isMixed ? undefined : address.href;
}

function runsScripts(html: string, { device, added, waitForFunction }: Loading): boolean {
  const addsScript = waitForFunction !== undefined || added.some(({ element }) => element === 'script');
  return device.javascript && (addsScript || SCRIPT.test(html));
}
