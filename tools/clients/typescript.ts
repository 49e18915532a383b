/** Generates the types of the TypeScript client: components of the OpenAPI document in, declarations out. */
import type { Schema } from '../docs/schema.ts';
import { branchesOf, membersOf, NOTE, nameOf, type Schemas, valuesOf, wrap } from './schema.ts';

export function typescriptTypes(schemas: Schemas, errorCodes: string[], events: string[]): string {
  const declarations = Object.entries(schemas).map(([name, schema]) => declaration(name, schema));
  const codes = `/** The error codes. Each has a page at \`/errors/{code}\` of the service. */\nexport type ErrorCode = ${union(errorCodes.map(literal))};`;
  const sent = `/** The events that webhooks deliver. */\nexport type WebhookEvent = ${union(events)};`;
  return `${[`/** ${NOTE} */`, ...declarations, sent, codes].join('\n\n')}\n`;
}

function declaration(name: string, schema: Schema): string {
  const comment = doc(schema, '');
  if (schema.properties) return `${comment}export interface ${name} ${members(schema, '')}`;
  return `${comment}export type ${name} = ${typeOf(schema, '')};`;
}

function members(schema: Schema, indent: string): string {
  const inner = `${indent}  `;
  const lines = membersOf(schema).map(
    ({ name, schema, isRequired }) =>
      `${doc(schema, inner)}${inner}${keyOf(name)}${isRequired ? '' : '?'}: ${typeOf(schema, inner)}${isRequired ? '' : ' | undefined'};`,
  );
  return `{\n${lines.join('\n')}\n${indent}}`;
}

function typeOf(schema: Schema, indent: string): string {
  if (schema.$ref) return nameOf(schema);
  if (schema.const !== undefined) return literal(schema.const);
  if (schema.enum) return union(schema.enum.map(literal));
  const branches = branchesOf(schema);
  if (branches) return union(branches.map((branch) => typeOf(branch, indent)));
  return plainType(schema, indent);
}

function plainType(schema: Schema, indent: string): string {
  const { type, items = {} } = schema;
  if (type === 'array') return listOf(typeOf(items, indent));
  if (type === 'object' && schema.properties) return members(schema, indent);
  if (type === 'object') return `Record<string, ${typeOf(valuesOf(schema) ?? {}, indent)}>`;
  if (type === 'integer' || type === 'number') return 'number';
  return type === 'string' || type === 'boolean' || type === 'null' ? type : 'unknown';
}

function listOf(item: string): string {
  return / [|] |[{]/.test(item) ? `Array<${item}>` : `${item}[]`;
}

function union(types: string[]): string {
  return [...new Set(types)].join(' | ');
}

function literal(value: unknown): string {
  return typeof value === 'string' ? `'${value.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'` : JSON.stringify(value);
}

function keyOf(name: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(name) ? name : literal(name);
}

function doc({ description }: Schema, indent: string): string {
  if (!description) return '';
  const lines = wrap(description.replaceAll('*/', '*\\/'), 120 - indent.length);
  if (lines.length === 1) return `${indent}/** ${lines[0]} */\n`;
  return [`${indent}/**`, ...lines.map((line) => `${indent} * ${line}`), `${indent} */`].map((line) => `${line}\n`).join('');
}
