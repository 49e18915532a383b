/**
 * Reads the settings: environment in, one frozen `Config` out, in which each service has the settings that it reads. The table of
 * settings is also the documentation, which `platen settings` prints. All problems are reported at once.
 */
import { Resolver } from 'node:dns';
import { readdirSync } from 'node:fs';
import { availableParallelism, homedir, totalmem } from 'node:os';
import { resolve } from 'node:path';
import { constrainedMemory } from 'node:process';
import ipaddr from 'ipaddr.js';
import { CACHE_VARIABLE, DEFAULT_CACHE_FOLDER } from './cache-folder.ts';
import { parseRules } from './egress/rules.ts';
import { ConfigError } from './errors.ts';
import { nearest } from './nearest.ts';
import { checkDatabaseUrl, parseS3Location } from './storage/locations.ts';

interface Setting<T> {
  env: string;
  /** The value when the variable is absent or empty. */
  fallback: T;
  /** The fallback as an operator would write it. */
  shown: string;
  /** How the default depends on the machine, if it does. The reference shows this rule instead of the value of one machine. */
  rule?: string;
  /** The valid values, for the reference. */
  valid: string;
  help: string;
  /** Turns the text into the value, or throws an Error that says what is valid. */
  parse: (text: string) => T;
  /** Whether the text may contain a password, so that errors must not repeat it. */
  isSecret?: boolean;
}

/** Timers of Node and browsers hold milliseconds in 31 bits. A longer timer would fire at once. */
const MAX_TIMER_SECONDS = 2_147_483;

const cores = availableParallelism();
const usualBrowsers = Math.min(4, Math.max(1, Math.floor(cores / 4)));
const usualFinishThreads = Math.max(1, Math.floor(cores / 2));
/** Of the machine, or of the control group that limits it. */
const memoryBytes = Math.min(totalmem(), constrainedMemory() || Number.POSITIVE_INFINITY);

