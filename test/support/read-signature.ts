/** Verifies the signature of a PDF without code of the service: the PDF in, the signer and the results of the checks out. */
import { createHash, X509Certificate } from 'node:crypto';
import { ContentInfo, SignedData, type SignerInfo, TSTInfo } from 'pkijs';

export interface ReadSignature {
  /** Whether the signature covers all bytes except itself. */
  coversAll: boolean;
  /** Whether the signature matches these bytes and the key of its certificate. */
  isValid: boolean;
  subject: string;
  certificates: number;
  /** Object identifiers of the attributes. */
  signedAttributes: string[];
  unsignedAttributes: string[];
  /** Whether each time stamp covers this signature and has a valid signature of its own. */
  stampsFit: boolean;
  digestAlgorithm: string;
  dictionary: string;
}

const MESSAGE_DIGEST = '1.2.840.113549.1.9.4';
const TIME_STAMP = '1.2.840.113549.1.9.16.2.14';
const NAMES: Record<string, string> = {
  '2.16.840.1.101.3.4.2.1': 'sha256',
  '2.16.840.1.101.3.4.2.2': 'sha384',
  '2.16.840.1.101.3.4.2.3': 'sha512',
};

/** Throws unless there is exactly one signature. */
export async function readSignature(pdf: Buffer): Promise<ReadSignature> {
  const [only, ...more] = await readSignatures(pdf);
  if (!only || more.length) throw new Error(`the PDF has ${more.length + Number(Boolean(only))} signatures`);
  return only;
}

/** All signatures in their order. */
export async function readSignatures(pdf: Buffer): Promise<ReadSignature[]> {
  const text = pdf.toString('latin1');
  const ranges = [...text.matchAll(/\/ByteRange ?\[(\d+) (\d+) (\d+) (\d+) *\]/g)];
  return Promise.all(ranges.map((range) => readAt(pdf, text, range)));
}

async function readAt(pdf: Buffer, text: string, range: RegExpExecArray): Promise<ReadSignature> {
  const [from = 0, length = 0, second = 0, rest = 0] = range.slice(1).map(Number);
  const hole = text.slice(length, second);
  const der = Buffer.from(/^<([0-9a-f]*)>$/.exec(hole)?.[1] ?? '', 'hex');
  const signed = Buffer.concat([pdf.subarray(from, length), pdf.subarray(second, second + rest)]);
  const cms = new SignedData({ schema: ContentInfo.fromBER(Uint8Array.from(der)).content });
  const [signer] = cms.signerInfos;
  const [certificate] = cms.certificates ?? [];
  if (!signer || !certificate) throw new Error('the signature has no signer');
  const attributes = attributesOf(signer.signedAttrs);
  const stated = attributes.find(({ type }) => type === MESSAGE_DIGEST)?.values[0].valueBlock.valueHexView as Uint8Array;
  const digestAlgorithm = NAMES[signer.digestAlgorithm.algorithmId] ?? '';
  const isSame = createHash(digestAlgorithm).update(signed).digest().equals(Buffer.from(stated));
  const isSigned = await cms.verify({ signer: 0, data: Uint8Array.from(signed).buffer, checkChain: false }).catch(() => false);
  const unsigned = attributesOf(signer.unsignedAttrs);
  const stamps = unsigned.filter(({ type }) => type === TIME_STAMP);
  const start = text.lastIndexOf(' 0 obj\n', range.index);
  return {
    coversAll: from === 0 && second + rest === pdf.length && /^<[0-9a-f]+>$/.test(hole),
    isValid: isSame && isSigned,
    subject: new X509Certificate(Buffer.from(certificate.toSchema().toBER())).subject,
    certificates: cms.certificates?.length ?? 0,
    signedAttributes: attributes.map(({ type }) => type),
    unsignedAttributes: unsigned.map(({ type }) => type),
    stampsFit: (await Promise.all(stamps.map(({ values }) => stampFits(values[0], signer)))).every(Boolean),
    digestAlgorithm,
    dictionary: text.slice(start, range.index),
  };
}

function attributesOf(set: SignerInfo['signedAttrs']) {
  return set?.attributes ?? [];
}

async function stampFits(token: unknown, { signature }: SignerInfo): Promise<boolean> {
  const stamp = new SignedData({ schema: new ContentInfo({ schema: token as never }).content });
  const signed = Uint8Array.from(signature.valueBlock.valueHexView);
  const info = TSTInfo.fromBER(stamp.encapContentInfo.eContent?.getValue() ?? new ArrayBuffer(0));
  const imprint = Buffer.from(info.messageImprint.hashedMessage.valueBlock.valueHexView);
  const isValid = await stamp.verify({ signer: 0, data: signed.buffer, checkChain: false });
  return isValid && imprint.equals(createHash('sha256').update(signed).digest());
}
