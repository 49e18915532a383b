/** `platen doctor`: checks everything a render needs and says what to do about each problem. Exit status 1 if one is serious. */
import { randomBytes } from 'node:crypto';
import { access, constants, mkdir } from 'node:fs/promises';
import { createServer } from 'node:net';
import { explainUndefined, loadPlans, PlansError } from '../accounts/plans.ts';
import { SecretKeyError } from '../certificates/secret-keys.ts';
import { type LocatedBrowser, locateBrowser } from '../chromium/browser/locate-browser.ts';
import { type Browser, launchBrowser } from '../chromium/browser.ts';
import { fontCoverage } from '../chromium/font-coverage.ts';
import { type Config, loadConfig } from '../config.ts';
import { startEgressProxy } from '../egress/egress-proxy.ts';
import { OutboundPolicy } from '../egress/policy.ts';
import { openFinishing } from '../engine.ts';
import { messageWithCause } from '../errors.ts';
import { findFontPackage, scriptName } from '../fonts/optional-fonts.ts';
import { Pool } from '../pool/pool.ts';
import { printAlone } from '../render/pdf.ts';
import { parseRenderRequest } from '../render/request/render-request.ts';
import { runEgressSelfTest } from '../render/self-test.ts';
import { isBucketUsed } from '../storage/blobs/open-blobs.ts';
import { type DatabaseState, findDamage, inspectDatabase, isDatabaseLost } from '../storage/database.ts';
import { isDamaged, UNUSABLE } from './explain.ts';
import { countLostCertificates, describeLack, describeRemedy, secretKeyFile } from './lost-certificates.ts';

const DAMAGED = 'restore a backup into a new data folder, as docs/operate/backups.md shows';
const LOST = `${DAMAGED}, or move blobs/ elsewhere to start without these documents; until then, the service does not start`;

type Level = 'ok' | 'note' | 'warning' | 'problem';

/** Prints one line for each finding, with the remedy below it. */
class Report {
  #problems = 0;

  add(level: Level, what: string, remedy?: string): void {
    if (level === 'problem') this.#problems++;
    const sign = { ok: 'ok     ', note: 'note   ', warning: 'warning', problem: 'PROBLEM' }[level];
    process.stdout.write(`${sign}  ${what}\n${remedy ? `         -> ${remedy}\n` : ''}`);
  }

  get exitCode(): number {
    return this.#problems ? 1 : 0;
  }
}

type Engine = Config['engine'];
type Services = Config['services'];

export async function doctor(): Promise<void> {
  const config = loadConfig();
  const { services } = config;
  const report = new Report();
  const located = await checkLocation(config.engine, report);
  if (located) await checkBrowser(located, config, report);
  await checkDataFolder(config.app, report);
  checkPlans(services, await checkDatabase(services, report), report);
  if (services.storage.blobsUrl) await checkBucket(services.storage, report);
  await checkPort(config.app, report);
  process.exitCode = report.exitCode;
}

async function checkLocation({ location }: Engine, report: Report): Promise<LocatedBrowser | undefined> {
  try {
    const located = await locateBrowser(location);
    report.add('ok', `browser: ${located.path} (${located.source})`);
    return located;
  } catch (error) {
    const remedy = hasErrno(error)
      ? `make PLATEN_CACHE_DIR (${location.cacheDir}) writable, or set it to another folder`
      : 'see above';
    report.add('problem', `browser: ${(error as Error).message}`, remedy);
    return undefined;
  }
}

async function checkBrowser(located: LocatedBrowser, config: Config, report: Report): Promise<void> {
  const policy = new OutboundPolicy(config.engine.outbound);
  const proxy = await startEgressProxy(policy);
  try {
    const browser = await launchBrowser(located, config.engine.browser, proxy);
    try {
      checkKind(browser, report);
      await runEgressSelfTest(browser, policy);
      report.add('ok', 'isolation: a document reaches the network only through the proxy and reads no files');
      report.add('ok', 'memory: the service sees the renderer of an open page and can limit its memory');
      await checkFonts(browser, config.engine.browser, report);
      await checkRender(browser, config, report);
    } finally {
      await browser.close();
    }
  } catch (error) {
    report.add(
      'problem',
      `browser: ${(error as Error).message}`,
      'run ldd on the browser to find missing libraries; set PLATEN_SANDBOX=off to test without the sandbox',
    );
  } finally {
    await proxy.close();
  }
}

