/** Parses the arguments and calls a subcommand. A failure prints one line; the exit status is 1, or 2 if a batch cannot start. */
import { Command, InvalidArgumentError, Option } from 'commander';
import { parseDuration } from '../accounts/duration.ts';
import { SCOPES, type Scope } from '../accounts/scopes.ts';
import { explainMissing } from '../errors.ts';
import { INVOICE_PROFILES } from '../pdf/conformance/invoice-profiles.ts';
import { VERSION } from '../version.ts';
import { explain, UsageError } from './explain.ts';

const USAGE = 2;

// EPIPE means that the reader of the output, such as `head`, has closed it.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
  process.exit();
});

type Action = (...given: never[]) => unknown;

/** Loads a subcommand when it is called, because most need only a part of the service and loading all of it takes half a second. */
function from<Name extends string, Module extends Record<Name, Action>>(load: () => Promise<Module>, name: Name) {
  return async (...given: Parameters<Module[Name]>): Promise<void> => {
    const module = await load();
    await module[name](...given);
  };
}

const keys = () => import('./keys.ts');
const usage = () => import('./usage.ts');
const backup = () => import('./backup.ts');

const INPUTS = 'files, URLs, or - for a PDF on standard input, which are put together first';
const PAGES = ['--pages <pages>', 'the pages of each PDF, such as "1-3, last"'] as const;
const PASSWORD = ['--password <password>', 'opens PDFs that are protected; the result is not'] as const;

const program = new Command('platen')
  .description('Self-hosted service that turns HTML and Markdown into PDFs and images')
  .version(VERSION);

program
  .command('serve')
  .description('start the service')
  .action(from(() => import('./serve.ts'), 'serve'));

program
  .command('render')
  .description('render an HTML or Markdown file or a web page without a server')
  .argument('<input>', 'an HTML or Markdown file, a URL that begins with https:// or http://, or - for HTML on standard input')
  .option('-o, --output <file>', 'the file for the PDF, or - for standard output (default: beside the input, as .pdf)')
  .option('--options <file>', 'a JSON file with the options of POST /v1/pdf')
  .option('--format <format>', 'the paper format, such as A4, Letter or "A4 landscape"')
  .option('--margin <lengths>', 'the margins as in CSS, such as 2cm or "2cm 15mm"')
  .option('--letterhead <file>', 'a PDF that is drawn under the pages')
  .option('--invoice <file>', 'the XML of an invoice to embed, for Factur-X or ZUGFeRD')
  .addOption(new Option('--invoice-profile <profile>', 'the profile of the invoice').choices(INVOICE_PROFILES))
  .addOption(new Option('--template <engine>', 'fill the file as a template').choices(['placeholders', 'liquid']))
  .option('--data <file>', 'a JSON file with the data of the template (default engine: placeholders)')
  .option('--open', 'open the finished PDF with xdg-open')
  .action(from(() => import('./render/render-file.ts'), 'renderFile'));

program
  .command('assemble')
  .alias('merge')
  .description('put a PDF together from PDFs, HTML and Markdown files and web pages, or change a PDF in steps, without a server')
  .argument(
    '<inputs...>',
    'files and URLs in their order, - for a PDF on standard input, or a JSON file with the body of POST /v1/pdf/assemble',
  )
  .requiredOption('-o, --output <file>', 'the file for the PDF (a ZIP archive with the step split), or - for standard output')
  .option('--steps <steps>', 'the steps as JSON, or a JSON file with them')
  .option(...PAGES)
  .option(...PASSWORD)
  .action(from(() => import('./render/assemble.ts'), 'assembleFiles'));

program
  .command('split')
  .description('make several PDFs of one, after each page unless an option says where')
  .argument('<inputs...>', INPUTS)
  .requiredOption('-o, --output <file>', 'the file for the ZIP archive with the PDFs, or - for standard output')
  .option('--every <pages>', 'the number of pages of each PDF')
  .option('--ranges <pages...>', 'the pages of each PDF, such as 1-3 4-last, after the inputs')
  .option('--at-bookmarks', 'begin a PDF at each bookmark of the first level')
  .option('--max-bytes <bytes>', 'make each PDF as long as it can be without being larger')
  .option(...PAGES)
  .option(...PASSWORD)
  .action(from(() => import('./render/assemble.ts'), 'splitFiles'));

