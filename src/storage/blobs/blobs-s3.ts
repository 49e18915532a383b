/** Stores blobs as objects in an S3 bucket, named `prefix/doc_Ab...`. Spooled content is kept on the local disk. */
import { mkdir } from 'node:fs/promises';
import { PassThrough, Readable } from 'node:stream';
import {
  AbortMultipartUploadCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListMultipartUploadsCommand,
  ListObjectVersionsCommand,
  type MultipartUpload,
  PutObjectCommand,
  type PutObjectCommandInput,
  paginateListObjectsV2,
  S3Client,
} from '@aws-sdk/client-s3';
import { Upload } from '@aws-sdk/lib-storage';
import { type ServiceError, storageFailed } from '../../errors.ts';
import { removeFiles, spoolFile } from '../files.ts';
import type { S3Location } from '../locations.ts';
import type { Blobs, ByteRange } from './blobs.ts';

/** The object that records which installation owns the prefix. No blob can have this name. */
const MARKER = 'platen.json';
const NAME = /^[a-z]+_[0-9A-Za-z]+$/;
/** Larger objects are uploaded in parts of this size, of which `PARTS_AT_ONCE` are in memory at a time. */
const PART_BYTES = 8 * 1_048_576;
const PARTS_AT_ONCE = 2;
const ATTEMPTS = 3;
const CONNECT_MS = 5_000;
/** How long a successful check of the bucket is reused. */
const GOOD_MS = 5_000;
/** The timeout until a response begins, and between two chunks of it. */
const ANSWER_MS = 30_000;
/** Maximum number of requests to list or remove versions. More would mean that another process keeps writing. */
const MAX_ROUNDS = 100;

export class S3Blobs implements Blobs {
  readonly isShared = true;
  readonly #client: S3Client;
  readonly #location: S3Location;
  readonly #spoolFolder: string;
  #checking: Promise<void> | undefined;
  #goodUntil = 0;

  private constructor(location: S3Location, spoolFolder: string) {
    this.#client = connect(location);
    this.#location = location;
    this.#spoolFolder = spoolFolder;
  }

  /**
   * Throws `storage_failed` if the bucket cannot be used, or if its prefix belongs to another installation: the sweep of each
   * installation would remove the blobs of the other.
   */
  static async open(location: S3Location, options: { installation: string; spoolFolder: string }): Promise<S3Blobs> {
    await mkdir(options.spoolFolder, { recursive: true, mode: 0o700 });
    const blobs = new S3Blobs(location, options.spoolFolder);
    try {
      await blobs.#claim(options.installation);
    } catch (error) {
      await blobs.close();
      throw error;
    }
    return blobs;
  }

