/**
 * Serves the revocation status of certificates on loopback: OCSP, a revocation list and the issuer certificate, with
 * configurable faults.
 */
import { EventEmitter, once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import * as asn1js from 'asn1js';
import {
  BasicOCSPResponse,
  CertificateRevocationList,
  Extension,
  Extensions,
  OCSPRequest,
  OCSPResponse,
  ResponseBytes,
  ResponseData,
  RevokedCertificate,
  SingleResponse,
  Time,
} from 'pkijs';
import { LocalServer } from './local-server.ts';
import type { IssuedCertificate } from './pki.ts';

/** The faults it can have. */
export type RevocationFault =
  | 'revoked'
  | 'unknown'
  | 'status'
  | 'other'
  | 'old'
  | 'future'
  | 'ending'
  | 'signature'
  | 'part'
  | 'http'
  | 'redirect'
  | 'garbage'
  | 'endless'
  | 'silent';

const HOUR_MS = 3_600_000;
const BASIC = '1.3.6.1.5.5.7.48.1.1';
const DELTA = '2.5.29.27';

export class RevocationAuthority extends LocalServer {
  /** The fault for each request path. */
  readonly faults = new Map<string, RevocationFault>();
  /** The paths of all requests. */
  readonly requestedPaths: string[] = [];
  /** Serial numbers in its revocation list for the fault `revoked`. */
  readonly revoked: asn1js.Integer[] = [];
  /** The signer of OCSP responses. Default: the issuer. */
  responder: IssuedCertificate | undefined;
  #issuer: IssuedCertificate | undefined;
  readonly #requestEvents = new EventEmitter();
  readonly #lists = new Map<RevocationFault | undefined, Buffer>();

  static async start(): Promise<RevocationAuthority> {
    return await new RevocationAuthority().listen();
  }

  private constructor() {
    super(
      createServer(async (request, response) => {
        const query = await buffer(request);
        const path = request.url ?? '';
        this.requestedPaths.push(path);
        this.#requestEvents.emit('request');
        await this.#answer(path, query, response);
      }),
    );
  }

  /** The issuer of the certificates it knows. */
  set issuer(issuer: IssuedCertificate) {
    this.#issuer = issuer;
  }

  at(path: '/ocsp' | '/list' | '/issuer'): string {
    return `${this.origin}${path}`;
  }

  /** Resolves after this many requests. */
  async waitForRequests(times: number): Promise<void> {
    while (this.requestedPaths.length < times) await once(this.#requestEvents, 'request');
  }

  async #answer(path: string, query: Buffer, response: ServerResponse): Promise<void> {
    const fault = this.faults.get(path);
    const issuer = this.#issuer;
    if (fault === 'silent' || !issuer) return;
    if (fault === 'http') return void response.writeHead(500).end();
    if (fault === 'redirect') return void response.writeHead(302, { location: this.at('/list') }).end();
    if (fault === 'garbage') return void response.end('neither');
    if (fault === 'endless') return void response.end(Buffer.alloc(9_000_000));
    if (path === '/issuer') return void response.end(issuer.der);
    const signer = this.responder ?? issuer;
    response.end(path === '/list' ? await this.#list(issuer, fault) : await this.#byOcsp(query, signer, fault));
  }

  async #byOcsp(query: Buffer, signer: IssuedCertificate, fault: RevocationFault | undefined): Promise<Buffer> {
    const [request] = OCSPRequest.fromBER(Uint8Array.from(query)).tbsRequest.requestList;
    if (!request) throw new Error('the OCSP request is empty');
    if (fault === 'status') return toBytes(new OCSPResponse({ responseStatus: new asn1js.Enumerated({ value: 3 }) }));
    const certID = request.reqCert;
    if (fault === 'other') certID.serialNumber = new asn1js.Integer({ value: 7 });
    const { thisUpdate, nextUpdate } = timesOf(fault);
    const single = new SingleResponse({ certID, certStatus: statusOf(fault), thisUpdate, nextUpdate });
    const data = new ResponseData({ responderID: signer.certificate.subject, producedAt: thisUpdate, responses: [single] });
    const certs = this.responder ? [this.responder.certificate] : [];
    const basic = new BasicOCSPResponse({ tbsResponseData: data, ...(certs.length && { certs }) });
    await basic.sign(signer.cryptoKey as never, 'SHA-256');
    if (fault === 'signature') basic.signature = new asn1js.BitString({ valueHex: new ArrayBuffer(64) });
    const octets = new asn1js.OctetString({ valueHex: Uint8Array.from(toBytes(basic)).buffer });
    return toBytes(
      new OCSPResponse({
        responseStatus: new asn1js.Enumerated({ value: 0 }),
        responseBytes: new ResponseBytes({ responseType: BASIC, response: octets }),
      }),
    );
  }

  /** Returns the same list each time. */
  async #list(issuer: IssuedCertificate, fault: RevocationFault | undefined): Promise<Buffer> {
    const list = this.#lists.get(fault) ?? (await this.#newList(issuer, fault));
    this.#lists.set(fault, list);
    return list;
  }

  async #newList(issuer: IssuedCertificate, fault: RevocationFault | undefined): Promise<Buffer> {
    const { thisUpdate, nextUpdate } = timesOf(fault);
    const list = new CertificateRevocationList({
      version: 1,
      issuer: issuer.certificate.subject,
      thisUpdate: new Time({ type: 0, value: thisUpdate }),
      nextUpdate: new Time({ type: 0, value: nextUpdate }),
    });
    const revoked = fault === 'revoked' ? this.revoked : [new asn1js.Integer({ value: 99 })];
    list.revokedCertificates = revoked.map(
      (userCertificate) => new RevokedCertificate({ userCertificate, revocationDate: new Time({ type: 0, value: thisUpdate }) }),
    );
    if (fault === 'part') {
      const delta = new Extension({ extnID: DELTA, critical: true, extnValue: new asn1js.Integer({ value: 1 }).toBER() });
      list.crlExtensions = new Extensions({ extensions: [delta] });
    }
    await list.sign(issuer.cryptoKey as never, 'SHA-256');
    if (fault === 'signature') list.signatureValue = new asn1js.BitString({ valueHex: new ArrayBuffer(64) });
    return toBytes(list, true);
  }
}

function timesOf(fault: RevocationFault | undefined): { thisUpdate: Date; nextUpdate: Date } {
  const shift = fault === 'old' ? -48 : fault === 'future' ? 48 : 0;
  const at = (hours: number) => new Date(Math.floor((Date.now() + (hours + shift) * HOUR_MS) / 1_000) * 1_000);
  return { thisUpdate: at(-1), nextUpdate: at(fault === 'ending' ? 0 : 1) };
}

/** Encodes good, revoked or unknown (RFC 6960, 4.2.1). */
function statusOf(fault: RevocationFault | undefined): asn1js.BaseBlock {
  const idBlock = { tagClass: 3, tagNumber: fault === 'revoked' ? 1 : fault === 'unknown' ? 2 : 0 };
  if (fault !== 'revoked') return new asn1js.Primitive({ idBlock, lenBlock: { length: 1 } } as never);
  return new asn1js.Constructed({
    idBlock,
    value: [new asn1js.GeneralizedTime({ valueDate: new Date('2026-01-02T03:04:05Z') })],
  });
}

function toBytes(value: { toSchema(encode?: boolean): { toBER(): ArrayBuffer } }, encode?: boolean): Buffer {
  return Buffer.from(value.toSchema(encode).toBER());
}