program
  .command('stamp')
  .description('draw a text, an image or the first page of a PDF on the pages of a PDF')
  .argument('<inputs...>', INPUTS)
  .requiredOption('-o, --output <file>', 'the file for the PDF, or - for standard output')
  .option('--text <text>', 'a text, in which {{page}} and {{pages}} are numbers')
  .option('--file <file>', 'an image or a PDF')
  .option('--under', 'draw it under the content of the pages')
  .option('--on <pages>', 'the pages that it is drawn on, such as "1, last" (default: all)')
  .option('--position <place>', 'such as bottom or top-right (default: center)')
  .option('--size <points>', 'the font size of the text')
  .option('--color <color>', 'the colour of the text, such as "#cc0000"')
  .option('--opacity <share>', 'from 0 to 1')
  .option('--rotate <degrees>', 'counterclockwise')
  .option(...PAGES)
  .option(...PASSWORD)
  .action(from(() => import('./render/assemble.ts'), 'stampFiles'));

program
  .command('extract')
  .description(
    'print what a PDF holds as JSON: text, Markdown from its tags, metadata, bookmarks, fields, attachments and images',
  )
  .argument('<inputs...>', 'PDFs, which are read as one')
  .option('-o, --output <file>', 'the file for the JSON', '-')
  .option('--what <kinds...>', 'what to read, such as markdown images, after the inputs (default: all but images)')
  .option(...PAGES)
  .option(...PASSWORD)
  .action(from(() => import('./render/assemble.ts'), 'extractFiles'));

program
  .command('batch')
  .description('render many documents without a server; the exit status is 1 if some failed, 2 if the batch could not start')
  .argument('<input>', 'a file with one item of POST /v1/batches per line, as JSON, or - for standard input')
  .requiredOption('-o, --output <folder>', 'the folder for the PDFs and results.ndjson')
  .option('--defaults <file>', 'a JSON file with values for fields that an item does not set')
  .option('--json', 'print the summary as JSON')
  .exitOverride(({ exitCode }) => process.exit(exitCode && USAGE))
  .action(from(() => import('./render/batch.ts'), 'batch'));

program
  .command('compare')
  .description(
    'compare PDFs page by page, or documents that two browsers or two versions render; the exit status is 1 if some differ, 2 if some failed',
  )
  .argument(
    '<before>',
    'a PDF or a folder of PDFs; or what is rendered twice: a folder or file with HTML or Markdown, or the URL of a service for its templates',
  )
  .argument('[after]', 'the PDF, or the folder with PDFs of the same names, to compare with')
  .option('--browser <path>', 'the browser that renders first, or `bundled` (default: that of the settings)')
  .option('--with-browser <path>', 'the browser that renders again, or `bundled`')
  .option(
    '--with <version>',
    'the version of Platen that renders again: the folder of a checkout or a package, or the URL of a service',
  )
  .option('--options <file>', 'a JSON file with the options of POST /v1/pdf for all documents')
  .option('--tolerance <steps>', 'ignore colors that differ by up to so many steps of 255 in each channel', tolerance, 0)
  .option('--report <folder>', 'write a page with pictures of the pages that differ, side by side')
  .option('--json', 'print JSON')
  .exitOverride(({ exitCode }) => process.exit(exitCode && USAGE))
  .action(from(() => import('./compare/compare.ts'), 'compare'));

program
  .command('mcp')
  .description('serve Model Context Protocol tools; the API key is PLATEN_API_KEY or, over HTTP, the key of each request')
  .option('--url <url>', 'the URL of a running service (default: start a private one)')
  .option('--port <port>', 'serve HTTP on this port of PLATEN_HOST (default: use standard input and output)')
  .action(from(() => import('./mcp.ts').catch(explainMissing('@modelcontextprotocol/sdk', '`platen mcp`')), 'mcp'));

program
  .command('doctor')
  .description('check the browser, its sandbox, the fonts, the data folder, the database, the plans, the bucket and the port')
  .action(from(() => import('./doctor.ts'), 'doctor'));

program
  .command('backup')
  .description('back up the database, its secrets, and the documents while the service runs')
  .argument('<destination>', 'a new folder, a file that ends with .tar, or - for an archive on standard output')
  .option('--database-only', 'leave documents in their bucket, which is backed up separately')
  .action(from(backup, 'createBackup'));
program
  .command('restore')
  .description('check a backup and restore it into the empty places that the settings name, or continue an interrupted restore')
  .argument('<source>', 'a backup from `platen backup`: a folder, a file, or - for standard input')
  .action(from(backup, 'restoreBackup'));

program
  .command('settings')
  .description('list the settings with their defaults')
  .action(from(() => import('./print-settings.ts'), 'printSettings'));

