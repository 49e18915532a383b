/**
 * Part of `npm run check`: rejects phrases that are not English or that only this project would use. It reads documents and
 * sources, and prints a line for each finding. cspell checks the spelling.
 */
import { readFileSync } from 'node:fs';
import { glob } from 'node:fs/promises';

const FILES = ['*.md', 'docs/**/*.md', '{src,web,test,bench,tools}/**/*.{ts,tsx,html}'];
/** Files that are generated, third-party, or documents for other tests. */
const LEFT_OUT = /^(?:web\/dist|test\/(?:corpus|visual)\/|web\/playground\/examples|tools\/check-phrases\.ts)|node_modules/;

/** Phrases to avoid, and their replacements. */
const PHRASES: Array<[RegExp, string]> = [
  [/\bgoes? not\b/i, 'cannot be combined with'],
  [/\bgo not with\b/i, 'cannot be combined with'],
  [/\bgoes neither\b/i, 'cannot be combined with'],
  [/\bhow manieth\b/i, 'the index of'],
  [/\bfor who (?!is\b)\w+s\b/i, 'for whoever, or the name of the reader'],
  [/\bon a telephone\b/i, 'on a phone'],
  [/\bbelongs? into\b/i, 'belongs in'],
  [/\btold otherwise\b/i, 'by default'],
  [/\bsigns? besides\b/i, 'also signs'],
  [/\bwhoever calls\b/i, 'the caller'],
  [/\bis no (?:folder|JavaScript)\b/i, 'is not a'],
  [/\bmend(?:s|ed|ing)?(?:[A-Z]\w*|\b)/, 'repair'],
  [/\bstated[A-Z]\w*|\bStated[A-Z]\w*/, 'a name with document, such as documentStructure'],
  [/\b(?:speaksOf|asks|mayCome|standWith)[A-Z]\w*|\bmayBeReadOver\b/, 'mentions, needs, has or is'],
  [/\b(?:hold(?:Key|Place)|awaited-places|AwaitedPlaces|isNoRender)\b/, 'lockKey, guardUnsavedChanges, AwaitedSlots, isBatch'],
  [
    /\b(?:giveWay|giveBack\w*|untilItStays|staysPut|whenClientLeaves|tellWait|patiently)\b/,
    'the verb for what the function does',
  ],
  [/\b(?:Workplace|LentUpload|CaptureTurns|PageAtWork)\b/, 'PagePool, ClaimedUpload, CaptureQueue, RunningPage'],
  [
    /\b(?:Regulars|BrowserSeat|PageShelf|VisitorLines|openGate|proveWalls|leavesTraces|mayLinger|settleIdentity|(?:Console|Network|Memory)Watch)\b/,
    'ReturningOwners, BrowserSlot, PageCache, OwnerQueue, ProxyListener, runEgressSelfTest, needsReset, mayRunOnUnload, Monitor, Watchdog',
  ],
  [
    /\baddress that begins\b|\brelative address|data:`? address|\bat this address\b/i,
    'URL; an address is that of a host or an e-mail',
  ],
  [/\bclass (?!\w*Error\b)\w+ extends Error\b/, 'a name that ends in Error'],
];

let found = 0;
for (const path of await filesToRead()) {
  for (const [index, line] of readFileSync(path, 'utf8').split('\n').entries())
    for (const [phrase, better] of PHRASES)
      if (phrase.test(line)) report(`${path}:${index + 1}: "${phrase.exec(line)?.[0]}": ${better}`);
}
process.exitCode = found ? 1 : 0;

async function filesToRead(): Promise<string[]> {
  const paths: string[] = [];
  for await (const path of glob(FILES, { exclude: ['node_modules', 'web/dist', 'web/dist-*'] })) paths.push(path);
  return paths.filter((path) => !LEFT_OUT.test(path)).sort();
}

function report(line: string): void {
  found++;
  process.stdout.write(`${line}\n`);
}
