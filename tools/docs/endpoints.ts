/** Generates the page of endpoints from the OpenAPI document. */
import { code, page, table } from './markdown.ts';
import type { OpenApi, Operation, Parameter } from './openapi.ts';
import { defaultOf, membersTable, type Schema, typeOf } from './schema.ts';

const INTRODUCTION = `The service describes its API at \`/openapi.json\`. This page is generated from the same document. Endpoints
marked with a key need \`Authorization: Bearer plt_...\`. Lists are newest first and stay consistent while objects are added and removed: pass \`next_cursor\` as
\`cursor\` while \`has_more\` is true.

Paths that are not part of the API: \`/\` and \`/edit\` (playground), \`/dashboard\` and below, \`/docs\` (these documents), \`/errors\` (a page for each error), \`/healthz\`, \`/readyz\`,
\`/metrics\`.`;

interface Endpoint {
  title: string;
  operation: Operation;
}

export function endpointsPage({ paths, webhooks }: OpenApi): string {
  const endpoints = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([method]) => !(method === 'head' && methods.get)) // HEAD is described by GET.
      .map(([method, operation]) => ({ title: `${method.toUpperCase()} ${path}`, operation })),
  );
  const tags = [...new Set(endpoints.map(tagOf))];
  const groups = tags.flatMap((tag) => [`## ${tag}`, ...endpoints.filter((one) => tagOf(one) === tag).map(section)]);
  return page('Endpoints', INTRODUCTION, overview(endpoints), ...groups, '## Webhooks that the service sends', sent(webhooks));
}

function tagOf({ operation }: Endpoint): string {
  return operation.tags?.[0] ?? 'Other';
}

function overview(endpoints: Endpoint[]): string {
  const rows = endpoints.map(({ title, operation }) => [code(title), operation.summary ?? '', operation.security ? '' : 'yes']);
  return table(['endpoint', 'what it does', 'key'], rows);
}

function section({ title, operation }: Endpoint): string {
  const body = Object.values(operation.requestBody?.content ?? {})[0]?.schema;
  return [
    `### ${code(title)}`,
    [`${operation.summary}.`, operation.description].filter(Boolean).join(' '),
    parameters(operation),
    body && 'Body:',
    body && membersTable(withoutOptions(body)),
    responses(operation),
  ]
    .filter(Boolean)
    .join('\n\n');
}

/** Options have a separate page. */
function withoutOptions(body: Schema): Schema {
  const { options, ...properties } = body.properties ?? {};
  if (!options) return body;
  return { ...body, properties: { ...properties, options: { type: 'object', description: 'See [options](options.md).' } } };
}

/** Parameters that repeat members of the body are listed by name only. */
function parameters({ parameters = [], requestBody }: Operation): string {
  const repeatsBody = ({ in: place, description }: Parameter) => requestBody && place === 'query' && !description;
  const names = parameters.filter(repeatsBody).map(({ name }) => code(name));
  const own = parameters.filter((parameter) => !repeatsBody(parameter));
  return [own.length && parametersTable(own), names.length && `Query parameters: ${names.join(', ')}.`]
    .filter(Boolean)
    .join('\n\n');
}

function parametersTable(parameters: Parameter[]): string {
  const rows = parameters.map(({ name, in: place, required, description, schema = {} }) => [
    code(name),
    place,
    typeOf(schema),
    required ? 'required' : defaultOf(schema),
    description ?? schema.description ?? '',
  ]);
  return table(['parameter', 'in', 'type', 'default', 'meaning'], rows);
}

/** Errors are listed only by status, because another page explains them. */
function responses({ responses = {} }: Operation): string {
  const isError = (status: string) => /^[45]/.test(status);
  const rows = Object.entries(responses)
    .filter(([status]) => !isError(status))
    .map(([status, { description = '', headers = {} }]) => [status, description, Object.keys(headers).map(code).join(', ')]);
  const errors = Object.keys(responses).filter(isError);
  return [
    rows.length && table(['status', 'reply', 'headers'], rows),
    errors.length && `[Errors](errors.md): ${errors.join(', ')}.`,
  ]
    .filter(Boolean)
    .join('\n\n');
}

function sent(webhooks: OpenApi['webhooks']): string {
  return Object.entries(webhooks)
    .flatMap(([name, methods]) => Object.values(methods).map((operation) => section({ title: name, operation })))
    .join('\n\n');
}