function checkKind(browser: Browser, report: Report): void {
  report.add('ok', `version: ${browser.product}`);
  if (browser.isFullBrowser)
    report.add(
      'warning',
      'speed: this is a full browser, which is several times slower than a headless shell',
      'install chromium-headless-shell, or unset PLATEN_BROWSER_PATH to use the bundled one',
    );
  if (browser.sandboxed) report.add('ok', 'sandbox: on');
  else
    report.add(
      'warning',
      `sandbox: off (${sandboxReason()})`,
      'run as an ordinary user and allow user namespaces: sysctl kernel.unprivileged_userns_clone=1 or kernel.apparmor_restrict_unprivileged_userns=0; in Docker, use a seccomp profile that allows them',
    );
}

function sandboxReason(): string {
  return process.getuid?.() === 0 ? 'running as root' : 'switched off, or the kernel does not allow it';
}

async function checkFonts(browser: Browser, { fontsDir }: Engine['browser'], report: Report): Promise<void> {
  const coverage = Object.entries(await fontCoverage(browser));
  const scripts = (covered: boolean) => coverage.filter(([, drawn]) => drawn === covered).map(([script]) => script);
  const [optional, missing] = [
    scripts(false).filter(findFontPackage),
    scripts(false).filter((script) => !findFontPackage(script)),
  ];
  report.add('ok', `fonts for: ${scripts(true).map(scriptName).join(', ') || 'none'}`);
  for (const script of optional)
    report.add('note', `no font for ${scriptName(script)}: npm install ${findFontPackage(script)} adds one`);
  if (fontsDir) report.add('ok', `fonts of your own: ${fontsDir}`);
  if (missing.length)
    report.add(
      'warning',
      `no fonts for: ${missing.join(', ')}`,
      'run `npm ci` again, which installs fonts for these scripts, or set PLATEN_FONTS_DIR to a folder with fonts',
    );
}

async function checkRender(browser: Browser, { engine, limits }: Config, report: Report): Promise<void> {
  const pool = new Pool(async () => browser, { ...engine.pool, browsers: 1 });
  await pool.start();
  const html = '<h1>doctor</h1>';
  const finishing = openFinishing(engine.finishing, randomBytes(32));
  const pdf = await printAlone({ pool, finishing }, parseRenderRequest({ html }, limits));
  const spent = Object.values(pdf.timings).reduce((sum, milliseconds) => sum + milliseconds, 0);
  report.add('ok', `render: ${pdf.pages} page, ${pdf.bytes} bytes, ${spent.toFixed(0)} ms`);
  await Promise.all([pool.close(), finishing.close()]);
}

async function checkDataFolder({ dataDir }: Config['app'], report: Report): Promise<void> {
  try {
    await mkdir(dataDir, { recursive: true, mode: 0o700 });
    await access(dataDir, constants.R_OK | constants.W_OK | constants.X_OK);
    report.add('ok', `data folder: ${dataDir}`);
  } catch (error) {
    report.add(
      'problem',
      `data folder: ${(error as Error).message}`,
      'make the folder writable for this user, or set PLATEN_DATA_DIR to another folder',
    );
  }
}

