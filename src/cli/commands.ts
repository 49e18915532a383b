/** Arguments in, one of the subcommands called. Exit status 1 for any failure, 2 where a batch cannot begin; with one clear line. */
import { Command, InvalidArgumentError } from 'commander';
import { PlansError } from '../accounts/plans.ts';
import { VERSION } from '../app.ts';
import { ConfigError } from '../config.ts';
import { ServiceError } from '../errors.ts';
import { batch } from './batch.ts';
import { doctor } from './doctor.ts';
import * as keys from './keys.ts';
import { printSettings } from './print-settings.ts';
import { renderFile } from './render-file.ts';
import { serve } from './serve.ts';
import { showPlans, showUsage } from './usage.ts';
import { UsageError } from './usage-error.ts';

const USAGE = 2;

// Whoever reads the output, such as `head`, has enough.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
  process.exit();
});

const program = new Command('platen').description('HTML to PDF on a warm, supervised Chromium').version(VERSION);

program.command('serve').description('start the service').action(serve);

program
  .command('render')
  .description('render an HTML file, or the document at an address, without a server')
  .argument('<input>', 'an HTML file, an address that begins with https:// or http://, or - for standard input')
  .requiredOption('-o, --output <file>', 'where the PDF goes, or - for standard output')
  .option('--options <file>', 'a JSON file with the options of POST /v1/pdf')
  .action(renderFile);

program
  .command('batch')
  .description('render many documents without a server; exit status 1 when some failed, 2 when none could begin')
  .argument('<input>', 'a file with one item of POST /v1/batches a line, as JSON, or - for standard input')
  .requiredOption('-o, --output <folder>', 'where the PDFs and results.ndjson go')
  .option('--defaults <file>', 'a JSON file with what items do not say themselves')
  .option('--json', 'print the summary as JSON')
  .exitOverride(({ exitCode }) => process.exit(exitCode && USAGE))
  .action(batch);

program.command('doctor').description('check browser, sandbox, fonts, data folder, database and port').action(doctor);

program.command('settings').description('list the settings with their defaults').action(printSettings);

const keyCommands = program.command('keys').description('manage API keys');
keyCommands
  .command('create')
  .description('create a key; its secret is printed once')
  .option('--account <id>', 'the account it belongs to (default: a new one)')
  .option('--plan <plan>', 'plan of the new account')
  .option('--name <name>', 'a name to recognise it by', '')
  .option('--json', 'print JSON')
  .action(keys.createKey);
keyCommands.command('list').description('list all keys').option('--json', 'print JSON').action(keys.listKeys);
keyCommands
  .command('rotate')
  .description('give a key a new secret; the old one stops working at once')
  .argument('<key-id>', 'for example key_...', keyId)
  .option('--json', 'print JSON')
  .action(keys.rotateKey);
keyCommands
  .command('revoke')
  .description('end a key for good')
  .argument('<key-id>', 'for example key_...', keyId)
  .action(keys.revokeKey);

const accountCommands = program.command('accounts').description('manage accounts');
accountCommands
  .command('create')
  .description('create an account')
  .option('--plan <plan>', 'its plan')
  .option('--name <name>', 'a name to recognise it by', '')
  .option('--json', 'print JSON')
  .action(keys.createAccount);
accountCommands.command('list').description('list all accounts').option('--json', 'print JSON').action(keys.listAccounts);
accountCommands
  .command('set-plan')
  .description('change the plan of an account; takes effect at once')
  .argument('<account-id>', 'for example acc_...')
  .argument('<plan>', 'the new plan')
  .action(keys.setPlan);

program
  .command('usage')
  .description('documents used this month')
  .argument('[account-id]', 'one account (default: all)')
  .option('--json', 'print JSON')
  .action(showUsage);

program.command('plans').description('list the plans in force').option('--json', 'print JSON').action(showPlans);

try {
  await program.parseAsync();
} catch (error) {
  process.stderr.write(`platen: ${explain(error)}\n`);
  process.exitCode = error instanceof UsageError ? USAGE : 1;
}

/** One line for what its reader can mend; the stack for what only we can. */
function explain(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const expected =
    error instanceof ServiceError ||
    error instanceof UsageError ||
    error instanceof ConfigError ||
    error instanceof PlansError ||
    'errno' in error ||
    'syscall' in error;
  if (!expected) return String(error.stack);
  const cause = error.cause instanceof Error ? ` (${error.cause.message})` : '';
  return error.message + cause;
}

/** A secret on the command line would be in the shell's history. */
function keyId(text: string): string {
  if (text.startsWith('plt_'))
    throw new InvalidArgumentError('give the id of the key (key_...), not its secret; `platen keys list` shows it.');
  return text;
}