const SETTINGS = {
  host: text('PLATEN_HOST', 'Address that the service listens on.', '127.0.0.1'),
  port: whole('PLATEN_PORT', 3000, [0, 65_535], 'Port that the service listens on. 0 takes a free port.'),
  publicUrl: url(
    'PLATEN_PUBLIC_URL',
    'URL at which clients reach the service, such as https://pdf.example.com. Links in replies begin with it. When empty, it comes from each request.',
  ),
  dataDir: folder('PLATEN_DATA_DIR', './data', 'Folder of the database and the stored documents.'),
  databaseUrl: location(
    'PLATEN_DATABASE_URL',
    'postgres://user@host/database',
    checkDatabaseUrl,
    'PostgreSQL database for everything but the content of documents (see docs/operate/several-nodes.md). When empty, the database is a file in PLATEN_DATA_DIR.',
  ),
  databaseConnections: whole(
    'PLATEN_DATABASE_CONNECTIONS',
    10,
    [3, 1_000],
    'Maximum number of open connections to PostgreSQL, besides one for coordination between the nodes and three for background work.',
  ),
  blobsUrl: location(
    'PLATEN_BLOBS_URL',
    's3://bucket/prefix?endpoint=...',
    parseS3Location,
    'Bucket for stored documents in S3 or an S3-compatible service (see docs/operate/data.md). When empty, they are files in PLATEN_DATA_DIR.',
  ),
  secretKeyFile: text(
    'PLATEN_SECRET_KEY_FILE',
    'File with the secret key that encrypts the private keys of certificates (see docs/operate/security.md). When empty, the service generates a key in PLATEN_DATA_DIR; with PLATEN_DATABASE_URL, certificates then cannot be stored.',
  ),
  tsaUrl: {
    ...url(
      'PLATEN_TSA_URL',
      'URL of the time stamp authority (RFC 3161) for signatures of the levels B-T, B-LT and B-LTA, such as https://tsa.example.com/. It may contain a user name and password. When empty, these levels are refused.',
    ),
    isSecret: true,
  },
  plansFile: text(
    'PLATEN_PLANS_FILE',
    'JSON file that defines the plans (see docs/operate/plans-and-keys.md). When empty, the built-in plans apply.',
  ),
  sweepMs: seconds('PLATEN_SWEEP_SECONDS', 60, 'Time between two sweeps, which remove expired content from the disk.'),
  cacheDir: {
    ...folder(CACHE_VARIABLE, DEFAULT_CACHE_FOLDER, 'Folder for the unpacked bundled browser and fonts, and for compiled code.'),
    rule: '`platen` in `$XDG_CACHE_HOME`, or in `~/.cache`',
  },
  fontsDir: readableFolder(
    'PLATEN_FONTS_DIR',
    'Folder with additional fonts for all documents. When empty, only the bundled fonts and the fonts of the system are available.',
  ),
  logLevel: choice(
    'PLATEN_LOG_LEVEL',
    'info',
    ['silent', 'fatal', 'error', 'warn', 'info', 'debug'],
    'Least severe level that is logged.',
  ),
  tracesUrl: url(
    'PLATEN_TRACES_URL',
    'URL that receives traces by OTLP over HTTP, such as http://127.0.0.1:4318/v1/traces (see docs/operate/metrics.md). When empty, no traces are recorded.',
  ),
  tracesPercent: whole(
    'PLATEN_TRACES_PERCENT',
    100,
    [0, 100],
    'Percentage of requests that are traced. A traceparent header from the caller does not change it.',
  ),

  browserPath: text(
    'PLATEN_BROWSER_PATH',
    'Path of the browser, or `bundled` for the one that `npm ci` installs. When empty, the service looks for a browser (see `platen doctor`).',
  ),
  sandbox: choice(
    'PLATEN_SANDBOX',
    'auto',
    ['auto', 'on', 'off'],
    'Whether Chromium runs in its sandbox. auto: on if the user and the kernel allow it, otherwise off with a warning. on: the service does not start without the sandbox.',
  ),
  browsers: {
    ...whole('PLATEN_BROWSERS', usualBrowsers, [1, 32], 'Number of browser processes.'),
    rule: 'one for every four cores, from 1 to 4',
  },
  concurrency: {
    ...whole(
      'PLATEN_CONCURRENCY',
      Math.max(2, cores),
      [1, 256],
      'Number of renders that may run at the same time, over all browsers.',
    ),
    rule: 'the number of cores, at least 2',
  },
  queueLimit: whole(
    'PLATEN_QUEUE_LIMIT',
    256,
    [0, 100_000],
    'Number of renders that may wait. Further requests are answered with 429.',
  ),
  isolation: choice(
    'PLATEN_ISOLATION',
    'key',
    ['document', 'key', 'account', 'service'],
    'Whose documents may follow each other in one page: no others, those of the same key, those of the same account, or all.',
  ),
  idleStopMs: whole(
    'PLATEN_IDLE_STOP',
    0,
    [0, 86_400],
    'Seconds without a render after which the browsers end until the next one. 0: never.',
    { name: 'seconds', size: 1_000 },
  ),
  sparePages: whole('PLATEN_SPARE_PAGES', 2, [0, 64], 'Number of unused pages kept ready for new keys, per browser.'),
  warmPages: {
    ...whole(
      'PLATEN_WARM_PAGES',
      Math.min(128, Math.max(24, Math.floor(memoryBytes / 48 / 1_048_576 / usualBrowsers))),
      [0, 1_000],
      'Number of warm pages kept between renders, per browser, over all keys. Each takes about 12 MB.',
    ),
    rule: 'one for every 48 MB of memory, over the default number of browsers, from 24 to 128',
  },
  pageMaxRenders: whole('PLATEN_PAGE_MAX_RENDERS', 500, [1, 1_000_000], 'A page is replaced after this many renders.'),
  pageMaxAgeMs: seconds('PLATEN_PAGE_MAX_AGE_SECONDS', 3_600, 'A page is replaced at this age.'),
  pageIdleMs: seconds('PLATEN_PAGE_IDLE_SECONDS', 600, 'A warm page that is not used for this long is closed.'),
  pageMaxMemoryBytes: megabytes(
    'PLATEN_PAGE_MAX_MEMORY_MB',
    400,
    'A page whose renderer uses more memory than this after a render is replaced.',
  ),
  browserMaxRenders: whole(
    'PLATEN_BROWSER_MAX_RENDERS',
    20_000,
    [1, 100_000_000],
    'A browser is replaced in the background after this many renders.',
  ),
  browserMaxAgeMs: seconds('PLATEN_BROWSER_MAX_AGE_SECONDS', 43_200, 'A browser is replaced at this age.'),
  rendererMemoryBytes: megabytes(
    'PLATEN_RENDERER_MEMORY_MB',
    1_536,
    'A renderer that uses more memory than this is killed, and its request is answered with 422 resource_limit.',
  ),
  browserMemoryBytes: megabytes(
    'PLATEN_BROWSER_MEMORY_MB',
    1_024,
    'Memory that a browser may use besides its renderers, for blobs, caches and files of documents. A render that exceeds it is answered with 422 resource_limit. A browser that still uses three quarters of it when idle is replaced.',
    768,
  ),
  rendererHeapBytes: megabytes('PLATEN_RENDERER_HEAP_MB', 512, 'Maximum size of the JavaScript heap of a renderer.'),

  outbound: choice(
    'PLATEN_OUTBOUND',
    'public',
    ['public', 'listed', 'none'],
    'Network that documents may reach. public: the public internet and everything in PLATEN_OUTBOUND_ALLOW. listed: only what PLATEN_OUTBOUND_ALLOW names. none: nothing.',
  ),
  outboundAllow: rules(
    'PLATEN_OUTBOUND_ALLOW',
    'Destinations that documents may reach even if they are private or use another port. Addresses, CIDR ranges or names, each with an optional port, such as 10.1.0.0/16, 127.0.0.1:8080, *.intranet.example.',
  ),
  outboundDeny: rules(
    'PLATEN_OUTBOUND_DENY',
    'Destinations that documents may not reach even if they are public. Takes precedence over PLATEN_OUTBOUND_ALLOW.',
  ),
  outboundPorts: list(
    'PLATEN_OUTBOUND_PORTS',
    'ports',
    (entry) => wholeNumber(entry, 1, 65_535),
    'Ports that documents may reach on the public internet.',
    [80, 443],
  ),
  dnsServers: list(
    'PLATEN_DNS_SERVERS',
    'addresses, each with an optional port',
    nameServer,
    'Name servers that resolve host names, such as 10.0.0.53, [fd00::53]:5353. When empty, the hosts file and the name servers of the system are used.',
  ),
  renderMaxRequests: whole(
    'PLATEN_RENDER_MAX_REQUESTS',
    1_000,
    [1, 1_000_000],
    'Number of requests and connections that one render may make.',
  ),
  renderMaxNetworkBytes: megabytes(
    'PLATEN_RENDER_MAX_NETWORK_MB',
    100,
    'Amount of data that one render may receive from the network.',
    1,
  ),
  renderMaxConnections: whole(
    'PLATEN_RENDER_MAX_CONNECTIONS',
    64,
    [1, 10_000],
    'Number of connections that one render may have open at the same time.',
  ),
  resourceTimeoutMs: seconds(
    'PLATEN_RESOURCE_TIMEOUT_SECONDS',
    10,
    'Time limit for each resource of a document, and for a server that sends nothing, when a request has no `options.resourceTimeout`.',
  ),

  webhookRetryMs: waits(
    'PLATEN_WEBHOOK_RETRY_SECONDS',
    [5, 30, 120, 600, 1_800, 3_600, 7_200, 14_400, 28_800, 28_800],
    'Waiting times after each failed attempt to deliver a webhook. Each wait is up to a fifth longer, at random. The delivery is given up when the attempt after the last wait fails. The default spans about 24 hours.',
  ),
  webhookTimeoutMs: seconds('PLATEN_WEBHOOK_TIMEOUT_SECONDS', 15, 'Time that the receiver of a webhook has to answer.'),

  finishThreads: {
    ...whole(
      'PLATEN_FINISH_THREADS',
      usualFinishThreads,
      [1, 64],
      'Number of threads that finish PDFs: compression, passwords, metadata, watermarks and attachments.',
    ),
    rule: 'half the number of cores, at least 1',
  },
  finishQueueLimit: whole(
    'PLATEN_FINISH_QUEUE_LIMIT',
    64,
    [0, 10_000],
    'Number of PDFs that may wait for a thread. Further requests are answered with 429.',
  ),
  finishQueueBytes: megabytes(
    'PLATEN_FINISH_QUEUE_MB',
    256,
    'Total size of the PDFs and attachments in memory that are being finished or wait to be finished. Further requests are answered with 429.',
    1,
  ),
  finishMemoryBytes: {
    ...megabytes(
      'PLATEN_FINISH_MEMORY_MB',
      Math.min(1_024, Math.max(256, Math.floor(memoryBytes / 8 / 1_048_576 / usualFinishThreads))),
      'JavaScript heap that a thread may use for one PDF. A request that needs more is answered with 422 resource_limit.',
    ),
    rule: 'an eighth of the memory, over the default number of threads, from 256 to 1,024',
  },

  maxRequestBytes: whole(
    'PLATEN_MAX_REQUEST_BYTES',
    33_554_432,
    [1_024, 1_073_741_824],
    'Maximum size of a request body in bytes. The HTML itself may have 5,242,880 bytes; JSON escaping makes the body larger.',
  ),
  maxAssets: whole(
    'PLATEN_MAX_ASSETS',
    200,
    [1, 10_000],
    'Maximum number of files with one document (`assets`, or `files` of a form).',
  ),
  maxAssetsBytes: megabytes('PLATEN_MAX_ASSETS_MB', 24, 'Maximum total size of the files with one document.', 1),
  requestMemoryBytes: megabytes(
    'PLATEN_REQUEST_MEMORY_MB',
    512,
    'Memory for the data of requests: bodies, the data made from them, and PDFs that clients have not read yet. One account may use half of what the others leave. Further requests are answered with 429 or 503. A quarter is reserved for the playground.',
    1,
  ),
  maxPdfBytes: whole(
    'PLATEN_MAX_PDF_BYTES',
    268_435_456,
    [1_024, 4_294_967_296],
    'Maximum size of a PDF or an image in bytes. Larger results are answered with 422 resource_limit.',
  ),
  maxImagePixels: whole(
    'PLATEN_MAX_IMAGE_PIXELS',
    8_000_000,
    [10_000, 100_000_000],
    'Maximum size of an image in pixels (width times height), a quarter of it for WebP. Encoding a large image delays other renders. Larger images are answered with 422 resource_limit.',
  ),
  requestTimeoutMs: seconds('PLATEN_REQUEST_TIMEOUT_SECONDS', 60, 'Time that a client has to send its whole request.'),
  testRendersPerDay: whole(
    'PLATEN_TEST_RENDERS_PER_DAY',
    1_000,
    [0, 1_000_000],
    'Documents and images that the test keys of one account may render in a day (UTC). They have a watermark and are not charged. Further requests are answered with 402 quota_exceeded.',
  ),
  requestLogMs: whole(
    'PLATEN_REQUEST_LOG_DAYS',
    7,
    [0, 365],
    'Days for which the request log keeps each render and batch item, and for which failed batch items can be run again. 0: there is no request log.',
    { name: 'days', size: 86_400_000 },
  ),
  auditLogMs: whole(
    'PLATEN_AUDIT_LOG_DAYS',
    365,
    [1, 3_650],
    'Days for which the audit log keeps each change of accounts and keys.',
    { name: 'days', size: 86_400_000 },
  ),
  maxTemplates: whole('PLATEN_MAX_TEMPLATES', 1_000, [1, 1_000_000], 'Number of templates that one key may have.'),
  maxTemplateBytes: megabytes('PLATEN_MAX_TEMPLATES_MB', 256, 'Total size of the templates of one key.'),
  renderTimeoutMs: whole(
    'PLATEN_RENDER_TIMEOUT_MS',
    30_000,
    [100, 3_600_000],
    'Time limit of a render, in milliseconds, when the request has no `options.timeout`.',
  ),
  maxRenderTimeoutMs: whole(
    'PLATEN_MAX_RENDER_TIMEOUT_MS',
    120_000,
    [100, 3_600_000],
    'Largest `options.timeout`, in milliseconds, that a request may set.',
  ),
  playground: choice(
    'PLATEN_PLAYGROUND',
    'on',
    ['on', 'off'],
    'Whether the service has a playground: a page at / on which anyone can render without a key. It uses a separate browser, which starts with the first visitor.',
  ),
  playgroundConcurrency: {
    ...whole(
      'PLATEN_PLAYGROUND_CONCURRENCY',
      cores > 4 ? 2 : 1,
      [1, 64],
      'Number of playground renders that may run at the same time.',
    ),
    rule: '1 on up to four cores, otherwise 2',
  },
  playgroundRequestsPerMinute: whole(
    'PLATEN_PLAYGROUND_REQUESTS_PER_MINUTE',
    300,
    [1, 1_000_000],
    'Requests per minute that one client IP address (for IPv6, one /64 network) may send to the playground. While a visitor types, the playground sends up to 100.',
  ),
  playgroundSecondsPerMinute: whole(
    'PLATEN_PLAYGROUND_SECONDS_PER_MINUTE',
    30,
    [1, 1_000_000],
    'Seconds of rendering per minute that the playground gives to one client IP address. One of its documents is rendered at a time, so 60 means no limit on one node.',
  ),
  playgroundOutboundAllow: rules(
    'PLATEN_PLAYGROUND_OUTBOUND_ALLOW',
    'Private destinations that documents of the playground may reach, in the form of PLATEN_OUTBOUND_ALLOW. PLATEN_OUTBOUND_ALLOW itself does not apply to the playground.',
  ),
  gotenbergRoutes: choice(
    'PLATEN_GOTENBERG_ROUTES',
    'off',
    ['on', 'off'],
    'Whether the service also answers the paths and forms of Gotenberg: /forms/chromium/..., /forms/pdfengines/merge, /health and /version (see docs/guide/gotenberg.md).',
  ),
  gotenbergWebhooks: choice(
    'PLATEN_GOTENBERG_WEBHOOKS',
    'async',
    ['async', 'sync'],
    'When a Gotenberg request with a webhook is answered: at once (async), or when everything has been sent to the webhook (sync).',
  ),
  gotenbergKey: text(
    'PLATEN_GOTENBERG_KEY',
    'API key for requests to the Gotenberg paths without credentials. When empty, they are answered with 401. When set, anyone who can reach the port can render on the account of the key.',
  ),
  apiKey: text('PLATEN_API_KEY', 'API key with which `platen mcp` calls the service.'),
  corsOrigins: list(
    'PLATEN_CORS_ORIGINS',
    'origins',
    exactOrigin,
    'Origins of web pages that may call the API from a browser, such as https://app.example.com. When empty, browsers refuse calls from pages of other origins.',
  ),
  trustedProxies: list(
    'PLATEN_TRUSTED_PROXIES',
    'addresses and CIDR ranges',
    addressRange,
    'Addresses or CIDR ranges of the reverse proxies whose X-Forwarded-For header is trusted, such as 10.0.0.0/8. When empty, the header is ignored.',
  ),
  drainTimeoutMs: seconds('PLATEN_DRAIN_TIMEOUT_SECONDS', 60, 'Time that running renders have to finish after SIGTERM.'),
} as const satisfies Record<string, Setting<unknown>>;