  /** Whether an installation has marked the bucket or the prefix. Throws `storage_failed` if it cannot be read. */
  static async isUsed(location: S3Location): Promise<boolean> {
    const blobs = new S3Blobs(location, '');
    try {
      return (await blobs.#owner()) !== undefined;
    } finally {
      await blobs.close();
    }
  }

  async put(name: string, chunks: Iterable<Buffer> | AsyncIterable<Buffer>): Promise<void> {
    const object = { ...this.#object(name), ...this.#encryption() };
    const rest = Symbol.iterator in chunks ? chunks[Symbol.iterator]() : chunks[Symbol.asyncIterator]();
    try {
      const { isWhole, start } = await firstPart(rest);
      // Most content fits into one request without a stream.
      if (isWhole) await this.#client.send(new PutObjectCommand({ ...object, Body: Buffer.concat(start) }));
      else await this.#upload({ ...object, Body: Readable.from(joinChunks(start, rest), { objectMode: false }) });
    } catch (error) {
      await this.remove(name).catch(() => {}); // the object may exist anyway; if this fails, the sweep removes it later
      throw toStorageError(error);
    }
  }

  async #upload(params: PutObjectCommandInput): Promise<void> {
    await new Upload({ client: this.#client, params, partSize: PART_BYTES, queueSize: PARTS_AT_ONCE }).done();
  }

  async read(name: string, range?: ByteRange): Promise<Readable | undefined> {
    const part = range && { Range: `bytes=${range.start}-${range.end}` };
    try {
      const { Body } = await this.#client.send(new GetObjectCommand({ ...this.#object(name), ...part }));
      return guardBody(Body as Readable);
    } catch (error) {
      if (isMissing(error)) return undefined;
      throw toStorageError(error);
    }
  }

  async size(name: string): Promise<number | undefined> {
    try {
      return (await this.#client.send(new HeadObjectCommand(this.#object(name)))).ContentLength;
    } catch (error) {
      if (isMissing(error)) return undefined;
      throw toStorageError(error);
    }
  }

  spool(chunks: Iterable<Buffer>): Promise<Readable> {
    return spoolFile(this.#spoolFolder, chunks);
  }

  async remove(name: string): Promise<void> {
    const object = this.#object(name);
    try {
      const removed = await this.#client.send(new DeleteObjectCommand(object));
      const isVersioned = removed.DeleteMarker || removed.VersionId !== undefined;
      await (isVersioned ? this.#removeVersions(object) : this.#requireGone(object));
    } catch (error) {
      throw toStorageError(error);
    }
  }

  async *names(writtenBefore: number): AsyncIterable<string[]> {
    const { bucket: Bucket, prefix: Prefix } = this.#location;
    for await (const { Contents = [] } of paginateListObjectsV2({ client: this.#client }, { Bucket, Prefix, Delimiter: '/' })) {
      const old = Contents.filter(({ LastModified }) => LastModified && LastModified.getTime() < writtenBefore);
      const names = old.flatMap(({ Key = '' }) => this.#toName(Key) ?? []);
      if (names.length) yield names;
    }
  }

  async removeUnfinished(startedBefore: number): Promise<number> {
    let removed = await removeFiles(this.#spoolFolder, startedBefore);
    for (const { Key, UploadId, Initiated } of await this.#uploads()) {
      if (!Initiated || Initiated.getTime() >= startedBefore) continue;
      await this.#client.send(new AbortMultipartUploadCommand({ Bucket: this.#location.bucket, Key, UploadId }));
      removed++;
    }
    return removed;
  }

  async check(): Promise<void> {
    if (performance.now() < this.#goodUntil) return;
    this.#checking ??= this.#checkMarker().finally(() => {
      this.#checking = undefined;
    });
    await this.#checking;
  }

  async #checkMarker(): Promise<void> {
    const abortSignal = AbortSignal.timeout(CONNECT_MS);
    await this.#client.send(new HeadObjectCommand(this.#object(MARKER)), { abortSignal }).catch((error: unknown) => {
      throw isMissing(error)
        ? storageFailed('the bucket, or the object in it that marks this installation, does not exist any more')
        : toStorageError(error);
    });
    this.#goodUntil = performance.now() + GOOD_MS;
  }

  async close(): Promise<void> {
    this.#client.destroy();
  }

  /** The first start writes the marker of the installation; later starts must find the same one. */
  async #claim(installation: string): Promise<void> {
    const { bucket, prefix } = this.#location;
    const owner = (await this.#owner()) ?? (await this.#writeMarker(installation));
    if (owner === installation) return;
    const where = prefix ? `prefix ${prefix} of the bucket ${bucket}` : `bucket ${bucket}`;
    const remedy = 'give each installation (each database) its own bucket or prefix in PLATEN_BLOBS_URL';
    throw storageFailed(`the ${where} belongs to another installation of Platen; ${remedy}`);
  }

  async #owner(): Promise<string | undefined> {
    try {
      const { Body } = await this.#client.send(new GetObjectCommand(this.#object(MARKER)));
      const { installation } = JSON.parse((await Body?.transformToString()) ?? '{}') as { installation?: string };
      return installation ?? '';
    } catch (error) {
      if (isMissing(error)) return undefined;
      throw storageFailed(`the bucket ${this.#location.bucket} cannot be used`, error);
    }
  }

  /** Writes the marker unless there is one, and returns the owner in it. If several installations start at once, one wins. */
  async #writeMarker(installation: string): Promise<string | undefined> {
    const Body = JSON.stringify({ installation });
    try {
      await this.#client.send(new PutObjectCommand({ ...this.#object(MARKER), ...this.#encryption(), Body, IfNoneMatch: '*' }));
    } catch (error) {
      if (errorStatus(error) !== 412) throw storageFailed(`the bucket ${this.#location.bucket} cannot be written`, error);
    }
    return this.#owner();
  }

  #object(name: string): { Bucket: string; Key: string } {
    const { bucket, prefix } = this.#location;
    return { Bucket: bucket, Key: prefix + name };
  }

  /** The blob name of a key; undefined for objects that are not blobs. */
  #toName(key: string): string | undefined {
    const name = key.slice(this.#location.prefix.length);
    return NAME.test(name) ? name : undefined;
  }

  #encryption() {
    const { encryption } = this.#location;
    if (!encryption) return {};
    const { algorithm: ServerSideEncryption, kmsKeyId } = encryption;
    return { ServerSideEncryption, ...(kmsKeyId !== undefined && { SSEKMSKeyId: kmsKeyId }) };
  }

  /** Removes all versions of an object. In a bucket with versioning, a plain delete only hides it. */
  async #removeVersions({ Bucket, Key }: { Bucket: string; Key: string }): Promise<void> {
    for (let round = 0; round < MAX_ROUNDS; round++) {
      const listed = await this.#client.send(new ListObjectVersionsCommand({ Bucket, Prefix: Key }));
      const versions = [...(listed.Versions ?? []), ...(listed.DeleteMarkers ?? [])].filter((version) => version.Key === Key);
      if (!versions.length) return;
      for (const { VersionId } of versions) await this.#client.send(new DeleteObjectCommand({ Bucket, Key, VersionId }));
    }
    throw storageFailed('the storage still contains versions of removed content');
  }

  async #requireGone(object: { Bucket: string; Key: string }): Promise<void> {
    try {
      await this.#client.send(new HeadObjectCommand(object));
    } catch (error) {
      if (isMissing(error)) return;
      throw error;
    }
    throw storageFailed('the storage still contains removed content');
  }

