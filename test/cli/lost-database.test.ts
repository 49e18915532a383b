/** A data folder whose database is gone keeps its documents: nothing starts that would remove them as content without a record. */
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { Client } from '../support/client.ts';
import { makeFolder, makeTestFolder } from '../support/close-after-all.ts';
import { blobFiles } from '../support/data-folder.ts';
import { eventually, runCli, startService } from '../support/service.ts';

const FILES = ['platen.db', 'platen.db-wal', 'platen.db-shm'];
/** Everything in the data folder, whatever the suite uses. */
const LOCAL = { PLATEN_DATABASE_URL: '', PLATEN_BLOBS_URL: '' };

const dataDir = await makeFolder();
const service = await startService({ ...LOCAL, PLATEN_DATA_DIR: dataDir });
const env = service.env;
const issued = await service.createKey();
const documentId = (await new Client(service.url, issued.key).store({ html: '<p>kept' })).document_id;
const stored = await blobFiles(dataDir);
expect(stored).toHaveLength(1);
await service[Symbol.asyncDispose]();

const failed = (...args: string[]) =>
  runCli(args, env).then(
    () => Promise.reject(new Error('it did not fail')),
    (error: { code: number; stdout: string; stderr: string }) => error,
  );

test.each([
  ['removed', async () => {}],
  ['emptied', () => writeFile(join(dataDir, 'platen.db'), '')],
])(
  'is refused if the database was %s, and works again with it',
  async (_how, leave) => {
    const aside = await makeTestFolder();
    const present: string[] = [];
    for (const name of FILES)
      await rename(join(dataDir, name), join(aside, name)).then(
        () => present.push(name),
        () => {},
      );
    expect(present).toContain('platen.db');
    await leave();

    for (const args of [['serve'], ['keys', 'list']]) {
      const { code, stdout, stderr } = await failed(...args);
      expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
      expect(stderr).toBe(
        `platen: ${dataDir}/blobs contains documents, but the database is missing or empty: restore a backup into a new folder, as docs/operate/backups.md shows, or move blobs/ elsewhere to start without these documents\n`,
      );
    }
    const { code, stdout } = await failed('doctor');
    expect(code).toBe(1);
    expect(stdout).toMatch(
      /^PROBLEM {2}database: it is missing or empty, but blobs\/ contains documents\n {9}-> restore a backup/m,
    );
    expect(await blobFiles(dataDir)).toEqual(stored);

    for (const name of FILES) await rm(join(dataDir, name), { force: true });
    for (const name of present) await rename(join(aside, name), join(dataDir, name));
    const orphan = join(dataDir, 'blobs', 'Zz', 'doc_ZzZzZzZzZzZzZzZzZzZzZz');
    await mkdir(dirname(orphan), { recursive: true });
    await writeFile(orphan, 'left by a process that died');
    await using service = await startService({ ...LOCAL, PLATEN_DATA_DIR: dataDir }, { firstKey: issued.key });
    const isTold = () => /"count":1,"msg":"content without a record removed"/.test(service.output());
    await eventually('the log counts the orphan', isTold);
    expect(await blobFiles(dataDir)).toEqual(stored);
    const reply = await new Client(service.url, issued.key).get(`/v1/documents/${documentId}`);
    const content = await readFile(join(dataDir, 'blobs', stored[0] ?? ''));
    expect(content.equals(Buffer.from(await reply.arrayBuffer()))).toBe(true);
  },
  120_000,
);

test('starts anew once the documents are elsewhere', async () => {
  for (const name of FILES) await rm(join(dataDir, name), { force: true });
  const elsewhere = `${dataDir}-blobs`;
  await rename(join(dataDir, 'blobs'), elsewhere);
  await using service = await startService({ ...LOCAL, PLATEN_DATA_DIR: dataDir });
  expect((await new Client(service.url, service.key).get('/v1/usage')).status).toBe(200);
  await rm(elsewhere, { recursive: true });
});
