/** Parses locations of data: the text of a setting in, a checked location out. Errors say what is valid and quote no secrets. */

export interface S3Location {
  bucket: string;
  /** The prefix of all object keys: empty, or ending with a slash. */
  prefix: string;
  /** The URL of the service; undefined for AWS. */
  endpoint: string | undefined;
  /** If undefined, the region comes from the environment or the profile, as for AWS tools. */
  region: string | undefined;
  /** Whether the bucket is part of the path or of the host name. */
  addressing: 'path' | 'virtual';
  /** Server-side encryption; undefined for the default of the bucket. */
  encryption: { algorithm: 'AES256' | 'aws:kms'; kmsKeyId: string | undefined } | undefined;
}

const EXAMPLE = 's3://bucket/prefix?endpoint=https://s3.example.com&region=eu-central-1';
const PARAMETERS = ['endpoint', 'region', 'addressing', 'sse', 'sse_kms_key_id'];
/** https://docs.aws.amazon.com/AmazonS3/latest/userguide/bucketnamingrules.html */
const BUCKET = /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/;
/** Characters that need no escaping in any service. */
const PREFIX = /^[A-Za-z0-9._-]+(\/[A-Za-z0-9._-]+)*$/;

/** Throws an Error that says what is valid. */
export function parseS3Location(text: string): S3Location {
  const url = URL.parse(text);
  if (url?.protocol !== 's3:') throw new Error(`use a URL such as ${EXAMPLE}.`);
  if (url.username || url.password)
    throw new Error('put no credentials into the URL; they are read as by AWS tools, for example from AWS_ACCESS_KEY_ID.');
  const parameters = url.searchParams;
  const unknown = [...parameters.keys()].find((name) => !PARAMETERS.includes(name));
  if (unknown !== undefined) throw new Error(`there is no parameter ${unknown}; use ${PARAMETERS.join(', ')}.`);
  const endpoint = parseEndpoint(parameters.get('endpoint'));
  return {
    bucket: requireMatch(url.host, BUCKET, 'the bucket must have 3 to 63 lower-case letters, digits, dots and hyphens.'),
    prefix: parsePrefix(url.pathname),
    endpoint,
    region: parameters.get('region') || (endpoint && 'us-east-1') || undefined,
    addressing: parseAddressing(parameters.get('addressing') ?? (endpoint ? 'path' : 'virtual')),
    encryption: parseEncryption(parameters.get('sse'), parameters.get('sse_kms_key_id')),
  };
}

function parseEndpoint(text: string | null): string | undefined {
  if (text === null) return undefined;
  const url = URL.parse(text);
  const isPlain = url && /^https?:$/.test(url.protocol) && !url.username && !url.password && !url.search && !url.hash;
  if (!isPlain) throw new Error('endpoint must be a URL such as https://s3.example.com, without a user or a query.');
  return text;
}

function parsePrefix(pathname: string): string {
  const prefix = pathname.replace(/^\/|\/$/g, '');
  if (!prefix) return '';
  const problem = 'the prefix consists of letters, digits, dots, hyphens and underscores, in parts separated by single slashes.';
  return `${requireMatch(prefix, PREFIX, problem)}/`;
}

function parseAddressing(text: string): S3Location['addressing'] {
  if (text !== 'path' && text !== 'virtual') throw new Error('addressing must be path or virtual.');
  return text;
}

function parseEncryption(algorithm: string | null, kmsKeyId: string | null): S3Location['encryption'] {
  if (kmsKeyId !== null && algorithm !== 'aws:kms') throw new Error('sse_kms_key_id needs sse=aws:kms.');
  if (algorithm === null) return undefined;
  if (algorithm !== 'AES256' && algorithm !== 'aws:kms') throw new Error('sse must be AES256 or aws:kms.');
  return { algorithm, kmsKeyId: kmsKeyId ?? undefined };
}

function requireMatch(text: string, pattern: RegExp, problem: string): string {
  if (!pattern.test(text)) throw new Error(problem);
  return text;
}

/** As libpq names them, with `no-verify` of the driver. */
const SSL_MODES = ['disable', 'prefer', 'require', 'verify-ca', 'verify-full', 'no-verify'];

/** Throws an Error that says what is valid. The driver takes other parameters as they are. */
export function checkDatabaseUrl(text: string): void {
  const url = URL.parse(text) ?? socketUrl(text);
  if (!url || !['postgres:', 'postgresql:'].includes(url.protocol) || url.pathname.length < 2)
    throw new Error('use a URL such as postgres://user:password@host:5432/database?sslmode=verify-full.');
  const sslMode = url.searchParams.get('sslmode');
  if (sslMode !== null && !SSL_MODES.includes(sslMode)) throw new Error(`sslmode must be one of ${SSL_MODES.join(', ')}.`);
}

/** A URL without a host, such as `postgres://user@/database?host=/run/postgresql`, which the driver understands. */
function socketUrl(text: string): URL | null {
  const url = URL.parse(text.replace('@/', '@socket/'));
  return url?.searchParams.get('host')?.startsWith('/') ? url : null;
}
