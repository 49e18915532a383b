/** The process that reads certificates, OCSP responses and CRLs: untrusted bytes in, facts out. */
import { X509Certificate } from 'node:crypto';
import { CRLDistributionPoints, type Extension, type GeneralName, InfoAccess, OCSPRequest } from 'pkijs';
import { serveTasks } from '../queue/serve-tasks.ts';
import { parseCertificate, type RevocationStatus, readCrl, readOcspResponse, type StatusResponse } from './revocation-status.ts';

export type RevocationTask = { what: 'sources'; certificates: Uint8Array[] } | ({ what: 'ocsp' | 'crl' } & StatusResponse);

/** Where to ask for the revocation status of a certificate, according to its extensions. */
export interface StatusSources {
  /** Whether it is self-signed, so that it cannot be revoked. */
  isRoot: boolean;
  /** The index of the certificate that signed it; undefined for a root, and if the issuer is missing. */
  issuer: number | undefined;
  /** URLs of OCSP responders, of CRLs, and of the issuer's certificate. */
  ocsp: string[];
  crls: string[];
  issuers: string[];
  /** Whether it belongs to an OCSP responder whose revocation is not checked (`id-pkix-ocsp-nocheck`). */
  isExempt: boolean;
  /** An OCSP request in DER; undefined if the issuer is missing. */
  request: Uint8Array | undefined;
}

const AUTHORITY_INFORMATION_ACCESS = '1.3.6.1.5.5.7.1.1';
const CRL_DISTRIBUTION_POINTS = '2.5.29.31';
const OCSP_NO_CHECK = '1.3.6.1.5.5.7.48.1.5';
const [OCSP, ISSUER] = ['1.3.6.1.5.5.7.48.1', '1.3.6.1.5.5.7.48.2'];
const URI = 6;
const MAX_ADDRESSES = 3;
const MAX_ADDRESS_LENGTH = 2_048;

serveTasks(work, () => ({ unreadable: true }));

function work(task: RevocationTask): Promise<StatusSources[] | RevocationStatus> {
  if (task.what === 'sources') return readSources(task.certificates.map((bytes) => Buffer.from(bytes)));
  return task.what === 'ocsp' ? readOcspResponse(task) : readCrl(task);
}

async function readSources(certificates: Buffer[]): Promise<StatusSources[]> {
  const read = certificates.map((bytes) => new X509Certificate(bytes));
  return Promise.all(
    certificates.map(async (bytes, index) => {
      const own = read[index] as X509Certificate;
      const isRoot = isIssuedBy(own, own);
      const found = read.findIndex((other) => other !== own && isIssuedBy(own, other));
      const issuer = isRoot || found < 0 ? undefined : found;
      const above = issuer === undefined ? undefined : certificates[issuer];
      return { isRoot, issuer, ...readAddresses(bytes), request: above && (await createRequest(bytes, above)) };
    }),
  );
}

function isIssuedBy(certificate: X509Certificate, issuer: X509Certificate): boolean {
  return certificate.checkIssued(issuer) && certificate.verify(issuer.publicKey);
}

function readAddresses(bytes: Buffer): Pick<StatusSources, 'ocsp' | 'crls' | 'issuers' | 'isExempt'> {
  const { extensions = [] } = parseCertificate(bytes);
  const extension = (id: string) => extensions.find(({ extnID }: Extension) => extnID === id)?.parsedValue as unknown;
  const information = extension(AUTHORITY_INFORMATION_ACCESS);
  const descriptions = information instanceof InfoAccess ? information.accessDescriptions : [];
  const withMethod = (method: string) =>
    addresses(descriptions.filter(({ accessMethod }) => accessMethod === method).map(({ accessLocation }) => accessLocation));
  const points = extension(CRL_DISTRIBUTION_POINTS);
  // A distribution point for some reasons only, or with another CRL issuer, does not give the complete status.
  const whole = (points instanceof CRLDistributionPoints ? points.distributionPoints : []).filter(
    ({ reasons, cRLIssuer }) => !reasons && !cRLIssuer?.length,
  );
  const crls = addresses(whole.flatMap(({ distributionPoint: names }) => (Array.isArray(names) ? names : [])));
  const isExempt = extensions.some(({ extnID }) => extnID === OCSP_NO_CHECK);
  return { ocsp: withMethod(OCSP), crls, issuers: withMethod(ISSUER), isExempt };
}

function addresses(names: GeneralName[]): string[] {
  const texts = names.filter(({ type }) => type === URI).map(({ value }) => String(value));
  return texts
    .filter((text) => text.length <= MAX_ADDRESS_LENGTH && /^https?:/i.test(text) && URL.canParse(text))
    .slice(0, MAX_ADDRESSES);
}

/**
 * Uses SHA-1, because responders may support nothing else: RFC 5019 requires it (https://www.rfc-editor.org/rfc/rfc5019#section-2.1.1),
 * and its successor RFC 9919 recommends SHA-256. It only identifies the issuer, so its weakness does not matter.
 */
async function createRequest(certificate: Buffer, issuer: Buffer): Promise<Uint8Array> {
  const request = new OCSPRequest();
  const options = { hashAlgorithm: 'SHA-1', issuerCertificate: parseCertificate(issuer) };
  await request.createForCertificate(parseCertificate(certificate), options);
  return new Uint8Array(request.toSchema(true).toBER());
}
