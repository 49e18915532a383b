/** Generates the types of the Python client: components of the OpenAPI document in, classes and aliases out. */
import { pascalCase } from '../../src/http/server/openapi.ts';
import type { Schema } from '../docs/schema.ts';
import { branchesOf, membersOf, NOTE, nameOf, type Schemas, valuesOf, wrap } from './schema.ts';

const HEAD = `"""${NOTE}"""

from __future__ import annotations

from typing import Any, Generic, Literal, NotRequired, TypeAlias, TypedDict, TypeVar

Item = TypeVar("Item")


class Page(TypedDict, Generic[Item]):
    """One page of a list."""

    data: list[Item]
    has_more: bool
    next_cursor: str | None`;

export function pythonTypes(schemas: Schemas, errorCodes: string[], events: string[]): string {
  const classes: string[] = [];
  for (const [name, schema] of Object.entries(schemas)) {
    if (schema.properties) declareClass(name, schema, classes);
    else classes.push(alias(name, typeOf(schema, name, classes)));
  }
  return `${[HEAD, ...classes, alias('WebhookEvent', events.join(' | ')), alias('ErrorCode', literals(errorCodes))].join('\n\n\n')}\n`;
}

/** Declares nested objects as classes before the class that uses them. */
function declareClass(name: string, schema: Schema, classes: string[]): void {
  const members = membersOf(schema).map(({ name: member, schema, isRequired }) => {
    if (!/^[A-Za-z_]\w*$/.test(member)) throw new Error(`${name}.${member} is no name in Python`);
    const type = typeOf(schema, name + pascalCase(member), classes);
    return `    ${member}: ${isRequired ? type : `NotRequired[${type}]`}${doc(schema)}`;
  });
  const about = schema.description ? `${doc(schema).slice(1)}\n\n` : '';
  classes.push(`class ${name}(TypedDict):\n${about}${members.join('\n') || '    pass'}`);
}

function typeOf(schema: Schema, name: string, classes: string[]): string {
  if (schema.$ref) return nameOf(schema);
  if (schema.const !== undefined) return literals([schema.const]);
  if (schema.enum) return literals(schema.enum);
  const branches = branchesOf(schema);
  if (branches) return [...new Set(branches.map((branch, index) => typeOf(branch, `${name}${index + 1}`, classes)))].join(' | ');
  return plainType(schema, name, classes);
}

const PLAIN: Record<string, string> = { integer: 'int', number: 'float', boolean: 'bool', string: 'str', null: 'None' };

function plainType(schema: Schema, name: string, classes: string[]): string {
  const { type, items = {} } = schema;
  if (type === 'array') return `list[${typeOf(items, `${name}Item`, classes)}]`;
  if (type === 'object' && schema.properties) {
    declareClass(name, schema, classes);
    return name;
  }
  if (type === 'object') return `dict[str, ${typeOf(valuesOf(schema) ?? {}, `${name}Value`, classes)}]`;
  return PLAIN[String(type)] ?? 'Any';
}

function alias(name: string, type: string): string {
  return `${name}: TypeAlias = ${JSON.stringify(type)}`;
}

function literals(values: unknown[]): string {
  return `Literal[${values.map((value) => (typeof value === 'boolean' ? pascalCase(String(value)) : quoted(value))).join(', ')}]`;
}

function quoted(value: unknown): string {
  return typeof value === 'string' ? `'${value}'` : JSON.stringify(value);
}

function doc({ description }: Schema): string {
  if (!description) return '';
  const lines = wrap(description.replaceAll('\\', '\\\\').replaceAll('"""', "'''"), 110);
  const text = lines.join('\n    ');
  return `\n    """${text.endsWith('"') ? `${text} ` : text}"""`;
}
