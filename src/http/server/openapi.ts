/**
 * Publishes the OpenAPI document: the document that fastify builds from the route schemas in, a shorter one out, with a component
 * for each schema and each parameter that has an `$id`, for headers of several replies, and for each error reply.
 */

type Node = Record<string, unknown>;
/** By their place in the components, such as `schemas/Length`. */
type Uses = Map<string, Node[]>;

interface Gathered {
  paths?: object;
  webhooks?: object;
  components?: object;
}

/** Keywords whose members are values and not schemas. */
const VALUES = new Set(['default', 'enum', 'const', 'example', 'examples']);
/** Error statuses that any request can get, or any request with a key, a body or parameters. */
const COMMON_ERRORS = ['400', '401', '403', '404', '406', '408', '413', '415', '429', '500', '503'];
/** Keywords that can differ between uses of a component. */
const ANNOTATIONS = new Set(['description', 'examples', 'x-unit']);

interface ErrorReply {
  description: string;
  headers?: object;
  content: object;
}

const published = new WeakMap<object, object>();

/** Publishes each document only once. */
export function publishedDocument<D extends Gathered>(gathered: D): D {
  const document = (published.get(gathered) as D | undefined) ?? publish(gathered);
  published.set(gathered, document);
  return document;
}

function publish<D extends Gathered>(gathered: D): D {
  const document = JSON.parse(JSON.stringify(gathered)) as D; // copies the objects that routes share
  const { paths = {} } = document;
  namePaths(paths);
  for (const methods of Object.values(paths)) if (methods.get) delete methods.head; // every GET answers HEAD
  for (const operation of listOperations(paths)) describeBody(operation);
  const uses: Uses = new Map();
  for (const part of [paths, document.webhooks]) walk(part, (node) => describe(node, uses));
  const components: Record<string, Node> = { ...document.components, responses: nameErrors(listOperations(paths)) };
  for (const [place, nodes] of uses) {
    const [kind = '', id = ''] = place.split('/');
    components[kind] = { ...components[kind], [id]: toComponent(place, nodes) };
  }
  nameHeadersOnly(document.webhooks ?? {});
  return { ...document, components };
}

/** Keeps each `$id` as `x-id`, and that of a reply in its content, because the plugin that gathers the document removes others. */
export function keepIds(schema: object = {}): object {
  const copy = JSON.parse(JSON.stringify(schema).replaceAll('"$id":', '"x-id":'));
  for (const { content, 'x-id': id } of Object.values<Node>(copy.response ?? {}))
    if (content && id) Object.assign(content, { 'x-reply': id });
  return copy;
}

/** Names the wildcard parameter, which has no name in the router. */
function namePaths(paths: object): void {
  for (const [address, methods] of Object.entries(paths as Record<string, Node>)) {
    if (!address.includes('{*}')) continue;
    delete (paths as Node)[address];
    (paths as Node)[address.replace('{*}', '{path}')] = JSON.parse(
      JSON.stringify(methods).replaceAll('"name":"*"', '"name":"path"'),
    );
  }
}

function listOperations(paths: object): Node[] {
  return Object.values(paths).flatMap((methods) => Object.values<Node>(methods));
}

/**
 * Makes bodies optional where the schema says so, because fastify requires every body that has a schema. Puts the example of a schema
 * beside it, because reference pages would otherwise make one of all fields, which is never valid.
 */
function describeBody({ requestBody }: Node): void {
  const { content = {} } = (requestBody ?? {}) as { content?: Record<string, { schema?: Node; example?: unknown }> };
  for (const media of Object.values(content)) {
    const { 'x-optional': isOptional, 'x-example': example, ...schema } = media.schema ?? {};
    if (isOptional) delete (requestBody as Node).required;
    if (media.schema) media.schema = schema;
    if (example !== undefined) media.example = example;
  }
}