const RENDER_LIMITS = ['renderTimeoutMs', 'maxRenderTimeoutMs', 'maxAssets', 'maxAssetsBytes'] as const;

/** The settings that each service reads. It gets no others, so that a secret exists only where it is used. */
const SLICES = {
  app: ['host', 'port', 'dataDir', 'logLevel', 'requestMemoryBytes', 'sweepMs', 'drainTimeoutMs'],
  tracing: ['tracesUrl', 'tracesPercent'],
  services: {
    storage: ['dataDir', 'databaseUrl', 'databaseConnections', 'blobsUrl'],
    secretKeys: ['dataDir', 'secretKeyFile'],
    timeStamps: ['tsaUrl'],
    plans: ['plansFile'],
    allowance: ['testRendersPerDay'],
    requestLog: ['requestLogMs'],
    audit: ['auditLogMs'],
    templates: ['maxTemplates', 'maxTemplateBytes'],
    templateAssets: ['maxAssets', 'maxAssetsBytes'],
    limits: RENDER_LIMITS,
  },
  engine: {
    location: ['browserPath', 'cacheDir', 'fontsDir'],
    browser: [
      ...[
        'sandbox',
        'fontsDir',
        'rendererMemoryBytes',
        'rendererHeapBytes',
        'browserMemoryBytes',
        'maxPdfBytes',
        'maxImagePixels',
      ],
      ...['renderMaxRequests', 'renderMaxNetworkBytes', 'renderMaxConnections', 'resourceTimeoutMs'],
    ],
    pool: [
      ...['browsers', 'concurrency', 'queueLimit', 'isolation', 'sparePages', 'warmPages', 'pageMaxRenders', 'pageMaxAgeMs'],
      ...['pageIdleMs', 'idleStopMs', 'pageMaxMemoryBytes', 'browserMaxRenders', 'browserMaxAgeMs', 'browserMemoryBytes'],
    ],
    outbound: ['outbound', 'outboundAllow', 'outboundDeny', 'outboundPorts', 'dnsServers'],
    finishing: ['finishThreads', 'finishQueueLimit', 'finishQueueBytes', 'finishMemoryBytes'],
  },
  http: [
    ...['publicUrl', 'corsOrigins', 'trustedProxies', 'playgroundRequestsPerMinute', 'playgroundSecondsPerMinute'],
    ...['maxRequestBytes', 'requestTimeoutMs', 'maxRenderTimeoutMs'],
  ],
  limits: RENDER_LIMITS,
  merging: ['maxPdfBytes', 'maxRenderTimeoutMs'],
  deliveries: ['webhookRetryMs', 'webhookTimeoutMs'],
  uploads: ['webhookTimeoutMs'],
  playground: ['playground', 'playgroundConcurrency', 'playgroundSecondsPerMinute', 'playgroundOutboundAllow'],
  gotenberg: ['gotenbergRoutes', 'gotenbergWebhooks', 'gotenbergKey'],
  mcp: ['apiKey'],
} as const satisfies SliceTable;

