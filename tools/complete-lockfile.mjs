/**
 * Completes package-lock.json with the optional packages of other platforms.
 *
 * A registry mirror that carries only some platforms lets `npm install` leave the others out of the lock file, and `npm ci`
 * then refuses the lock file as incomplete. The entries added here are skipped on every platform but their own.
 * Run it after `npm install` behind such a mirror: `node tools/complete-lockfile.mjs`.
 */
import { readFileSync, writeFileSync } from 'node:fs';

const file = new URL('../package-lock.json', import.meta.url);
const lock = JSON.parse(readFileSync(file, 'utf8'));
const SYSTEMS = ['android', 'darwin', 'freebsd', 'linux', 'openharmony', 'sunos', 'win32', 'aix', 'netbsd', 'openbsd'];
const PROCESSORS = ['arm64', 'x64', 'arm', 'ia32', 'ppc64', 'riscv64', 's390x', 'loong64', 'mips64el', 'wasm32'];
let added = 0;

for (const entry of Object.values(lock.packages)) {
  for (const [name, version] of Object.entries(entry.optionalDependencies ?? {})) {
    const key = `node_modules/${name}`;
    if (Object.keys(lock.packages).some((known) => known === key || known.endsWith(`/${key}`))) continue;
    lock.packages[key] = missing(name, version, entry);
    added++;
  }
}
lock.packages = Object.fromEntries(Object.entries(lock.packages).sort(([a], [b]) => (a < b ? -1 : 1)));
writeFileSync(file, `${JSON.stringify(lock, null, 2)}\n`);
process.stdout.write(`${added} entries added\n`);

function missing(name, version, { dev }) {
  const os = SYSTEMS.filter((system) => name.includes(system));
  const cpu = PROCESSORS.filter((processor) => new RegExp(`[-_]${processor}(?:[-_]|$)`).test(name));
  const libc = ['musl', 'gnu'].filter((kind) => name.includes(kind)).map((kind) => (kind === 'gnu' ? 'glibc' : kind));
  return {
    version: version.replace(/^[~^]/, ''),
    ...(cpu.length && { cpu }),
    ...(dev && { dev }),
    ...(libc.length && { libc }),
    optional: true,
    ...(os.length && { os }),
  };
}
