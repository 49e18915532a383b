/** `platen mcp` with the client of the SDK: over standard input and HTTP, with a running service and its own. */
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { createInterface } from 'node:readline';
import { Client as McpClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { describe, expect, test } from 'vitest';
import { Client } from '../support/client.ts';
import { closeAfterAll } from '../support/close-after-all.ts';
import { noise } from '../support/noise.ts';
import { RawConnection } from '../support/raw-http.ts';
import { readImageHeader } from '../support/read-image.ts';
import { readPdf } from '../support/read-pdf.ts';
import { spawnCli, startService } from '../support/service.ts';

const CLI = new URL('../../src/cli.ts', import.meta.url).pathname;

const service = await startService({ PLATEN_CONCURRENCY: '2', PLATEN_PLAYGROUND: 'off', PLATEN_WEBHOOK_RETRY_SECONDS: '1' }).then(
  closeAfterAll,
);

/** The parts of a JSON Schema that are read here. */
interface ToolSchema {
  type: string;
  description?: string;
  properties: Record<string, { description?: string; properties?: Record<string, object> }>;
}
interface OpenApi {
  components: { schemas: Record<string, ToolSchema> };
}

/** Tools answer with such things. */
interface Item {
  type: string;
  text?: string;
  uri?: string;
  data?: string;
  mimeType?: string;
  resource?: { blob: string };
}

async function connected(transport: StdioClientTransport | StreamableHTTPClientTransport) {
  const client = new McpClient({ name: 'test', version: '1' });
  await client.connect(transport as Parameters<typeof client.connect>[0]);
  return Object.assign(client, { [Symbol.asyncDispose]: () => client.close() });
}

function overStandardInput(args: string[], env: Record<string, string>) {
  const command = ['--disable-warning=ExperimentalWarning', CLI, 'mcp', ...args];
  return connected(
    new StdioClientTransport({ command: process.execPath, args: command, env: { ...service.env, ...env }, stderr: 'ignore' }),
  );
}

async function call(client: McpClient, name: string, given: Record<string, unknown>) {
  const { content, isError } = await client.callTool({ name, arguments: given });
  return { items: content as Item[], isError };
}

async function linked(client: McpClient, items: Item[]) {
  const uri = items.find(({ type }) => type === 'resource_link')?.uri ?? '';
  const { contents } = await client.readResource({ uri });
  return readPdf(Buffer.from((contents[0] as { blob: string }).blob, 'base64'));
}

describe('over standard input with a running service', () => {
  test('renders, lists templates and shows images by tools, and exposes documents as resources', async () => {
    const ada = new Client(service.url, service.key);
    const { template_id } = await ada.template('<p>Dear {{name}}</p>');
    await using client = await overStandardInput(['--url', service.url], { PLATEN_API_KEY: service.key });
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(['render', 'render_template', 'assemble', 'render_image', 'list_templates']);

    const rendered = await call(client, 'render', { html: '<h1>By tool</h1>', filename: 'tool.pdf', options: { format: 'A5' } });
    expect(rendered.items[0]?.text).toMatch(/^doc_\w+: 1 page, \d+ bytes$/);
    expect((await linked(client, rendered.items)).pages).toEqual(['By tool']);
    expect((await client.listResources()).resources).toContainEqual(expect.objectContaining({ name: 'tool.pdf' }));

    const [{ document_id } = { document_id: '' }] = (await ada.json<{ data: Array<{ document_id: string }> }>('/v1/documents'))
      .data;
    const parts = [{ document_id }, { html: '<p>and more' }];
    const assembled = await call(client, 'assemble', { parts, steps: [{ rotate: { angle: 90, pages: 'last' } }] });
    expect((await linked(client, assembled.items)).pages).toEqual(['By tool', 'and more']);
    const read = await call(client, 'assemble', { parts: [{ document_id }], steps: [{ extract: { what: ['text'] } }] });
    expect(JSON.parse(read.items[0]?.text ?? '')).toMatchObject({ pages: [{ text: 'By tool' }] });

    expect((await call(client, 'list_templates', { limit: 5 })).items[0]?.text).toContain(template_id);
    const filled = await call(client, 'render_template', { template_id, data: { name: 'Ada' }, store: false });
    const pdf = filled.items.find(({ type }) => type === 'resource')?.resource?.blob ?? '';
    expect((await readPdf(Buffer.from(pdf, 'base64'))).pages).toEqual(['Dear Ada']);

    const shown = await call(client, 'render_image', { markdown: '# Seen', options: { viewport: { width: 300, height: 200 } } });
    expect(shown.isError, shown.items[0]?.text).toBeFalsy();
    expect(readImageHeader(Buffer.from(shown.items[0]?.data ?? '', 'base64'))).toMatchObject({ format: 'png', width: 300 });
  });

  test('returns at most 16 MB of what it extracts', async () => {
    const content = noise(12_500_000).toString('base64');
    const { document_id } = await new Client(service.url, service.key).store({
      html: '<p>x',
      options: { attachments: [{ name: 'noise.bin', content }] },
    });
    await using client = await overStandardInput(['--url', service.url], { PLATEN_API_KEY: service.key });
    const steps = [{ extract: { what: ['attachments'] } }];
    const { items, isError } = await call(client, 'assemble', { parts: [{ document_id }], steps });
    expect([isError, items[0]?.text]).toEqual([
      true,
      expect.stringContaining('the reply has more than 16000000 bytes: ask for less'),
    ]);
  });

  test('exposes a stored image as a resource of its type', async () => {
    const ada = new Client(service.url, (await service.createKey()).key);
    const body = { html: '<p>x', store: true, filename: 'seen.webp', options: { type: 'webp', fullPage: false } };
    expect((await ada.send('POST', '/v1/image', body)).status).toBe(201);
    await using client = await overStandardInput(['--url', service.url], { PLATEN_API_KEY: ada.key });
    const { resources } = await client.listResources();
    expect(resources).toMatchObject([
      { name: 'seen.webp', mimeType: 'image/webp', description: expect.stringMatching(/^image, \d+ bytes$/) },
    ]);
    const { contents } = await client.readResource({ uri: resources[0]?.uri ?? '' });
    expect(contents).toMatchObject([{ mimeType: 'image/webp' }]);
    expect(readImageHeader(Buffer.from((contents[0] as { blob: string }).blob, 'base64'))).toMatchObject({
      format: 'webp',
      width: 800,
    });
  });

  test('describes the options of the service, and files beside the document', async () => {
    await using client = await overStandardInput(['--url', service.url], { PLATEN_API_KEY: service.key });
    const { tools } = await client.listTools();
    const schemas = Object.fromEntries(tools.map(({ name, inputSchema }) => [name, inputSchema as unknown as ToolSchema]));
    const published = (await (await fetch(`${service.url}/openapi.json`)).json()) as OpenApi;
    for (const [name, options] of [
      ['render', 'PdfOptions'],
      ['render_template', 'PdfOptions'],
      ['render_image', 'ImageOptions'],
    ] as const) {
      const { type, properties, ...rest } = schemas[name] as ToolSchema;
      expect([type, rest], name).toEqual([
        'object',
        {
          additionalProperties: false,
          ...(name === 'render_template' && { required: ['template_id'] }),
          ...('$schema' in rest && { $schema: expect.anything() }),
        },
      ]);
      expect(Object.keys(properties.options?.properties ?? {})).toEqual(
        Object.keys(published.components.schemas[options]?.properties ?? {}),
      );
      for (const member of ['assets', 'dry_run', 'deliver_to', 'store'])
        expect(properties[member]?.description, `${name} ${member}`).toBeTruthy();
      expect(JSON.stringify(properties)).not.toMatch(/"\$ref"|"x-/);
    }
    expect(schemas.render?.properties.options?.properties?.format).toMatchObject({
      description: expect.stringContaining('Paper format'),
      enum: expect.arrayContaining(['A5']),
    });
    expect(Object.keys(schemas.render?.properties ?? {})).toEqual(
      expect.arrayContaining(['html', 'markdown', 'url', 'template_id', 'data']),
    );
  });

  test('sends files beside the document', async () => {
    await using client = await overStandardInput(['--url', service.url], { PLATEN_API_KEY: service.key });
    const assets = { 'css/a.css': { content: Buffer.from('p::after { content: " of a file" }').toString('base64') } };
    const { items } = await call(client, 'render', { html: '<link rel=stylesheet href="css/a.css"><p>Styled', assets });
    expect((await linked(client, items)).pages).toEqual(['Styled of a file']);
  });

  test('returns what a dry run, a report of conformance and an upload answer', async () => {
    await using client = await overStandardInput(['--url', service.url], { PLATEN_API_KEY: service.key });
    const answered = async (name: string, given: object) => {
      const { items, isError } = await call(client, name, { html: '<p>x', ...given });
      expect([items.length, items[0]?.type, isError], items[0]?.text).toEqual([1, 'text', undefined]);
      return JSON.parse(items[0]?.text ?? '') as Record<string, unknown>;
    };
    for (const store of [{}, { store: false }, { store: true }]) {
      expect(await answered('render', { dry_run: true, ...store })).toMatchObject({ problems: [] });
      const report = { conformance_report: true, options: { conformance: 'PDF/UA-1' }, ...store };
      expect(await answered('render', report)).toMatchObject({ violations: expect.arrayContaining([expect.anything()]) });
    }
    expect(await answered('render_image', { dry_run: true })).toMatchObject({ problems: [] });
    const upload = { deliver_to: 'https://127.0.0.1:1/result' };
    for (const name of ['render', 'render_image'])
      expect(await answered(name, upload)).toMatchObject({
        render_id: expect.stringMatching(/^ren_/),
        delivery: { host: '127.0.0.1:1' },
      });
    const { items } = await call(client, 'render_image', { html: '<p>x', store: true });
    expect(items.map(({ type }) => type)).toEqual(['image']);
  });

  test('repeats the errors of the API', async () => {
    await using client = await overStandardInput(['--url', service.url], { PLATEN_API_KEY: service.key });
    const refused = await call(client, 'render', { html: 'x', options: { formatt: 'A4' } });
    const text = '400 invalid_request: options.formatt: there is no such field; did you mean options.format?';
    expect(refused).toMatchObject({ isError: true, items: [{ text }] });
    const unlabelled = {
      html: '<html lang=en><title>a</title><svg><path d="M0 0h9v9"/></svg>',
      options: { conformance: 'PDF/UA-1' },
    };
    const { items } = await call(client, 'render', unlabelled);
    expect(items[0]?.text).toMatch(/^422 not_conformant: alternate_text_missing: .* \(html > body > svg\) Describe it with alt/);
    await expect(client.readResource({ uri: 'platen://documents/doc_0000000000000000000000' })).rejects.toThrow('not_found');
    await expect(client.readResource({ uri: 'file:///etc/passwd' })).rejects.toThrow('platen://documents/');
    await expect(call(client, 'constructor', {})).rejects.toThrow('there is no tool');
  });
});

test('starts its own service over standard input, and removes its key at the end', async () => {
  await using other = await startService();
  await other.stop();
  const { PLATEN_API_KEY: _, ...env } = other.env as Record<string, string>;
  const client = await overStandardInput([], env);
  const rendered = await call(client, 'render', { html: '<p>Own' });
  expect((await linked(client, rendered.items)).pages).toEqual(['Own']);
  await client.close();
  const keys = JSON.parse(await other.cli('keys', 'list', '--json')) as Array<{ name: string; revoked_at: string | null }>;
  expect(keys.find(({ name }) => name === 'mcp')?.revoked_at).toBeTruthy();
});

async function startHttp() {
  const child = spawnCli(['mcp', '--url', service.url, '--port', '0'], service.env);
  const lines = createInterface({ input: child.stdout as NonNullable<typeof child.stdout> });
  const [line] = (await once(lines, 'line')) as [string];
  const url = new URL(/http:\S+/.exec(line)?.[0] ?? '');
  return {
    url,
    async [Symbol.asyncDispose]() {
      child.kill('SIGTERM');
      await once(child, 'exit');
    },
  };
}

const headers = (key: string) => ({ requestInit: { headers: { authorization: `Bearer ${key}` } } });

test('uses the key of each request over HTTP', async () => {
  await using http = await startHttp();
  const { url } = http;
  {
    await using client = await connected(new StreamableHTTPClientTransport(url, headers(service.key)));
    const { items } = await call(client, 'render', { html: '<p>By HTTP' });
    expect((await linked(client, items)).pages).toEqual(['By HTTP']);
    const other = (await service.createKey()).key;
    await using stranger = await connected(new StreamableHTTPClientTransport(url, headers(other)));
    await expect(linked(stranger, items)).rejects.toThrow('not_found');
  }
  const posted = async (body: string, key?: string) =>
    (await fetch(url, { method: 'POST', body, headers: { ...(key && { authorization: `Bearer ${key}` }) } })).status;
  expect(await posted('{}')).toBe(401);
  expect(await posted('{}', `plt_${'0'.repeat(38)}`)).toBe(401);
  expect(await posted('[{}]', service.key)).toBe(400);
  const announced = request(url, {
    method: 'POST',
    headers: { authorization: `Bearer ${service.key}`, 'content-length': 16_000_001 },
  });
  announced.flushHeaders();
  const [tooLarge] = (await once(announced, 'response')) as [IncomingMessage];
  expect(tooLarge.statusCode).toBe(413);
  announced.on('error', () => {}).destroy();
});

describe('over HTTP', () => {
  test('serves others while clients have sent only a part of their requests', async () => {
    await using http = await startHttp();
    const half = { method: 'POST', headers: { authorization: `Bearer ${service.key}`, 'content-length': 1_000 } };
    const bodies = Array.from({ length: 40 }, () => request(http.url, half).on('error', () => {}));
    const sent = bodies.map(async (each) => {
      each.write('{"jsonrpc":');
      await once(each, 'socket');
    });
    await Promise.all(sent);
    const heads = await Promise.all(Array.from({ length: 400 }, () => RawConnection.open(http.url.href)));
    for (const { socket } of heads) socket.write('POST /mcp HTTP/1.1\r\nHost: x\r\n');
    const { key } = await service.createKey();
    for (const each of [key, service.key]) {
      await using client = await connected(new StreamableHTTPClientTransport(http.url, headers(each)));
      expect((await call(client, 'list_templates', {})).isError).toBeFalsy();
    }
    expect(heads.every(({ socket }) => !socket.destroyed)).toBe(true);
    for (const { socket } of heads) socket.destroy();
    for (const each of bodies) each.destroy();
  });

  test('accepts a key with any scope', async () => {
    await using http = await startHttp();
    const owner = new Client(service.url, (await service.createKey()).key);
    const { key } = (await (await owner.send('POST', '/v1/keys', { name: 'renders', scopes: ['render'] })).json()) as {
      key: string;
    };
    await using client = await connected(new StreamableHTTPClientTransport(http.url, headers(key)));
    const rendered = await call(client, 'render', { html: '<p>Limited' });
    expect(rendered.items[0]?.text).toMatch(/^doc_\w+: 1 page/);
    const refused = await call(client, 'list_templates', {});
    expect(refused).toMatchObject({ isError: true, items: [{ text: expect.stringMatching(/^403 insufficient_scope/) }] });
  });

  test('refuses JSON that would take long, and says what is wrong with it', async () => {
    await using http = await startHttp();
    const post = async (body: string) => {
      const reply = await fetch(http.url, { method: 'POST', body, ...headers(service.key).requestInit });
      return [reply.status, await reply.text()];
    };
    expect(await post('[1,'.repeat(200))).toEqual([400, expect.stringContaining('nested more than 100 levels deep')]);
    expect(await post(`[${'1,'.repeat(600_000)}1]`)).toEqual([400, expect.stringContaining('more than 500000 values')]);
    const many = Array.from({ length: 2_000 }, (_, index) => `"k${index}":1`).join(',');
    for (const params of [`{${many}}`, `{"name":"render","arguments":{${many}}}`, `{"name":"render","_meta":{"x":{${many}}}}`])
      expect(await post(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":${params}}`)).toEqual([
        400,
        expect.stringContaining('more than 1000 members'),
      ]);
    await using client = await connected(new StreamableHTTPClientTransport(http.url, headers(service.key)));
    const { template_id } = await new Client(service.url, service.key).template('<p>{{k1999}} {{rows.1999.0}}');
    const data = { ...JSON.parse(`{${many}}`), rows: Array.from({ length: 2_000 }, (_, index) => [index]) };
    const { items } = await call(client, 'render_template', { template_id, data });
    expect((await linked(client, items)).pages).toEqual(['1 1999']);
    expect(await post('{"jsonrpc" 1}')).toEqual([400, expect.stringContaining('a colon is missing')]);
  });
});