const PREFIX = 'PLATEN_';
/** Variables of the scripts and tests of this project. */
const OF_SCRIPTS = /^PLATEN_(?:TEST_(?!RENDER)|BENCH_|CI_|UPDATE_)/;

/** A body is in memory twice, and one account may use at most half of the three quarters that the playground leaves. */
const BODIES_IN_MEMORY = 6;

type Name = keyof typeof SETTINGS;
type Values = { readonly [K in Name]: (typeof SETTINGS)[K] extends Setting<infer T> ? T : never };
type SliceTable = { readonly [slice: string]: readonly Name[] | SliceTable };
type Slices<T> = {
  readonly [K in keyof T]: T[K] extends readonly Name[] ? Pick<Values, T[K][number]> : Slices<T[K]>;
};
export type Config = Slices<typeof SLICES>;

/** Reads the settings. Throws `ConfigError`. */
export function loadConfig(env: Record<string, string | undefined> = process.env): Config {
  const { values, problems } = parseSettings(env);
  problems.unshift(...unknownSettings(env));
  if (values.renderTimeoutMs > values.maxRenderTimeoutMs)
    problems.push('PLATEN_RENDER_TIMEOUT_MS is larger than PLATEN_MAX_RENDER_TIMEOUT_MS: lower the first or raise the second.');
  if (values.requestMemoryBytes < BODIES_IN_MEMORY * values.maxRequestBytes)
    problems.push(
      `PLATEN_REQUEST_MEMORY_MB is less than ${BODIES_IN_MEMORY} times PLATEN_MAX_REQUEST_BYTES: raise the first to ${Math.ceil((BODIES_IN_MEMORY * values.maxRequestBytes) / 1_048_576)} or lower the second.`,
    );
  if (problems.length) throw new ConfigError(`The settings are not valid:\n${problems.map((p) => `  ${p}`).join('\n')}`);
  return slice(SLICES, values) as Config;
}

