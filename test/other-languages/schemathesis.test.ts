/** Requests generated from the OpenAPI document get the documented responses. */
import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'vitest';
import { Platen } from '../../clients/typescript/src/index.ts';
import { closeAfterAll, makeFolder } from '../support/close-after-all.ts';
import { issue, pkcs12Of } from '../support/pki.ts';
import { startService } from '../support/service.ts';
import { pythonEnvironment } from './packages.ts';
import { run } from './run.ts';

const CONFIGURATION = new URL('schemathesis', import.meta.url).pathname;
/** The number of examples of each operation, and of each sequence of operations. */
const MAX_EXAMPLES = process.env.PLATEN_TEST_EXAMPLES ?? '20';
/** The seed of the generated requests. */
const SEED = process.env.PLATEN_TEST_SEED ?? '15';

const folder = await makeFolder('schemathesis');
const commands = await pythonEnvironment(join(folder, 'environment'), ['schemathesis>=4.32,<4.33', 'jsonschema>=4,<5']);
await cp(CONFIGURATION, folder, { recursive: true });
const service = await startService({
  PLATEN_OUTBOUND: 'none',
  PLATEN_PLAYGROUND_REQUESTS_PER_MINUTE: '1000000',
  PLATEN_PLAYGROUND_SECONDS_PER_MINUTE: '1000000',
}).then(closeAfterAll);

test('responds to generated requests as documented, in all phases of schemathesis', async () => {
  const { key, key_id: keyId } = await service.createKey();
  const env = { PYTHONPATH: folder, PLATEN_KEY_ID: keyId, PLATEN_EXAMPLES: JSON.stringify(await makeExamples(key)) };
  const auth = ['--header', `Authorization: Bearer ${key}`];
  const args = [`${service.url}/openapi.json`, ...auth, '--max-examples', MAX_EXAMPLES, '--seed', SEED];
  await run(join(commands, 'schemathesis'), ['--config-file', 'schemathesis.toml', 'run', ...args], { cwd: folder, env });
}, 1_800_000);

/** Creates one object of each kind, and returns their ids by parameter of the OpenAPI document. */
async function makeExamples(key: string) {
  const platen = new Platen({ key, baseUrl: service.url });
  const { document_id } = await platen.store({ html: '<p>1', options: { format: 'A6' } });
  const { render_id } = await platen.renders.start({ html: '<p>2' });
  const { batch_id } = await platen.batches.create({ items: [{ html: '<p>3' }, {}] });
  await Promise.all([platen.renders.finished(render_id), platen.batches.finished(batch_id)]);
  const { template_id } = await platen.templates.create({ name: 'a', html: '{{b}}', assets: { 'c.css': { content: '' } } });
  const pkcs12 = pkcs12Of(await issue('Ada'), [], 'pw');
  const { certificate_id } = await platen.certificates.create({ name: 'ada', pkcs12, password: 'pw' });
  const { key_id } = await platen.keys.create({ name: 'other' });
  const { searchParams } = new URL((await platen.documents.link(document_id, { expires_in: 86_400 })).url);
  return {
    components: {
      DocumentIdParam: document_id,
      LinkIdParam: document_id,
      RenderIdParam: render_id,
      BatchIdParam: batch_id,
      TemplateIdParam: template_id,
      AssetPathParam: 'c.css',
      CertificateIdParam: certificate_id,
      KeyIdParam: key_id,
    },
    paths: { '/links/{id}': Object.fromEntries(searchParams) },
  };
}
