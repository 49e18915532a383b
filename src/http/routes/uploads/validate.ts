/** `POST /v1/pdf/validate`: checks a PDF from outside against PDF/A and PDF/UA. */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { invalidField, ServiceError } from '../../../errors.ts';
import { PROFILES, type Profile, toClaims } from '../../../pdf/conformance/profiles.ts';
import { listUnchecked } from '../../../pdf/validate/rules.ts';
import { recordSchema } from '../../replies/response-schema.ts';
import { readForm } from '../../requests/form-body.ts';
import { readQuery, readText } from '../../requests/listing.ts';
import { readBody } from '../../requests/read-body.ts';
import { requirePrincipal } from '../../server/authenticate.ts';
import { disconnectSignal, untilDisconnect } from '../../server/client-disconnect.ts';
import { PDF } from '../../server/negotiation.ts';
import { RATE_LIMITED } from '../../server/rate-limit.ts';
import type { RouteServices } from '../services.ts';

export async function validateRoutes(app: FastifyInstance, { uploadValidation }: RouteServices): Promise<void> {
  await app.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser(PDF, async (request: FastifyRequest) => readBody(request));
    scope.addContentTypeParser('multipart/form-data', async (request: FastifyRequest) =>
      readUploadedPdf(request, await readBody(request)),
    );
    scope.post('/v1/pdf/validate', { schema: SCHEMA, config: RATE_LIMITED }, async (request, reply) => {
      const wanted = readProfiles(request);
      const { body } = request;
      if (!(body instanceof Buffer)) throw new ServiceError('unsupported_media_type', `send the PDF as ${PDF}, or in a form`);
      const client = disconnectSignal(reply);
      const { accountId } = requirePrincipal(request);
      const validated = uploadValidation.validate(accountId, body, wanted, client);
      const { profiles, violations } = await untilDisconnect(client, validated);
      if (!profiles.length) throw invalidField('profile', 'is required: the PDF claims no profile that is checked here');
      return { valid: !violations.length, profiles, violations, unchecked: listUnchecked(toClaims(profiles)) };
    });
  });
}

async function readUploadedPdf(request: FastifyRequest, body: Buffer): Promise<Buffer> {
  const parts = await readForm(body, request.headers['content-type'] ?? '', 1);
  const [file] = parts;
  if (file?.name !== 'file') throw invalidField('file', 'is required: the PDF, as the only part of the form');
  return file.content;
}

function readProfiles(request: FastifyRequest): Profile[] | undefined {
  const { profile } = readQuery(request, { profile: readText });
  if (profile === undefined) return undefined;
  const given = profile.split(',', 3).map((each) => each.trim());
  const known = PROFILES.filter((each) => given.includes(each));
  const archives = known.filter((each) => toClaims([each]).archive);
  if (known.length !== given.length || archives.length > 1 || known.length - archives.length > 1)
    throw invalidField(
      'profile',
      `must be one of ${PROFILES.join(', ')}, or one of PDF/A and one of PDF/UA, separated by a comma`,
    );
  return known;
}

const SCHEMA = {
  operationId: 'validatePdf',
  summary: 'Validate a PDF',
  description:
    'Checks any PDF against PDF/A-2 to PDF/A-4 and PDF/UA. It is not charged. `unchecked` names what only a full validator checks: an empty list of violations does not prove conformance.',
  querystring: {
    type: 'object',
    properties: {
      profile: {
        type: 'string',
        description: `One of ${PROFILES.join(', ')}; or one of PDF/A and one of PDF/UA, separated by a comma. Default: what the PDF claims.`,
        examples: ['PDF/A-3a,PDF/UA-1'],
      },
    },
  },
  body: {
    content: {
      [PDF]: { schema: { type: 'string', format: 'binary' } },
      'multipart/form-data': {
        schema: {
          $id: 'ValidationForm',
          type: 'object',
          required: ['file'],
          additionalProperties: false,
          properties: { file: { type: 'string', format: 'binary' } },
        },
      },
    },
  },
  response: {
    200: {
      description: 'What was found.',
      ...recordSchema('Validation', {
        valid: { type: 'boolean', description: 'Whether no violation was found.' },
        profiles: { type: 'array', items: { type: 'string' } },
        violations: {
          type: 'array',
          items: {
            $id: 'FoundViolation',
            type: 'object',
            required: ['rule', 'clause', 'message', 'count'],
            properties: {
              rule: { type: 'string', examples: ['title_missing'] }, // clients must accept unknown rules
              clause: { type: 'string', examples: ['ISO 14289-1, 7.3'] },
              message: { type: 'string' },
              count: { type: 'integer', description: 'How often it was found.' },
            },
          },
        },
        unchecked: { type: 'array', items: { type: 'string' } },
      }),
    },
  },
  errors: [422],
};