/** Replaces each list of names in the table with these settings. */
function slice(table: object, values: Values): object {
  const parts: Array<[string, Name | object]> = Object.entries(table);
  const slices = parts.map(([key, part]) => (typeof part === 'string' ? [part, values[part]] : [key, slice(part, values)]));
  return Object.freeze(Object.fromEntries(slices));
}

function parseSettings(env: Record<string, string | undefined>): { values: Values; problems: string[] } {
  const problems: string[] = [];
  const values: Record<string, unknown> = {};
  for (const [name, setting] of Object.entries(SETTINGS) as Array<[string, Setting<unknown>]>) {
    const given = env[setting.env];
    try {
      values[name] = given && !isAddedByKubernetes(setting.env, given) ? setting.parse(given) : setting.fallback;
    } catch (error) {
      problems.push(`${setting.env}${setting.isSecret ? '' : `=${given}`}: ${(error as Error).message}`);
    }
  }
  return { values: values as Values, problems };
}

/** The table of settings, for documentation. `fallback` is the default on this machine, as an operator would write it. */
export function describeSettings() {
  const settings: Setting<unknown>[] = Object.values(SETTINGS);
  return settings.map(({ env, shown, rule, valid, help }) => ({ env, fallback: shown, rule, valid, help }));
}

/** One line for each variable that begins with `PLATEN_` but is not a setting, because a misspelt setting would have no effect. */
function unknownSettings(env: Record<string, string | undefined>): string[] {
  const known = Object.values(SETTINGS).map((setting) => setting.env as string);
  return Object.entries(env).flatMap(([name, value]) => {
    if (!value || !name.startsWith(PREFIX) || known.includes(name) || OF_SCRIPTS.test(name)) return [];
    if (isAddedByKubernetes(name, value)) return [];
    const near = similarName(
      name.slice(PREFIX.length),
      known.map((each) => each.slice(PREFIX.length)),
    );
    const remedy = near ? `did you mean ${PREFIX}${near}?` : '`platen settings` lists all settings.';
    return `${name}: there is no such setting; ${remedy}`;
  });
}

