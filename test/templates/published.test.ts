/** What is published may change between the two statements of a render. */
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { Accounts } from '../../src/accounts/accounts.ts';
import { loadPlans } from '../../src/accounts/plans.ts';
import { DiskBlobs } from '../../src/storage/blobs/blobs-disk.ts';
import { TemplateAssets } from '../../src/templates/assets.ts';
import { LiquidEngine } from '../../src/templates/liquid/liquid.ts';
import { openTemplates } from '../../src/templates/open-templates.ts';
import { Schemas } from '../../src/templates/schemas.ts';
import { PAST_VERSIONS } from '../../src/templates/versions.ts';
import { makeTestFolder } from '../support/close-after-all.ts';
import { PLANS } from '../support/service.ts';
import { openTestDatabase } from '../support/storage-settings.ts';

class HeldAssets extends TemplateAssets {
  /** Happens once, after a render has found its version. */
  next: (() => Promise<unknown>) | undefined;

  override async pinned(...named: Parameters<TemplateAssets['pinned']>) {
    const found = await super.pinned(...named);
    const { next } = this;
    this.next = undefined;
    await next?.();
    return found;
  }
}

test('renders the version that is published now if the one before was just removed', async () => {
  const dataDir = await makeTestFolder();
  const database = await openTestDatabase(dataDir);
  const blobs = await DiskBlobs.open(join(dataDir, 'blobs'));
  const assets = new HeldAssets(database, blobs, { maxAssets: 1, maxAssetsBytes: 1 });
  const services = { liquid: new LiquidEngine(), schemas: new Schemas(), assets };
  const limits = { maxTemplates: 10, maxTemplateBytes: 1_000_000 };
  const { templateChanges, templateFiller } = openTemplates(database, Date.now, services, limits);
  const accounts = new Accounts(database, loadPlans({ plansFile: PLANS }));
  const accountId = (await accounts.createAccount('growth', 'a')).id;
  const owner = { accountId, keyId: (await accounts.createKey(accountId)).key.id };
  const { id } = await templateChanges.create(owner, { name: 'x', engine: 'placeholders', html: '1', metadata: {} });
  await templateChanges.update(owner, id, { publishedVersion: 1 });
  const current = PAST_VERSIONS + 2;
  for (let version = 2; version <= current; version++) await templateChanges.replace(owner, id, { html: `${version}` });
  const fill = (version: number | 'published') =>
    templateFiller.fill(owner, { templateId: id, version }, {}, { limitBytes: 1_000 });

  assets.next = () => templateChanges.update(owner, id, { publishedVersion: current });
  expect(await fill('published')).toEqual({ html: `${current}`, version: current, assets: undefined });
  await expect(fill(1)).rejects.toMatchObject({ code: 'not_found' });
  assets.next = () => templateChanges.remove(owner, id);
  await expect(fill(current - 1)).rejects.toMatchObject({ code: 'not_found' });
  await database.close();
});
