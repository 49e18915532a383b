/** `/v1/certificates`: stores certificates with their private keys for an API key. They sign PDFs of `POST /v1/pdf`. */
import type { FastifyInstance } from 'fastify';
import { Type } from 'typebox';
import { type CertificateDraft, MAX_CERTIFICATES, type StoredCertificate } from '../../certificates/certificates.ts';
import { option } from '../../render/request/schemas/option.ts';
import { decodeBase64 } from '../../render/request/values/base64.ts';
import { ValidationErrors } from '../../render/request/values/validation-errors.ts';
import { textErrors, validator } from '../../validate.ts';
import { PAGE_PARAMETERS, toIsoTime } from '../replies/records.ts';
import { type ById, idMembers, listSchema, pathId, recordSchema, TIME } from '../replies/response-schema.ts';
import { createOnce, IDEMPOTENCY_SCHEMA } from '../requests/idempotent.ts';
import { readPage, toList } from '../requests/listing.ts';
import { takeBody } from '../requests/request-memory.ts';
import { requirePrincipal } from '../server/authenticate.ts';
import { RATE_LIMITED } from '../server/rate-limit.ts';
import type { RouteServices } from './services.ts';

/** Characters of base64, which encode 96 KiB. A private key with its certificate chain takes less than a tenth of this. */
const MAX_PKCS12 = 131_072;

const CreateBody = Type.Object(
  {
    name: {
      ...Type.String({ minLength: 1, maxLength: 200 }),
      expected: 'a string of 1 to 200 characters',
      description: 'A name by which people recognize the certificate.',
      examples: ['invoices 2026'],
    },
    pkcs12: {
      ...Type.String({ minLength: 1, maxLength: MAX_PKCS12, contentEncoding: 'base64' }),
      expected: `base64 of at most ${MAX_PKCS12} characters`,
      description:
        'A PKCS#12 file (`.p12`, `.pfx`) with a private key and its certificate chain. RSA keys have 2,048 to 8,192 bits; elliptic curves are P-256, P-384 and P-521.',
      examples: ['MIIKDQIBAzCCCcMGCSqGSIb3DQEHAaCC'],
    },
    password: option(Type.String({ maxLength: 1_000 }), {
      expected: 'a string of at most 1,000 characters',
      description: 'The password of the file. It is used once and not stored.',
      default: '',
      examples: ['correct horse'],
    }),
  },
  { additionalProperties: false, expected: 'a JSON object', $id: 'NewCertificate' },
);
const checkCreate = validator(CreateBody);

export function certificateRoutes(app: FastifyInstance, { certificates, idempotency }: RouteServices): void {
  app.post('/v1/certificates', { schema: CREATE, config: RATE_LIMITED }, async (request, reply) => {
    const draft = readDraft(takeBody(request));
    const create = (also: Parameters<typeof certificates.create>[2]) =>
      certificates.create(requirePrincipal(request), draft, also);
    return createOnce(request, reply, idempotency, create, certificateRecord);
  });

  app.get('/v1/certificates', { schema: LIST }, async (request) => {
    const { page } = readPage(request);
    return toList(await certificates.list(requirePrincipal(request).keyId, page.limit, page.after), certificateRecord);
  });

  app.get<ById>('/v1/certificates/:id', { schema: READ }, async (request) =>
    certificateRecord(await certificates.find(requirePrincipal(request).keyId, request.params.id)),
  );

  app.delete<ById>('/v1/certificates/:id', { schema: REMOVE, config: { bodyOptional: true } }, async (request, reply) => {
    await certificates.remove(requirePrincipal(request).keyId, request.params.id);
    return reply.code(204).send();
  });
}

/** Throws `invalid_request`. */
function readDraft(body: unknown): CertificateDraft {
  const { name, pkcs12, password = '' } = checkCreate(body);
  const errors = new ValidationErrors();
  errors.addAll([...textErrors('name', name), ...textErrors('password', password)]);
  const content = decodeBase64('pkcs12', pkcs12, errors);
  errors.throwIfAny();
  return { name, pkcs12: content, password };
}

function certificateRecord(certificate: StoredCertificate) {
  return {
    id: certificate.id,
    certificate_id: certificate.id,
    name: certificate.name,
    subject: certificate.subject,
    issuer: certificate.issuer,
    serial_number: certificate.serialNumber,
    not_before: toIsoTime(certificate.notBefore),
    not_after: toIsoTime(certificate.notAfter),
    key_type: certificate.keyType,
    fingerprint_sha256: certificate.fingerprint,
    created_at: toIsoTime(certificate.createdAt),
  };
}

const ID = pathId('Certificate', 'cert');
const CERTIFICATE_SCHEMA = recordSchema('Certificate', {
  ...idMembers('certificate_id', 'cert'),
  name: { type: 'string' },
  subject: { type: 'string', examples: ['CN=Ada Lovelace, O=ACME Ltd, C=GB'] },
  issuer: { type: 'string' },
  serial_number: { type: 'string', description: 'In hexadecimal.' },
  not_before: { ...TIME, description: 'Start of the validity period.' },
  not_after: { ...TIME, description: 'It cannot sign after this time.' },
  key_type: { type: 'string', examples: ['RSA 3072', 'EC P-256'] },
  fingerprint_sha256: { type: 'string', description: 'SHA-256 of the certificate, in hexadecimal.' },
  created_at: TIME,
});

const CREATE = {
  operationId: 'createCertificate',
  summary: 'Store a certificate',
  description: `Stores a certificate with its private key for \`options.signature\`. The private key is encrypted, and no reply ever contains it. An account may have ${MAX_CERTIFICATES} certificates.`,
  headers: IDEMPOTENCY_SCHEMA,
  body: CreateBody,
  response: { 201: { description: 'The certificate is stored.', ...CERTIFICATE_SCHEMA } },
  errors: [409, 422],
};

const LIST = {
  operationId: 'listCertificates',
  summary: 'List certificates',
  querystring: { type: 'object', properties: PAGE_PARAMETERS },
  response: {
    200: { description: 'One page of the certificates of this key.', ...listSchema(CERTIFICATE_SCHEMA) },
  },
};

const READ = {
  operationId: 'readCertificate',
  summary: 'Read a certificate',
  params: ID,
  response: { 200: { description: 'The certificate.', ...CERTIFICATE_SCHEMA } },
};

const REMOVE = {
  operationId: 'deleteCertificate',
  summary: 'Delete a certificate',
  description: 'The private key is removed for good. PDFs that it has signed stay valid.',
  params: ID,
  response: { 204: { description: 'The certificate was deleted.', type: 'null' } },
};