/** Returns the nearest of the names that have similar or longer words, as `DATABASE_URL` for `DB_URL`, or the same words in one. */
function similarName(name: string, known: string[]): string | undefined {
  const words = name.split('_');
  const alike = known.filter((each) => {
    const others = each.split('_');
    if (others.length !== words.length) return others.join('') === words.join('');
    return others.every((other, index) => isShortFor(other, words[index] ?? '') || nearest(words[index] ?? '', [other]));
  });
  return alike.length > 1 ? nearest(name, alike) : alike[0];
}

/** Whether a word has the first letter of the other and more of its letters, in their order. */
function isShortFor(long: string, word: string): boolean {
  let found = 0;
  for (const letter of long) if (letter === word[found]) found++;
  return word !== '' && word[0] === long[0] && found === word.length;
}

/**
 * Kubernetes describes each Service of the namespace in variables, and a Service named `platen` in these, also in `PLATEN_PORT`. See
 * https://kubernetes.io/docs/concepts/services-networking/service/#environment-variables
 */
function isAddedByKubernetes(name: string, value = ''): boolean {
  if (name.endsWith('_SERVICE_HOST') || /_SERVICE_PORT(?:_|$)/.test(name)) return true;
  if (/_PORT_\d+_(?:TCP|UDP|SCTP)(?:_(?:PROTO|PORT|ADDR))?$/.test(name)) return true;
  return name.endsWith('_PORT') && /^(?:tcp|udp|sctp):\/\//.test(value);
}