const keyCommands = program.command('keys').description('manage API keys');
keyCommands
  .command('create')
  .description('create a key; its secret is printed once')
  .option('--account <id>', 'the account of the key (default: a new account)')
  .option('--plan <plan>', 'the plan of the new account')
  .option('--name <name>', 'a name to tell it apart', '')
  .option('--scopes <scopes>', `the scopes of the key: any of ${SCOPES.join(',')} (default: full access)`, scopes)
  .option('--test', 'create a test key: its renders have a watermark and are not charged')
  .option('--administrator', 'let the key use /v1/admin and the administration pages, beside what its scopes allow')
  .option('--expires-in <duration>', 'how long the key works: seconds, or a duration such as 30d (default: no limit)', lifetime)
  .option('--json', 'print JSON')
  .action(from(keys, 'createKey'));
keyCommands.command('list').description('list all keys').option('--json', 'print JSON').action(from(keys, 'listKeys'));
keyCommands
  .command('rotate')
  .description('replace the secret of a key')
  .argument('<key-id>', 'for example key_...', keyId)
  .option('--grace <duration>', 'how long the old secret stays valid, such as 24h', duration, 0)
  .option('--json', 'print JSON')
  .action(from(keys, 'rotateKey'));
keyCommands
  .command('revoke')
  .description('permanently revoke a key and the keys that were made with it')
  .argument('<key-id>', 'for example key_...', keyId)
  .action(from(keys, 'revokeKey'));

const accountCommands = program.command('accounts').description('manage accounts');
accountCommands
  .command('create')
  .description('create an account')
  .option('--plan <plan>', 'the plan of the account')
  .option('--name <name>', 'a name to tell it apart', '')
  .option('--json', 'print JSON')
  .action(from(keys, 'createAccount'));
accountCommands
  .command('list')
  .description('list all accounts')
  .option('--json', 'print JSON')
  .action(from(keys, 'listAccounts'));
accountCommand('set-plan', 'change the plan of an account, which takes effect at once')
  .argument('<plan>', 'the new plan')
  .action(from(keys, 'setPlan'));
accountCommand('rename', 'give an account another name').argument('<name>', 'the new name').action(from(keys, 'renameAccount'));
accountCommand('suspend', 'refuse the keys and the signed links of an account, and let its batches wait').action(
  from(keys, 'suspendAccount'),
);
accountCommand('resume', 'end the suspension of an account').action(from(keys, 'resumeAccount'));
accountCommand('delete', 'permanently delete an account with all that its keys stored')
  .option('--yes', 'do not refuse at a terminal')
  .action(from(keys, 'deleteAccount'));

function accountCommand(name: string, description: string) {
  return accountCommands.command(name).description(description).argument('<account-id>', 'for example acc_...');
}

program
  .command('certificates')
  .description('manage stored certificates')
  .command('reencrypt')
  .description('re-encrypt private keys with the first key of PLATEN_SECRET_KEY_FILE')
  .action(from(() => import('./certificates.ts'), 'reencryptCertificates'));

program
  .command('usage')
  .description('show the documents used this month')
  .argument('[account-id]', 'the account to show (default: all accounts)')
  .option('--json', 'print JSON')
  .action(from(usage, 'showUsage'));

program.command('plans').description('list the current plans').option('--json', 'print JSON').action(from(usage, 'showPlans'));

try {
  await program.parseAsync();
} catch (error) {
  process.stderr.write(`platen: ${explain(error)}\n`);
  process.exitCode = error instanceof UsageError ? USAGE : 1;
}

function scopes(text: string): Scope[] {
  const given = text.split(',').map((scope) => scope.trim());
  const unknown = given.filter((scope) => !SCOPES.some((known) => known === scope));
  if (unknown.length) throw new InvalidArgumentError(`there is no scope ${unknown.join(', ')}; use ${SCOPES.join(', ')}.`);
  return [...new Set(given as Scope[])];
}

function duration(text: string): number {
  const milliseconds = parseDuration(text);
  if (milliseconds === undefined) throw new InvalidArgumentError('use a duration such as 30m, 24h or 7d.');
  return milliseconds;
}

function tolerance(text: string): number {
  if (!/^\d{1,3}$/.test(text) || Number(text) > 255) throw new InvalidArgumentError('use a whole number from 0 to 255.');
  return Number(text);
}

/** At least a second, because a key that never works is a mistake. */
function lifetime(text: string): number {
  const milliseconds = duration(/^\d+$/.test(text) ? `${text}s` : text);
  if (milliseconds < 1_000) throw new InvalidArgumentError('use at least one second.');
  return milliseconds;
}

/** Refuses a secret, which would end up in the history of the shell. */
function keyId(text: string): string {
  if (text.startsWith('plt_'))
    throw new InvalidArgumentError('use the id of the key (key_...), not its secret. `platen keys list` shows the ids.');
  return text;
}
