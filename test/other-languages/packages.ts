/** Installs packages of other languages for a test. */
import { join } from 'node:path';
import { run } from './run.ts';

/** Creates a Python environment with packages in a new folder, and returns the folder of its commands. */
export async function pythonEnvironment(folder: string, packages: string[]): Promise<string> {
  await run('python3', ['-m', 'venv', folder]);
  const commands = join(folder, 'bin');
  await run(join(commands, 'pip'), ['install', '--quiet', '--disable-pip-version-check', ...packages]);
  return commands;
}

/** Installs npm packages in a folder, and makes its files ES modules. */
export async function nodePackages(folder: string, packages: string[]): Promise<void> {
  await run('npm', ['init', '--yes', '--init-type=module'], { cwd: folder });
  await run('npm', ['install', '--no-audit', '--no-fund', ...packages], { cwd: folder });
}
