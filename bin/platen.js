#!/usr/bin/env node
/**
 * The command of the installed package: runs the compiled `platen` with Node 24, which is either the Node that runs this file or
 * the one of the npm package `node` beside this package. It is plain JavaScript, so that an older Node can say what is missing.
 */
import { spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';

const NEEDED = 24;
const FLAGS = ['--disable-warning=ExperimentalWarning', fileURLToPath(new URL('../dist/cli.js', import.meta.url))];
/** Large buffers go back to the system. */
const ENV = { MALLOC_MMAP_THRESHOLD_: '1048576', ...process.env };

const node = Number.parseInt(process.versions.node, 10) >= NEEDED ? process.execPath : nodeBeside();
if (node) run(node, [...FLAGS, ...process.argv.slice(2)]);
else {
  process.stderr.write(
    `platen: Node ${NEEDED} or later is needed, and this is ${process.versions.node}. Install it beside platen: npm install -g node@${NEEDED}\n`,
  );
  process.exitCode = 1;
}

/** The binary of the npm package `node`, if it is recent enough. */
function nodeBeside() {
  const require = createRequire(import.meta.url);
  try {
    const version = require('node/package.json').version;
    return Number.parseInt(version, 10) >= NEEDED ? require.resolve('node/bin/node') : undefined;
  } catch {
    return undefined;
  }
}

/** In place of this process where the system allows it, otherwise as a child that gets its signals. */
function run(path, args) {
  if (process.execve) {
    process.removeAllListeners('warning'); // it is experimental
    process.execve(path, [path, ...args], ENV);
  }
  const child = spawn(path, args, { stdio: 'inherit', env: ENV });
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  child.on('exit', (code, signal) => {
    if (signal) process.kill(process.pid, 'SIGKILL');
    process.exit(code ?? 1);
  });
}
