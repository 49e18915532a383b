/**
 * `npm run bench`: measures floor and service in one run. Options after `--`:
 * `--soak` adds the long run (`--renders N`, default 10000);
 * `--only throughput|first|overload|start|documents|outbound|assets|finishing|conformance|finished|batches|playground|fairness|floods|hostile|postgres|sizing|soak` runs one part;
 * `postgres` and `sizing` run only if they are named: the first needs servers, the second is for the guide;
 * `--only fairness --way batch` measures the ways whose name contains the word;
 * `--against FOLDER` only compares with the tree of another commit.
 */
import { parseArgs } from 'node:util';
import { against } from './against.ts';
import { assets } from './assets.ts';
import { batches } from './batches.ts';
import { conformance } from './conformance.ts';
import { fairness } from './fairness.ts';
import { finishRoom } from './finish-room.ts';
import { finished } from './finished.ts';
import { finishing } from './finishing.ts';
import { coldStart, firstRender } from './first-render.ts';
import { floods } from './floods.ts';
import { startFloor } from './floor.ts';
import { hostile } from './hostile.ts';
import { outbound } from './outbound.ts';
import { overload } from './overload.ts';
import { playground } from './playground.ts';
import { postgres } from './postgres.ts';
import { printRow, type Row, writeResults } from './report.ts';
import { startService } from './service.ts';
import { sizing } from './sizing.ts';
import { soak } from './soak.ts';
import { storedDocuments } from './stored-documents.ts';
import { scaling, throughput } from './throughput.ts';

const KEYS = 1_500;
const SOAK_RENDERS = 10_000;

const { values } = parseArgs({
  options: {
    soak: { type: 'boolean' },
    renders: { type: 'string' },
    only: { type: 'string' },
    way: { type: 'string' },
    against: { type: 'string' },
  },
});
const wants = (part: string) => (values.against ? false : values.only === undefined || values.only === part);
const rows: Row[] = [];
const add = (found: Row[]) => {
  rows.push(...found);
  found.forEach(printRow);
};

const floor = await startFloor();
process.stdout.write(`${floor.product}, Node ${process.version}\n\n`);
if (wants('throughput') || wants('first')) {
  const service = await startService(KEYS);
  if (wants('throughput')) add([...(await throughput(floor, service)), ...(await scaling(service))]);
  if (wants('first')) add([await firstRender(service)]);
  await service.stop();
}
await floor.close();
if (values.against) add(await against(values.against));
if (wants('overload')) add([await overload()]);
if (wants('start')) add([await coldStart()]);
if (wants('documents')) add(await storedDocuments((line) => process.stdout.write(`        ${line}\n`)));
if (wants('outbound')) add(await outbound());
if (wants('assets')) add(await assets());
if (wants('finishing')) add([...(await finishing()), ...(await finishRoom())]);
if (wants('conformance')) add(await conformance());
if (wants('finished')) add(await finished());
if (wants('batches')) add(await batches());
if (wants('playground')) add(await playground());
if (wants('fairness')) for await (const row of fairness(values.way)) add([row]);
if (wants('floods')) add(await floods());
if (wants('hostile')) add(await hostile((line) => process.stdout.write(`${line}\n`)));
if (values.only === 'postgres') add(await postgres((line) => process.stdout.write(`${line}\n`)));
if (values.only === 'sizing') add(await sizing());
if (values.soak || values.only === 'soak')
  add([await soak(Number(values.renders ?? SOAK_RENDERS), (line) => process.stdout.write(`        ${line}\n`))]);
await writeResults(floor.product, rows);