/** Visits all nodes, children before their parents. */
function walk(value: unknown, visit: (node: Node) => void): void {
  if (typeof value !== 'object' || value === null) return;
  for (const [name, member] of Object.entries(value)) {
    if (name === 'properties') for (const property of Object.values(member)) walk(property, visit);
    else if (!VALUES.has(name) && !isParameter(value)) walk(member, visit);
  }
  if (!Array.isArray(value)) visit(value as Node);
}

/** Converts keywords of our own to standard ones, and collects what has an `$id`. */
function describe(node: Node, uses: Uses): void {
  if (isParameter(node)) describeParameter(node, uses);
  else describeSchema(node, uses);
}

function describeSchema(node: Node, uses: Uses): void {
  delete node.expected;
  // Generators of Go clients treat a string with a media type as a file, and send it as base64.
  if (/^text\/|^image\/\*$/.test(String(node.contentMediaType)) && node.type === 'string') delete node.contentMediaType;
  rename(node, 'x-values', 'enum');
  rename(node, 'x-pattern', 'pattern');
  rename(node, 'x-format', 'format');
  joinLiterals(node);
  describeDefault(node);
  if (['boolean', 'number', 'integer'].includes(String(node.type)) || node.enum) delete node.examples; // the type says enough
  dropRepeatedDescription(node);
  if (node['x-sources']) splitBySource(node, uses);
  noteUse(node, uses);
  if (node.schema) noteUse(node, uses, { kind: 'headers', holder: node.schema as Node, keyword: 'x-header' });
  if (node.content) noteUse(node, uses, { kind: 'responses', holder: node.content as Node, keyword: 'x-reply' });
}

function isParameter(node: object): boolean {
  return 'in' in node && 'name' in node;
}

/** Converts a parameter, whose schema is plain and needs no conversion. */
function describeParameter(node: Node, uses: Uses): void {
  const { schema, required } = node as { schema: Node; required?: boolean };
  if (!required) delete node.required;
  if (schema.type === 'object' && !node.style) Object.assign(node, { style: 'deepObject', explode: true });
  const { 'x-default': words } = schema;
  delete schema['x-default'];
  const { example } = node;
  if (!required) delete node.example; // reference pages would send it unasked
  const isShown = required || typeof example !== 'string' || String(node.description).includes(example);
  const shown = isShown ? '' : `Such as \`${example}\`.`;
  const description = [node.description, words && `Default: ${words}.`, shown].filter(Boolean).join(' ');
  if (description) node.description = description;
  noteUse(node, uses, { kind: 'parameters', holder: schema });
}

/** Takes the `$id` of the node from where it is kept. */
function noteUse(node: Node, uses: Uses, { kind = 'schemas', holder = node, keyword = 'x-id' } = {}): void {
  const { [keyword]: id } = holder;
  if (!id) return;
  delete holder[keyword];
  uses.set(`${kind}/${id}`, [...(uses.get(`${kind}/${id}`) ?? []), node]);
}

function rename(node: Node, from: string, to: string): void {
  if (node[from] === undefined) return;
  node[to] = node[from];
  delete node[from];
}

/** Converts a union of string literals to one enum. */
function joinLiterals(node: Node): void {
  const branches = Array.isArray(node.anyOf) ? (node.anyOf as Node[]) : [];
  const isLiteral = ({ type, enum: values }: Node) => type === 'string' && Array.isArray(values);
  if (!branches.length || !branches.every(isLiteral)) return;
  delete node.anyOf;
  Object.assign(node, { type: 'string', enum: branches.flatMap((branch) => branch.enum) });
}

/** Moves the default into the description, because generators treat members with a default as required, and send it. */
function describeDefault(node: Node): void {
  const { description, default: value, 'x-default': words = value === undefined ? '' : `\`${JSON.stringify(value)}\`` } = node;
  delete node.default;
  delete node['x-default'];
  if (words && words !== 'none') node.description = [description, `Default: ${words}.`].filter(Boolean).join(' ');
}

