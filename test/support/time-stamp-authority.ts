/** A time stamp authority (RFC 3161) on loopback that issues signed tokens, with configurable faults. */
import { createHash } from 'node:crypto';
import { createServer, type ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import * as asn1js from 'asn1js';
import {
  Attribute,
  ContentInfo,
  EncapsulatedContentInfo,
  IssuerAndSerialNumber,
  PKIStatusInfo,
  SignedAndUnsignedAttributes,
  SignedData,
  SignerInfo,
  TimeStampReq,
  TimeStampResp,
  TSTInfo,
} from 'pkijs';
import { LocalServer } from './local-server.ts';
import { type CertificateOptions, type IssuedCertificate, issue } from './pki.ts';

/** The faults an authority can have. */
export type Fault =
  | 'imprint'
  | 'nonce'
  | 'status'
  | 'signature'
  | 'http'
  | 'garbage'
  | 'endless'
  | 'silent'
  | 'usage'
  | 'expired'
  | 'clock';

const [TST_INFO, SIGNED_DATA] = ['1.2.840.113549.1.9.16.1.4', '1.2.840.113549.1.7.2'];

export class TimeStampAuthority extends LocalServer {
  fault: Fault | undefined;
  /** The headers of the received requests. */
  readonly requests: Array<Record<string, unknown>> = [];
  /** Is called for each request. */
  onRequest = () => {};
  readonly #signers: Record<'valid' | 'usage' | 'expired', IssuedCertificate>;

  /** `certificate` overrides options of the certificate that the authority signs with. */
  static async start(issuer: IssuedCertificate, certificate: CertificateOptions = {}): Promise<TimeStampAuthority> {
    const options = { ...certificate, issuer, signsTimeStamps: true, keyUsage: 0b1100_0000 };
    return await new TimeStampAuthority({
      valid: await issue('Test TSA', { ...options, kind: 'RSA' }),
      usage: await issue('Test TSA for anything', { ...options, signsTimeStamps: false }),
      expired: await issue('Test TSA of yesterday', { ...options, notAfter: new Date(Date.now() - 1_000) }),
    }).listen();
  }

  private constructor(signers: Record<'valid' | 'usage' | 'expired', IssuedCertificate>) {
    super(
      createServer(async (request, response) => {
        const query = await buffer(request);
        this.requests.push(request.headers);
        this.onRequest();
        await this.#answer(query, response);
      }),
    );
    this.#signers = signers;
  }

  get #signer(): IssuedCertificate {
    return this.#signers[this.fault === 'usage' || this.fault === 'expired' ? this.fault : 'valid'];
  }

  get url(): string {
    return `${this.origin}/tsa`;
  }

  async #answer(query: Buffer, response: ServerResponse): Promise<void> {
    if (this.fault === 'silent') return;
    if (this.fault === 'http') return void response.writeHead(500).end();
    response.writeHead(200, { 'content-type': 'application/timestamp-reply' });
    if (this.fault === 'garbage') return void response.end('not a time stamp');
    if (this.fault === 'endless') return pour(response);
    response.end(await this.#stamp(TimeStampReq.fromBER(Uint8Array.from(query))));
  }

  async #stamp({ messageImprint, nonce }: TimeStampReq): Promise<Buffer> {
    if (this.fault === 'status') return toBytes(new TimeStampResp({ status: new PKIStatusInfo({ status: 2 }) }));
    if (this.fault === 'imprint') messageImprint.hashedMessage = new asn1js.OctetString({ valueHex: new ArrayBuffer(32) });
    const info = new TSTInfo({
      version: 1,
      policy: '1.3.6.1.4.1.55555.1',
      messageImprint,
      serialNumber: new asn1js.Integer({ value: this.requests.length }),
      genTime: new Date(Date.now() - (this.fault === 'clock' ? 600_000 : 0)),
      ...(nonce && { nonce: this.fault === 'nonce' ? new asn1js.Integer({ value: 7 }) : nonce }),
    });
    const content = toBytes(info);
    const encapContentInfo = new EncapsulatedContentInfo({ eContentType: TST_INFO });
    encapContentInfo.eContent = new asn1js.OctetString({ valueHex: Uint8Array.from(content).buffer }); // as a single segment
    const signed = new SignedData({
      version: 3,
      encapContentInfo,
      certificates: [this.#signer.certificate],
      signerInfos: [this.#signerInfo(content)],
    });
    await signed.sign(this.#signer.cryptoKey, 0, 'SHA-256');
    const [signer] = signed.signerInfos;
    if (this.fault === 'signature' && signer)
      signer.signature = new asn1js.OctetString({ valueHex: Uint8Array.from({ length: 256 }, () => 7).buffer });
    const token = new ContentInfo({ contentType: SIGNED_DATA, content: signed.toSchema(true) });
    return toBytes(new TimeStampResp({ status: new PKIStatusInfo({ status: 0 }), timeStampToken: token }));
  }

  #signerInfo(content: Buffer): SignerInfo {
    const { certificate, der } = this.#signer;
    const hash = (bytes: Uint8Array) =>
      new asn1js.OctetString({ valueHex: Uint8Array.from(createHash('sha256').update(bytes).digest()).buffer });
    const sequence = (...value: asn1js.BaseBlock[]) => new asn1js.Sequence({ value });
    const attributes = [
      new Attribute({ type: '1.2.840.113549.1.9.3', values: [new asn1js.ObjectIdentifier({ value: TST_INFO })] }),
      new Attribute({ type: '1.2.840.113549.1.9.4', values: [hash(content)] }),
      new Attribute({ type: '1.2.840.113549.1.9.16.2.47', values: [sequence(sequence(sequence(hash(der))))] }),
    ];
    return new SignerInfo({
      version: 1,
      sid: new IssuerAndSerialNumber({ issuer: certificate.issuer, serialNumber: certificate.serialNumber }),
      signedAttrs: new SignedAndUnsignedAttributes({ type: 0, attributes }),
    });
  }
}

function toBytes(value: { toSchema(): { toBER(): ArrayBuffer } }): Buffer {
  return Buffer.from(value.toSchema().toBER());
}

function pour(response: ServerResponse): void {
  const more = () => {
    while (response.write(Buffer.alloc(65_536)));
  };
  response.on('drain', more);
  more();
}
