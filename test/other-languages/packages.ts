/** What programs in other languages are built with, fetched for one test. */
import { join } from 'node:path';
import { run } from './run.ts';

/** A Python environment with packages, in a new folder. The folder of its commands. */
export async function pythonEnvironment(folder: string, packages: string[]): Promise<string> {
  await run('python3', ['-m', 'venv', folder]);
  const commands = join(folder, 'bin');
  await run(join(commands, 'pip'), ['install', '--quiet', '--disable-pip-version-check', ...packages]);
  return commands;
}

/** npm packages in a folder, whose files are modules from now on. */
export async function nodePackages(folder: string, packages: string[]): Promise<void> {
  await run('npm', ['init', '--yes', '--init-type=module'], { cwd: folder });
  await run('npm', ['install', '--no-audit', '--no-fund', ...packages], { cwd: folder });
}