function text(env: string, help: string, fallback = ''): Setting<string> {
  return { env, fallback, shown: fallback, valid: 'text', help, parse: (given) => given };
}

/** A text that `check` throws an Error about if it is not valid. */
function checked(env: string, valid: string, check: (given: string) => unknown, help: string): Setting<string> {
  const parse = (given: string) => {
    check(given);
    return given;
  };
  return { env, fallback: '', shown: '', valid, help, parse };
}

function url(env: string, help: string): Setting<string> {
  return checked(env, 'URL with `http://` or `https://`', requireHttp, help);
}

function requireHttp(given: string): void {
  if (!/^https?:$/.test(URL.parse(given)?.protocol ?? '')) throw new Error('use a URL that begins with https:// or http://.');
}

function location(env: string, valid: string, check: (given: string) => unknown, help: string): Setting<string> {
  return { ...checked(env, `\`${valid}\``, check, help), isSecret: true };
}

function rules(env: string, help: string): Setting<string> {
  return checked(env, 'list of [rules](../operate/network.md#rules)', parseRules, help);
}

/** Entries with spaces or commas between them. */
function list<T>(env: string, entry: string, toEntry: (given: string) => T, help: string, fallback: T[] = []): Setting<T[]> {
  const parse = (given: string) => entries(given).map(toEntry);
  return { env, fallback, shown: fallback.join(', '), valid: `list of ${entry}`, help, parse };
}

