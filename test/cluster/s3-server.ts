/** Starts an S3 server (versitygw) on a temporary folder, with buckets with and without versioning. */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CreateBucketCommand, PutBucketVersioningCommand, S3Client } from '@aws-sdk/client-s3';
import { freePort } from '../support/free-port.ts';
import { end, eventually } from '../support/service.ts';

/** The credentials in the environment variables that AWS tools read. */
export const S3_CREDENTIALS = { AWS_ACCESS_KEY_ID: 'platen', AWS_SECRET_ACCESS_KEY: 'not-a-secret-of-anybody' };

/** The bucket in a request is the part of the host name before this. */
export const S3_DOMAIN = 's3.localhost';

export interface S3Server {
  client: S3Client;
  endpoint: string;
  child: ChildProcess;
  /** Returns the value for `PLATEN_BLOBS_URL`. */
  urlOf(bucket: string, prefix?: string): string;
  /** The same with the bucket in the host name, for a process in which `*.s3.localhost` leads to this machine. */
  virtualUrlOf(bucket: string, prefix?: string): string;
  createBucket(options?: { versions: boolean }): Promise<string>;
  /** Lists every stored file below `folder`, including versions and parts. */
  files(): Promise<string[]>;
  folder: string;
  /** Stops at once, without closing connections in an orderly way. */
  kill(): Promise<unknown>;
  start(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

export async function startS3(): Promise<S3Server> {
  const folder = await mkdtemp(join(tmpdir(), 'platen-s3-'));
  const [objects, versions] = [join(folder, 'objects'), join(folder, 'versions')];
  await Promise.all([mkdir(objects), mkdir(versions)]);
  const port = await freePort();
  const address = `127.0.0.1:${port}`;
  const options = ['--quiet', '--keep-alive', '--port', address, '--virtual-domain', S3_DOMAIN];
  const launch = () =>
    spawn('versitygw', [...options, 'posix', '--versioning-dir', versions, objects], {
      env: {
        PATH: process.env.PATH,
        ROOT_ACCESS_KEY_ID: S3_CREDENTIALS.AWS_ACCESS_KEY_ID,
        ROOT_SECRET_ACCESS_KEY: S3_CREDENTIALS.AWS_SECRET_ACCESS_KEY,
      },
      stdio: ['ignore', 'ignore', 'inherit'],
    });
  const endpoint = `http://${address}`;
  const answers = () =>
    fetch(endpoint).then(
      () => true,
      () => false,
    );
  let child = launch();
  await eventually('the S3 server answers', answers);
  const credentials = {
    accessKeyId: S3_CREDENTIALS.AWS_ACCESS_KEY_ID,
    secretAccessKey: S3_CREDENTIALS.AWS_SECRET_ACCESS_KEY,
  };
  const client = new S3Client({ endpoint, region: 'us-east-1', forcePathStyle: true, credentials });
  let buckets = 0;
  return {
    client,
    endpoint,
    get child() {
      return child;
    },
    folder,
    kill: () => end(child, 'SIGKILL'),
    async start() {
      child = launch();
      await eventually('the S3 server answers', answers);
    },
    virtualUrlOf: (bucket, prefix = '') => `s3://${bucket}/${prefix}?endpoint=http://${S3_DOMAIN}:${port}&addressing=virtual`,
    urlOf: (bucket, prefix = '') => `s3://${bucket}/${prefix}?endpoint=${encodeURIComponent(endpoint)}`,
    async createBucket(options = { versions: false }) {
      const Bucket = `bucket-${++buckets}`;
      await client.send(new CreateBucketCommand({ Bucket }));
      const VersioningConfiguration = { Status: 'Enabled' } as const;
      if (options.versions) await client.send(new PutBucketVersioningCommand({ Bucket, VersioningConfiguration }));
      return Bucket;
    },
    async files() {
      const entries = await readdir(folder, { recursive: true, withFileTypes: true });
      return entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name));
    },
    async [Symbol.asyncDispose]() {
      client.destroy();
      await end(child, 'SIGTERM');
      await rm(folder, { recursive: true, force: true });
    },
  };
}