  async #uploads(): Promise<MultipartUpload[]> {
    const { bucket: Bucket, prefix: Prefix } = this.#location;
    const uploads: MultipartUpload[] = [];
    let page = {};
    for (let round = 0; round < MAX_ROUNDS; round++) {
      const listed = await this.#client.send(new ListMultipartUploadsCommand({ Bucket, Prefix, ...page }));
      uploads.push(...(listed.Uploads ?? []).filter(({ Key = '' }) => this.#toName(Key) !== undefined));
      if (!listed.IsTruncated) break;
      page = { KeyMarker: listed.NextKeyMarker, UploadIdMarker: listed.NextUploadIdMarker };
    }
    return uploads;
  }
}

/** The client sends and verifies checksums. Slow readers hold connections, so the number of connections is not limited here. */
function connect({ endpoint, region, addressing }: S3Location): S3Client {
  const agent = { keepAlive: true, maxSockets: Number.POSITIVE_INFINITY };
  return new S3Client({
    ...(endpoint !== undefined && { endpoint }),
    ...(region !== undefined && { region }),
    forcePathStyle: addressing === 'path',
    maxAttempts: ATTEMPTS,
    requestHandler: {
      connectionTimeout: CONNECT_MS,
      requestTimeout: ANSWER_MS,
      throwOnRequestTimeout: true,
      httpAgent: agent,
      httpsAgent: agent,
    },
  });
}

type Chunks = Iterator<Buffer> | AsyncIterator<Buffer>;

/** Reads content up to the size of a part. `isWhole` tells whether that is all of it. */
async function firstPart(chunks: Chunks): Promise<{ isWhole: boolean; start: Buffer[] }> {
  const start: Buffer[] = [];
  for (let bytes = 0; bytes < PART_BYTES; ) {
    const { value, done } = await chunks.next();
    if (done) return { isWhole: true, start };
    start.push(value);
    bytes += value.byteLength;
  }
  return { isWhole: false, start };
}

async function* joinChunks(start: Buffer[], rest: Chunks): AsyncIterable<Buffer> {
  yield* start;
  for (let next = await rest.next(); !next.done; next = await rest.next()) yield next.value;
}

/** Ends a body that stops sending while a reader waits. Converts its errors to `storage_failed`. */
function guardBody(body: Readable): Readable {
  const content = new PassThrough();
  const timer = setTimeout(() => {
    if (content.readableLength) timer.refresh();
    else content.destroy(storageFailed('the storage of the service stopped sending'));
  }, ANSWER_MS).unref();
  body.on('data', () => timer.refresh());
  body.once('error', (error) => content.destroy(toStorageError(error)));
  content.once('close', () => {
    clearTimeout(timer);
    body.destroy();
  });
  return body.pipe(content);
}

function isMissing(error: unknown): boolean {
  return ['NoSuchKey', 'NotFound'].includes((error as Error).name);
}

function errorStatus(error: unknown): number | undefined {
  return (error as { $metadata?: { httpStatusCode?: number } }).$metadata?.httpStatusCode;
}

function toStorageError(error: unknown): ServiceError {
  return storageFailed('the storage of the service cannot be reached or refused the request', error);
}
