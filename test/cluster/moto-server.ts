/** A server that speaks S3 (moto) and says how each object is encrypted, which versitygw does not. It keeps content in memory. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3';
import { freePort } from '../support/free-port.ts';
import { eventually } from '../support/service.ts';

interface MotoServer {
  client: S3Client;
  endpoint: string;
  createBucket(): Promise<string>;
  [Symbol.asyncDispose](): Promise<void>;
}

export async function startMoto(): Promise<MotoServer> {
  const port = await freePort();
  const endpoint = `http://127.0.0.1:${port}`;
  const child = spawn('moto_server', ['-H', '127.0.0.1', '-p', `${port}`], { stdio: 'ignore' });
  await once(child, 'spawn');
  await eventually('moto answers', () =>
    fetch(endpoint).then(
      () => true,
      () => false,
    ),
  );
  const client = new S3Client({ endpoint, region: 'us-east-1', forcePathStyle: true });
  return {
    client,
    endpoint,
    async createBucket() {
      await client.send(new CreateBucketCommand({ Bucket: 'encrypted' }));
      return 'encrypted';
    },
    async [Symbol.asyncDispose]() {
      const ended = once(child, 'exit');
      client.destroy();
      child.kill('SIGKILL');
      await ended;
    },
  };
}