/** Removes the description of a reply from its schema, from which fastify copied it. */
function dropRepeatedDescription({ description, content }: Node): void {
  for (const { schema } of Object.values((content ?? {}) as Record<string, { schema?: Node }>))
    if (schema?.description === description) delete schema?.description;
}

/** Replaces a body by one schema for each source, with the members that go with it, because exactly one source is sent. */
function splitBySource(node: Node, uses: Uses): void {
  const sources = node['x-sources'] as Record<string, string[]>;
  const special = new Set([...Object.keys(sources), ...Object.values(sources).flat()]);
  const { 'x-id': id, properties, description, ...shape } = node;
  delete (shape as Node)['x-sources'];
  const oneOf = Object.entries(sources).map(([source, companions]) => {
    const mine = Object.entries(properties as Node).filter(
      ([name]) => name === source || companions.includes(name) || !special.has(name),
    );
    const { examples, ...rest } = shape;
    return {
      ...rest,
      'x-id': `${pascalCase(source.replace(/_id$/, ''))}${id}`,
      required: [source],
      properties: Object.fromEntries(mine),
    };
  });
  for (const name of Object.keys(node)) if (!['x-id', 'description', 'examples'].includes(name)) delete node[name];
  node.oneOf = oneOf;
  for (const variant of oneOf) noteUse(variant, uses);
}

/** `BatchCompleted` for `batch.completed` and for `batch_completed`. */
export function pascalCase(name: string): string {
  return name.replaceAll(/(?:^|[._-])([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

/** Creates a component. Annotations that all uses share go into the component; the others stay at each use. */
function toComponent(place: string, nodes: Node[]): Node {
  const structures = new Set(nodes.map((node) => JSON.stringify(without(node, (name) => ANNOTATIONS.has(name)))));
  if (structures.size > 1) throw new Error(`the uses of ${place} differ`);
  const [first = {}] = nodes;
  const isShared = (name: string) => nodes.every((node) => JSON.stringify(node[name]) === JSON.stringify(first[name]));
  const component = without(first, (name) => !isShared(name));
  for (const node of nodes) {
    const own = without(node, (name) => !ANNOTATIONS.has(name) || Object.hasOwn(component, name));
    for (const name of Object.keys(node)) delete node[name];
    Object.assign(node, { $ref: `#/components/${place}` }, own);
  }
  return component;
}

function without(node: Node, isLeftOut: (name: string) => boolean): Node {
  return Object.fromEntries(Object.entries(node).filter(([name]) => !isLeftOut(name)));
}

/** Makes a component of each error reply, which is the same for all routes. The common ones become the `default` reply. */
function nameErrors(operations: Node[]): Node {
  const replies: Record<string, ErrorReply> = {};
  for (const { responses } of operations as Array<{ responses: Record<string, ErrorReply | Node> }>)
    for (const status of Object.keys(responses).filter((each) => each >= '400')) {
      replies[status] = responses[status] as ErrorReply;
      delete responses[status];
      const [key, name] = COMMON_ERRORS.includes(status) ? ['default', 'Error'] : [status, `Error${status}`];
      responses[key] = { $ref: `#/components/responses/${name}` };
    }
  const named = Object.entries(replies).filter(([status]) => !COMMON_ERRORS.includes(status));
  const descriptions = COMMON_ERRORS.map((status) => `${status}: ${replies[status]?.description}`);
  return {
    Error: { ...replies['429'], description: descriptions.join(' ') }, // the reply with all headers
    ...Object.fromEntries(named.map(([status, reply]) => [`Error${status}`, reply])),
  };
}

/**
 * Webhook headers are those of Standard Webhooks. They are not components, because client generators leave out those that no path
 * uses.
 */
function nameHeadersOnly(webhooks: object): void {
  for (const { parameters = [] } of listOperations(webhooks))
    for (const parameter of parameters as Node[]) delete parameter.description;
}