function waits(env: string, fallbackSeconds: number[], help: string): Setting<number[]> {
  const toMs = (seconds: number) => seconds * 1000;
  const parse = (given: string) => entries(given).map((wait) => toMs(wholeNumber(wait, 1, 31_536_000)));
  return { env, fallback: fallbackSeconds.map(toMs), shown: fallbackSeconds.join(', '), valid: 'list of seconds', help, parse };
}

/** A network address and the length of its prefix in bits. */
type AddressRange = ReturnType<typeof ipaddr.parseCIDR>;

function exactOrigin(entry: string): string {
  const { origin, protocol = '' } = URL.parse(entry) ?? {};
  if (origin === entry && /^https?:$/.test(protocol) && !entry.includes('*')) return entry;
  throw new Error(`use origins such as https://app.example.com or http://localhost:5173, without a path or *; not "${entry}".`);
}

function addressRange(entry: string): AddressRange {
  if (ipaddr.isValidCIDR(entry)) return ipaddr.parseCIDR(entry);
  if (!ipaddr.IPv6.isValid(entry) && !ipaddr.IPv4.isValidFourPartDecimal(entry))
    throw new Error(`use addresses and CIDR ranges such as 10.0.0.7, 10.0.0.0/8, fd00::/8; not "${entry}".`);
  const address = ipaddr.process(entry);
  return [address, address.kind() === 'ipv4' ? 32 : 128];
}

function nameServer(entry: string): string {
  new Resolver().setServers([entry]);
  return entry;
}

function entries(text: string): string[] {
  return text.split(/[\s,]+/).filter(Boolean);
}

function folder(env: string, fallback: string, help: string): Setting<string> {
  const shown = fallback.replace(homedir(), '~');
  return { env, fallback: resolve(fallback), shown, valid: 'folder', help, parse: (given) => resolve(given) };
}

function readableFolder(env: string, help: string): Setting<string> {
  const parse = (given: string) => {
    try {
      readdirSync(given);
    } catch {
      throw new Error('use an existing folder that this user may read.');
    }
    return resolve(given);
  };
  return { env, fallback: '', shown: '', valid: 'folder', help, parse };
}

/** The value is `size` times the number that is given. */
function whole(
  env: string,
  fallback: number,
  [min, max]: readonly [number, number],
  help: string,
  { name, size } = { name: 'whole number', size: 1 },
): Setting<number> {
  const valid = `${name}, ${min.toLocaleString('en')} to ${max.toLocaleString('en')}`;
  const parse = (given: string) => wholeNumber(given, min, max) * size;
  return { env, fallback: fallback * size, shown: String(fallback), valid, help, parse };
}

function seconds(env: string, fallback: number, help: string): Setting<number> {
  return whole(env, fallback, [1, MAX_TIMER_SECONDS], help, { name: 'seconds', size: 1_000 });
}

function megabytes(env: string, fallback: number, help: string, min = 64): Setting<number> {
  return whole(env, fallback, [min, 1_048_576], help, { name: 'megabytes (1,048,576 bytes)', size: 1_048_576 });
}

function choice<const V extends string>(env: string, fallback: NoInfer<V>, values: readonly V[], help: string): Setting<V> {
  const parse = (given: string) => {
    const value = values.find((v) => v === given);
    if (!value) throw new Error(`use one of ${values.join(', ')}.`);
    return value;
  };
  return { env, fallback, shown: String(fallback), valid: values.map((v) => `\`${v}\``).join(', '), help, parse };
}

function wholeNumber(given: string, min: number, max: number): number {
  const value = Number(given);
  if (!/^\d+$/.test(given) || value < min || value > max) throw new Error(`use a whole number from ${min} to ${max}.`);
  return value;
}
