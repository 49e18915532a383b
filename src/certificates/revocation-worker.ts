/** The process that reads certificates and what is said of their revocation: bytes from outside in, facts out. */
import { X509Certificate } from 'node:crypto';
import { Certificate, CRLDistributionPoints, type Extension, type GeneralName, InfoAccess, OCSPRequest } from 'pkijs';
import { serveTasks } from '../queue/serve-tasks.ts';
import { type Answer, readList, readOcsp, type Statement } from './revocation-answers.ts';

export type RevocationTask = { what: 'describe'; certificates: Uint8Array[] } | ({ what: 'ocsp' | 'list' } & Statement);

/** What a certificate says of where to ask about it. */
export interface Described {
  /** Signed by its own key: nobody can revoke it. */
  isRoot: boolean;
  /** Which of the certificates has signed it. */
  issuer: number | undefined;
  /** Addresses of OCSP, of lists of revoked certificates, and of the certificate of its issuer. */
  ocsp: string[];
  lists: string[];
  issuers: string[];
  /** Of a responder of OCSP that is not to be asked about. */
  isExempt: boolean;
  /** In DER, for its issuer. */
  request: Uint8Array | undefined;
}

const AUTHORITY_INFORMATION = '1.3.6.1.5.5.7.1.1';
const LIST_ADDRESSES = '2.5.29.31';
const NO_CHECK = '1.3.6.1.5.5.7.48.1.5';
const [OCSP, ISSUER] = ['1.3.6.1.5.5.7.48.1', '1.3.6.1.5.5.7.48.2'];
const URI = 6;
const MAX_ADDRESSES = 3;
const MAX_ADDRESS_LENGTH = 2_048;

serveTasks(work, () => ({ unreadable: true }));

function work(task: RevocationTask): Promise<Described[] | Answer> {
  if (task.what === 'describe') return describe(task.certificates.map((bytes) => Buffer.from(bytes)));
  return task.what === 'ocsp' ? readOcsp(task) : readList(task);
}

async function describe(certificates: Buffer[]): Promise<Described[]> {
  const read = certificates.map((bytes) => new X509Certificate(bytes));
  return Promise.all(
    certificates.map(async (bytes, index) => {
      const own = read[index] as X509Certificate;
      const isRoot = isIssuedBy(own, own);
      const found = read.findIndex((other) => other !== own && isIssuedBy(own, other));
      const issuer = isRoot || found < 0 ? undefined : found;
      const above = issuer === undefined ? undefined : certificates[issuer];
      return { isRoot, issuer, ...addressesOf(bytes), request: above && (await requestOf(bytes, above)) };
    }),
  );
}

function isIssuedBy(certificate: X509Certificate, issuer: X509Certificate): boolean {
  return certificate.checkIssued(issuer) && certificate.verify(issuer.publicKey);
}

function addressesOf(bytes: Buffer): Pick<Described, 'ocsp' | 'lists' | 'issuers' | 'isExempt'> {
  const { extensions = [] } = Certificate.fromBER(Uint8Array.from(bytes));
  const extension = (id: string) => extensions.find(({ extnID }: Extension) => extnID === id)?.parsedValue as unknown;
  const information = extension(AUTHORITY_INFORMATION);
  const descriptions = information instanceof InfoAccess ? information.accessDescriptions : [];
  const described = (method: string) =>
    addresses(descriptions.filter(({ accessMethod }) => accessMethod === method).map(({ accessLocation }) => accessLocation));
  const points = extension(LIST_ADDRESSES);
  // A point for some reasons only, or signed by somebody else, tells less than whether the certificate is revoked.
  const whole = (points instanceof CRLDistributionPoints ? points.distributionPoints : []).filter(
    ({ reasons, cRLIssuer }) => !reasons && !cRLIssuer?.length,
  );
  const lists = addresses(whole.flatMap(({ distributionPoint: names }) => (Array.isArray(names) ? names : [])));
  const isExempt = extensions.some(({ extnID }) => extnID === NO_CHECK);
  return { ocsp: described(OCSP), lists, issuers: described(ISSUER), isExempt };
}

function addresses(names: GeneralName[]): string[] {
  const texts = names.filter(({ type }) => type === URI).map(({ value }) => String(value));
  return texts
    .filter((text) => text.length <= MAX_ADDRESS_LENGTH && /^https?:/i.test(text) && URL.canParse(text))
    .slice(0, MAX_ADDRESSES);
}

/** With SHA-1, which every responder knows (RFC 5019, 2.1.1); it is a name here, and protects nothing. */
async function requestOf(certificate: Buffer, issuer: Buffer): Promise<Uint8Array> {
  const request = new OCSPRequest();
  const issuerCertificate = Certificate.fromBER(Uint8Array.from(issuer));
  await request.createForCertificate(Certificate.fromBER(Uint8Array.from(certificate)), {
    hashAlgorithm: 'SHA-1',
    issuerCertificate,
  });
  return new Uint8Array(request.toSchema(true).toBER());
}
