/** Signatures use the stored certificate unchanged, and fit into the reserved bytes. */
import { ContentInfo, SignedData } from 'pkijs';
import { expect, test } from 'vitest';
import { sign, signatureBytes } from '../../src/certificates/cms.ts';
import { Deadline } from '../../src/deadline.ts';
import { issue } from '../support/pki.ts';

const DIGEST = Buffer.alloc(32, 7);

async function signerOf(order: Parameters<typeof issue>[1], above: Buffer[] = []) {
  const { key, der } = await issue('Ada', order);
  return {
    facts: { keyType: order?.kind === 'RSA' ? 'RSA 2048' : 'EC P-256' } as never,
    key: key.export({ type: 'pkcs8', format: 'der' }),
    chain: [der, ...above],
  };
}

test.each(['RSA', 'EC'] as const)(
  'signs with the key type %s so that a verifier finds the digest and the certificate',
  async (kind) => {
    using deadline = new Deadline(60_000);
    const { signature } = await sign(await signerOf({ kind }), DIGEST, undefined, { owner: 'a', deadline });
    const signed = new SignedData({ schema: ContentInfo.fromBER(Uint8Array.from(signature)).content });
    expect(signed.certificates).toHaveLength(1);
    expect(signed.signerInfos[0]?.signedAttrs?.attributes).toHaveLength(3);
  },
);

test('does not parse certificates of issuers', async () => {
  using deadline = new Deadline(60_000);
  const above = Buffer.alloc(10_000, 0xff);
  const { signature } = await sign(await signerOf({}, [above]), DIGEST, undefined, { owner: 'a', deadline });
  expect(signature.includes(above)).toBe(true);
});

test('reserves enough bytes for a long issuer name, which occurs twice in the signature', async () => {
  using deadline = new Deadline(60_000);
  const signer = await signerOf({ issuerName: 'i'.repeat(8_000) });
  const { signature } = await sign(signer, DIGEST, undefined, { owner: 'a', deadline });
  expect(signature.length).toBeGreaterThan(16_000);
  expect(signature.length).toBeLessThanOrEqual(signatureBytes(signer, false));
});
