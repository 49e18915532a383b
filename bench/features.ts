/**
 * What can Platen do of the CSS of print, and what can others? Each prints the documents of `test/features` in turn, and the same check
 * says whether a reader sees what the feature promises. `npm run docs` writes `docs/guide/compatibility.md` from the result.
 */
import { readFile } from 'node:fs/promises';
import type { Feature } from '../test/features/feature.ts';
import { AREAS, judge } from '../test/features/features.ts';
import { FeaturePictures } from './feature-pictures.ts';
import type { Row } from './measure.ts';
import { openPeers, openPlaten, type Peer, type PeerOptions } from './peers.ts';
import { startService } from './service.ts';

/** `pictures` is the folder for pictures of all prints. */
export async function* measureFeatures({
  weasyprint,
  pictures,
}: PeerOptions & { pictures?: string | undefined }): AsyncGenerator<Row> {
  await using service = await startService(1, { PLATEN_PLAYGROUND: 'off' });
  const platen = await openPlaten(service.url, service.keys[0] ?? '');
  const peers = [platen, ...(await openPeers({ weasyprint })), await openPagedJs(platen)];
  for (const { name, version } of peers) yield { measure: name, value: version, figures: { peer: name, version } };
  for (const { render } of peers) await render('<p>x'); // the first render of each is slower
  const shown = pictures === undefined ? undefined : new FeaturePictures(pictures);
  for (const feature of AREAS.flatMap(({ features }) => features))
    for (const peer of peers) yield await measureFeature(feature, peer, shown);
  await shown?.write(peers.map(({ name }) => name));
}

async function measureFeature(feature: Feature, { name, render }: Peer, pictures: FeaturePictures | undefined): Promise<Row> {
  const startedAt = performance.now();
  const pdf = await render(feature.html).catch(() => undefined);
  const ms = Math.round(performance.now() - startedAt);
  const { isRight, pages } = pdf ? await judge(feature, pdf) : { isRight: false, pages: 0 };
  await pictures?.add(feature.name, name, isRight, pdf);
  const value = `${isRight ? 'right' : 'wrong'}, ${pages} pages, ${ms} ms`;
  return { measure: `${feature.name}: ${name}`, value, figures: { feature: feature.name, peer: name, isRight, pages, ms } };
}

/** Paged.js is a script of the document, which makes the pages before Platen prints them. */
async function openPagedJs({ render }: Awaited<ReturnType<typeof openPlaten>>): Promise<Peer> {
  const { version } = JSON.parse(await readFile('node_modules/pagedjs/package.json', 'utf8')) as { version: string };
  const content = await readFile('node_modules/pagedjs/dist/paged.polyfill.min.js', 'base64');
  const assets = { 'paged.js': { content, type: 'text/javascript' } };
  const withScript = (html: string) => html.replace(/(?=<\/head>)|^(?!.*<\/head>)/s, '<script src="paged.js"></script>');
  return { name: 'Paged.js', version, render: (html) => render(withScript(html), { assets }) };
}