/** Returns the state of the database, if there is one that can be read. */
async function checkDatabase(services: Services, report: Report): Promise<DatabaseState | undefined> {
  const { storage } = services;
  try {
    const damage = await findDamage(storage);
    const state = await inspectDatabase(storage);
    if (await isDatabaseLost(storage))
      report.add('problem', 'database: it is missing or empty, but blobs/ contains documents', LOST);
    else if (damage) report.add('problem', `database: it is damaged (${damage})`, DAMAGED);
    else reportDatabase(storage, state, report);
    if (state) reportCertificates(services, state, report);
    return state;
  } catch (error) {
    report.add(
      'problem',
      `database: ${messageWithCause(error as Error)}`,
      storage.databaseUrl
        ? 'check PLATEN_DATABASE_URL, and that the server runs and lets this user in'
        : isDamaged(error)
          ? DAMAGED
          : UNUSABLE,
    );
    return undefined;
  }
}

function reportDatabase({ databaseUrl }: Services['storage'], state: DatabaseState | undefined, report: Report): void {
  if (!state) report.add('ok', 'database: none yet; the first start creates it');
  else if (state.unknown.length)
    report.add('problem', 'database: a newer version of Platen wrote it', 'use that version, or restore a backup');
  else if (state.refusal) report.add('problem', `database: ${state.refusal.what}`, state.refusal.remedy);
  else {
    report.add('ok', `database: ${databaseUrl ? 'PostgreSQL' : 'SQLite in the data folder'}, ${state.keys} API keys`);
    if (state.pending.length) report.add('ok', `database: the next start applies ${state.pending.join(', ')}`);
  }
}

/** Reports what keeps the service from starting: a plans file that is not valid, or that lacks the plan of an account. */
function checkPlans({ plans: settings }: Services, state: DatabaseState | undefined, report: Report): void {
  try {
    const plans = loadPlans(settings);
    const missing = state?.plans.filter((plan) => !plans.get(plan)) ?? [];
    if (missing.length) report.add('problem', `plans: ${explainUndefined(missing, plans, settings)}`);
    else report.add('ok', `plans: ${plans.names.join(', ')} (${settings.plansFile || 'built in'})`);
  } catch (error) {
    if (!(error instanceof PlansError)) throw error;
    report.add('problem', `plans: ${error.message}`, 'correct the file, or unset PLATEN_PLANS_FILE to use the built-in plans');
  }
}

function reportCertificates(services: Services, { certificates }: DatabaseState, report: Report): void {
  try {
    const { all, lost } = countLostCertificates(services, certificates);
    const file = secretKeyFile(services);
    if (lost) report.add('problem', `certificates: ${lost} of ${all} cannot sign: ${describeLack(file)}`, describeRemedy(file));
    else if (all) report.add('ok', `certificates: ${all}, with their secret key in ${file}`);
  } catch (error) {
    if (!(error instanceof SecretKeyError)) throw error;
    report.add('problem', `certificates: ${error.message}`);
  }
}

async function checkBucket({ blobsUrl }: Services['storage'], report: Report): Promise<void> {
  const bucket = `bucket: ${new URL(blobsUrl).host}`;
  try {
    report.add('ok', `${bucket}, ${(await isBucketUsed(blobsUrl)) ? 'used by an installation' : 'not used yet'}`);
  } catch (error) {
    report.add(
      'problem',
      `${bucket}: ${messageWithCause(error as Error)}`,
      'check PLATEN_BLOBS_URL, the credentials in AWS_ACCESS_KEY_ID or a profile, and that the bucket exists',
    );
  }
}

async function checkPort({ host, port }: Config['app'], report: Report): Promise<void> {
  const server = createServer();
  try {
    await new Promise<void>((resolve, reject) => server.once('error', reject).listen(port, host, resolve));
    report.add('ok', `port: ${host}:${port} is free`);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EADDRINUSE')
      report.add(
        'warning',
        `port: ${host}:${port} is in use`,
        'this is fine if Platen itself uses it; otherwise set PLATEN_PORT to another port',
      );
    else
      report.add(
        'problem',
        `port: ${(error as Error).message}`,
        'set PLATEN_HOST to an address of this machine and PLATEN_PORT to 1024 or more',
      );
  } finally {
    server.close();
  }
}

function hasErrno(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code !== undefined && (error as NodeJS.ErrnoException).syscall !== undefined;
}
