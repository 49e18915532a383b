/** Template processes are shared fairly between accounts, however many keys each has. */
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { Accounts } from '../../src/accounts/accounts.ts';
import { loadPlans } from '../../src/accounts/plans.ts';
import { DiskBlobs } from '../../src/storage/blobs/blobs-disk.ts';
import { TemplateAssets } from '../../src/templates/assets.ts';
import { LiquidEngine } from '../../src/templates/liquid/liquid.ts';
import { openTemplates } from '../../src/templates/open-templates.ts';
import { Schemas } from '../../src/templates/schemas.ts';
import { makeTestFolder } from '../support/close-after-all.ts';
import { PLANS } from '../support/service.ts';
import { openTestDatabase } from '../support/storage-settings.ts';

const HOUR_MS = 3_600_000;
/** Compares two trees of 2^60 leaves in a native function, so that only the end of the process stops it. */
const ENDLESS = `{% assign a = "x" | split: "" %}{% assign b = a %}{% for i in (1..60) %}${['a', 'b']
  .map((name) => `{% assign c = ${name} %}{% assign ${name} = "" | split: "" | push: c | push: c %}`)
  .join('')}{% endfor %}{% if a == b %}same{% endif %}`;

test('reserves a process for another account while two keys of one account are busy', async () => {
  const dataDir = await makeTestFolder();
  const database = await openTestDatabase(dataDir);
  const liquid = new LiquidEngine({ processes: 2, timeoutMs: HOUR_MS, waitMs: HOUR_MS });
  const assets = new TemplateAssets(database, await DiskBlobs.open(join(dataDir, 'blobs')), {
    maxAssets: 1,
    maxAssetsBytes: 1,
  });
  const { templateChanges, templateFiller } = openTemplates(
    database,
    Date.now,
    { liquid, schemas: new Schemas(), assets },
    { maxTemplates: 10, maxTemplateBytes: 1_000_000 },
  );
  const accounts = new Accounts(database, loadPlans({ plansFile: PLANS }));
  const [busy, other] = [(await accounts.createAccount('growth', 'a')).id, (await accounts.createAccount('growth', 'b')).id];
  const ownerOf = async (accountId: string) => ({ accountId, keyId: (await accounts.createKey(accountId)).key.id });
  const createTemplate = async (accountId: string, html: string) => {
    const owner = await ownerOf(accountId);
    return { owner, id: (await templateChanges.create(owner, { name: 'x', engine: 'liquid', html, metadata: {} })).id };
  };
  const slow = [await createTemplate(busy, ENDLESS), await createTemplate(busy, ENDLESS)];
  const quick = await createTemplate(other, '{{ a }}');
  const leaving = new AbortController();
  const pending = slow.map(({ owner, id }) =>
    templateFiller.fill(owner, { templateId: id }, {}, { limitBytes: 1_000, signal: leaving.signal }),
  );
  for (const each of pending) each.catch(() => {});
  expect(await templateFiller.fill(quick.owner, { templateId: quick.id }, { a: 'filled' }, { limitBytes: 1_000 })).toEqual({
    html: 'filled',
    assets: undefined,
    version: 1,
  });
  leaving.abort(new Error('left'));
  for (const each of pending) await expect(each).rejects.toThrow('left');
  await liquid.close();
  await database.close();
});
