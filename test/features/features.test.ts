/** Platen prints each document of this folder as its reader expects, except for those that are listed with a reason. */
import { expect, test } from 'vitest';
import { bytesOf, Client } from '../support/client.ts';
import { sharedService } from '../support/shared-service.ts';
import { AREAS, judge } from './features.ts';
import { UNSUPPORTED } from './unsupported.ts';

const { url, key } = await sharedService();
const client = new Client(url, key);
const features = AREAS.flatMap(({ name, features }) => features.map((each) => [name, each.name, each] as const));

test.concurrent.each(features)('%s: %s', async (_area, name, feature) => {
  const reply = await client.pdf({ html: feature.html });
  const { isRight, texts } = reply.ok
    ? await judge(feature, await bytesOf(reply))
    : { isRight: false, texts: [await reply.text()] };
  expect({ isRight, texts }).toEqual({ isRight: !(name in UNSUPPORTED), texts: expect.anything() });
});

test('features have names of their own, and those that are not supported exist', () => {
  const names = features.map(([, name]) => name);
  expect(new Set(names).size).toBe(names.length);
  expect(Object.keys(UNSUPPORTED).filter((name) => !names.includes(name))).toEqual([]);
});
