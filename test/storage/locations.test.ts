/** The settings for the URL of a database and of a bucket: valid values, and errors for invalid ones. */
import { describe, expect, test } from 'vitest';
import { loadConfig } from '../../src/config.ts';
import { ConfigError } from '../../src/errors.ts';
import { checkDatabaseUrl, parseS3Location } from '../../src/storage/locations.ts';

describe('the setting of a database', () => {
  test.each(['postgres://platen:hunter2@db/platen?sslmode=require', 'postgresql:///platen?host=/run/postgresql'])(
    'accepts %s',
    (url) => {
      expect(loadConfig({ PLATEN_DATABASE_URL: url }).services.storage.databaseUrl).toBe(url);
    },
  );

  test.each(['mysql://root:hunter2@db/platen', 'postgres://platen:hunter2@db', 'db:hunter2'])('rejects %s', (url) => {
    const load = () => loadConfig({ PLATEN_DATABASE_URL: url });
    expect(load).toThrow('PLATEN_DATABASE_URL: use a URL such as');
    expect(load).not.toThrow('hunter2');
  });
});

describe('the setting of a bucket', () => {
  test('accepts all parameters', () => {
    const text =
      's3://papers/a/b?endpoint=https://s3.example.com:9000&region=eu-west-1&addressing=virtual&sse=aws:kms&sse_kms_key_id=k1';
    expect(parseS3Location(text)).toEqual({
      bucket: 'papers',
      prefix: 'a/b/',
      endpoint: 'https://s3.example.com:9000',
      region: 'eu-west-1',
      addressing: 'virtual',
      encryption: { algorithm: 'aws:kms', kmsKeyId: 'k1' },
    });
  });

  test('accepts only the bucket, or the bucket with an endpoint', () => {
    const plain = { bucket: 'papers', prefix: '', encryption: undefined };
    expect(parseS3Location('s3://papers')).toEqual({ ...plain, endpoint: undefined, region: undefined, addressing: 'virtual' });
    const local = { endpoint: 'http://127.0.0.1:7070', region: 'us-east-1', addressing: 'path' };
    expect(parseS3Location('s3://papers/?endpoint=http%3A%2F%2F127.0.0.1%3A7070')).toEqual({ ...plain, ...local });
  });

  test.each([
    ['papers', 'use a URL such as'],
    ['https://papers', 'use a URL such as'],
    ['s3://', 'the bucket must have'],
    ['s3://Pa_pers', 'the bucket must have'],
    ['s3://papers//a', 'the prefix consists of'],
    ['s3://papers/a b', 'the prefix consists of'],
    ['s3://id:secret@papers', 'put no credentials'],
    ['s3://papers?endpont=https://x', 'there is no parameter endpont'],
    ['s3://papers?endpoint=s3.example.com', 'endpoint must be a URL'],
    ['s3://papers?endpoint=https://user:secret@x', 'endpoint must be a URL'],
    ['s3://papers?addressing=dns', 'addressing must be'],
    ['s3://papers?sse=aes', 'sse must be'],
    ['s3://papers?sse_kms_key_id=k', 'sse_kms_key_id needs'],
  ])('rejects %s', (text, problem) => {
    expect(() => parseS3Location(text)).toThrow(problem);
  });

  test('is not quoted in errors, as it may contain a secret', () => {
    const load = () => loadConfig({ PLATEN_BLOBS_URL: 's3://id:hunter2@papers' });
    expect(load).toThrow(ConfigError);
    expect(load).toThrow('PLATEN_BLOBS_URL: put no credentials');
    expect(load).not.toThrow('hunter2');
  });
});

describe('the URL of a database', () => {
  test.each([
    'postgres://platen@db.example.com/platen?sslmode=verify-full',
    'postgresql://platen:%40%2F%3A@[::1]:5432/platen',
    'postgres://platen@/platen?host=/run/postgresql',
    'postgres://platen@%2Frun%2Fpostgresql/platen',
  ])('may be %s', (text) => {
    expect(() => checkDatabaseUrl(text)).not.toThrow();
  });

  test.each([
    ['db.example.com/platen', 'use a URL such as'],
    ['postgres://db.example.com', 'use a URL such as'],
    ['postgres://platen:p@/word@db.example.com/platen', 'use a URL such as'],
    ['postgres://platen@/platen', 'use a URL such as'],
    ['postgres://db.example.com/platen?sslmode=verify', 'sslmode must be one of'],
  ])('rejects %s', (text, problem) => {
    expect(() => checkDatabaseUrl(text)).toThrow(problem);
  });
});
