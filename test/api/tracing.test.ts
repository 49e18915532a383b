/** Traces as an OTLP collector receives them: spans, their parents, and what they never contain. */
import { describe, expect, test } from 'vitest';
import { bytesOf, Client } from '../support/client.ts';
import { closeAfterAll } from '../support/close-after-all.ts';
import { Receiver } from '../support/receiver.ts';
import { eventually, startService } from '../support/service.ts';

interface Span {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  kind: number;
  startTimeUnixNano: string;
  endTimeUnixNano: string;
  attributes: Array<{ key: string; value: { stringValue?: string; intValue?: number } }>;
  status: { code?: number };
}

interface Export {
  resourceSpans: Array<{ resource: { attributes: Span['attributes'] }; scopeSpans: Array<{ spans: Span[] }> }>;
}

const [SERVER, CLIENT, CONSUMER, ERROR] = [2, 3, 5, 2];

const collector = await Receiver.start().then(closeAfterAll);
const receiver = await Receiver.start().then(closeAfterAll);
collector.answer = (response) => response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
const service = await startService({
  PLATEN_TRACES_URL: `http://${collector.address}/v1/traces`,
  PLATEN_OUTBOUND_ALLOW: receiver.address,
}).then(closeAfterAll);

const exports = () => collector.received.map(({ body }) => JSON.parse(body) as Export);
const spans = () =>
  exports().flatMap(({ resourceSpans }) => resourceSpans.flatMap((each) => each.scopeSpans.flatMap((scope) => scope.spans)));
const ofTrace = (traceId: string) => spans().filter((span) => span.traceId === traceId);
const attributeOf = ({ attributes }: Span, key: string) => {
  const value = attributes.find((attribute) => attribute.key === key)?.value;
  return value?.stringValue ?? (value?.intValue === undefined ? undefined : Number(value.intValue));
};

/** Waits until the server span of a trace has arrived, and returns all received spans of the trace. */
async function traceOf(
  traceId: string,
  complete: (found: Span[]) => boolean = (found) => found.some(({ kind }) => kind === SERVER),
) {
  await eventually('the trace has arrived', () => complete(ofTrace(traceId)));
  return ofTrace(traceId);
}

let count = 0;
/** Returns the trace header of a caller. The default flags say that the caller does not record the trace. */
function newTrace(flags = '00') {
  const traceId = `${++count}`.padStart(32, 'a');
  return { traceId, spanId: 'b'.repeat(16), header: { traceparent: `00-${traceId}-${'b'.repeat(16)}-${flags}` } };
}

function named(found: Span[], name: string): Span {
  const [span, ...others] = found.filter((each) => each.name === name);
  if (!span || others.length)
    throw new Error(`${others.length + Number(Boolean(span))} spans are ${name}: ${found.map((each) => each.name)}`);
  return span;
}

describe('a request', () => {
  test('is a child of the span of the caller, and has a span for each stage', async () => {
    const { traceId, spanId, header } = newTrace();
    const client = new Client(service.url, service.key);
    const response = await client.pdf({ html: '<p>x', store: true }, header);
    const found = await traceOf(traceId);
    const request = named(found, 'POST /v1/pdf');
    expect(request).toMatchObject({ parentSpanId: spanId, kind: SERVER });
    expect(attributeOf(request, 'http.response.status_code')).toBe(201);
    expect(attributeOf(request, 'platen.request_id')).toBe(response.headers.get('x-request-id'));
    expect(attributeOf(request, 'platen.key_id')).toMatch(/^key_/);
    const stages = ['queue', 'load', 'print', 'finish', 'store', 'commit'].map((name) => named(found, name));
    expect(found).toHaveLength(stages.length + 1);
    for (const [index, stage] of stages.entries()) {
      expect(stage.parentSpanId).toBe(request.spanId);
      const before = stages[index - 1];
      if (before) expect(BigInt(stage.startTimeUnixNano)).toBeGreaterThanOrEqual(BigInt(before.startTimeUnixNano));
      expect(BigInt(stage.endTimeUnixNano)).toBeLessThanOrEqual(BigInt(request.endTimeUnixNano));
    }
    const [{ resource } = { resource: { attributes: [] } }] = exports()[0]?.resourceSpans ?? [];
    expect(resource.attributes).toContainEqual({ key: 'service.name', value: { stringValue: 'platen' } });
  });

  test('has its trace id in the log', async () => {
    const { traceId, header } = newTrace();
    const response = await new Client(service.url, service.key).pdf({ html: '<p>x' }, header);
    const id = response.headers.get('x-request-id');
    await eventually('it is in the log', () => service.output().includes(`"request_id":"${id}"`));
    const line = service
      .output()
      .split('\n')
      .find((each) => each.includes(`"request_id":"${id}"`));
    expect(JSON.parse(line ?? '')).toMatchObject({ trace_id: traceId, msg: 'request' });
  });

  test('reports where and why it failed, by the code', async () => {
    const { traceId, header } = newTrace();
    const options = { waitForFunction: 'false', timeout: 500 };
    expect((await new Client(service.url, service.key).pdf({ html: '<p>x', options }, header)).status).toBe(504);
    const found = await traceOf(traceId);
    expect(attributeOf(named(found, 'load'), 'error.type')).toBe('render_timeout');
    expect(named(found, 'load').status.code).toBe(ERROR);
    expect(attributeOf(named(found, 'POST /v1/pdf'), 'error.type')).toBe('504');
    expect(found.map(({ name }) => name)).not.toContain('print');
  });

  test.each([
    ['nothing', {}],
    ['nonsense', { traceparent: 'x'.repeat(4_000) }],
    ['zeros', { traceparent: `00-${'0'.repeat(32)}-${'1'.repeat(16)}-01` }],
    ['another version', { traceparent: `ff-${'1'.repeat(32)}-${'1'.repeat(16)}-01` }],
  ])('with %s starts a new trace', async (_what, header) => {
    const client = new Client(service.url, (await service.createKey()).key);
    const response = await client.get('/v1/usage', header as Record<string, string>);
    const id = response.headers.get('x-request-id');
    const mine = () => spans().find((span) => attributeOf(span, 'platen.request_id') === id);
    await eventually('its span has arrived', () => mine() !== undefined);
    expect(mine()?.parentSpanId ?? '').toBe('');
    expect(mine()?.traceId).not.toMatch(/^1+$/);
  });
});

test('links a batch item to the request that created the batch, and a webhook to the item that ended it', async () => {
  const { traceId, header } = newTrace();
  const client = new Client(service.url, service.key);
  receiver.received.length = 0;
  receiver.answer = (response, before) => response.writeHead(before ? 204 : 500).end();
  const body = {
    items: [{ html: '<p>1' }, { html: '<p>2', options: { pageRanges: '9' } }],
    webhook_url: `${receiver.url}?token=hush`,
  };
  const answer = (await (await client.send('POST', '/v1/batches', body, header)).json()) as { batch_id: string };
  const isWhole = (found: Span[]) => found.filter(({ name }) => name === 'webhook').length === 2;
  const found = await traceOf(traceId, isWhole);
  const request = named(found, 'POST /v1/batches');
  const items = found.filter(({ name }) => name === 'batch item');
  expect(items.map((item) => [item.parentSpanId, item.kind, attributeOf(item, 'platen.batch_id')])).toEqual(
    Array(2).fill([request.spanId, CONSUMER, answer.batch_id]),
  );
  const failed = items.find((item) => attributeOf(item, 'platen.batch_position') === 1);
  expect(attributeOf(failed as Span, 'error.type')).toBe('print_failed');
  const stored = items.find((item) => attributeOf(item, 'platen.batch_position') === 0) as Span;
  const steps = found.filter(({ parentSpanId }) => parentSpanId === stored.spanId).map(({ name }) => name);
  expect(steps).toEqual(expect.arrayContaining(['queue', 'load', 'print', 'finish', 'store', 'commit']));
  const webhooks = found.filter(({ name }) => name === 'webhook');
  const ids = items.map(({ spanId }) => spanId);
  const inItems = found.filter(({ spanId, parentSpanId }) => [spanId, parentSpanId].some((id) => ids.includes(id ?? '')));
  for (const webhook of webhooks) {
    expect(inItems.map(({ spanId }) => spanId)).toContain(webhook.parentSpanId);
    expect(webhook.kind).toBe(CLIENT);
  }
  expect(webhooks.map((webhook) => attributeOf(webhook, 'http.response.status_code'))).toEqual([500, 204]);
  expect(receiver.received.map(({ headers }) => headers.traceparent)).toEqual(
    webhooks.map(({ spanId }) => `00-${traceId}-${spanId}-01`),
  );
});

test('records nothing private of callers in a trace', async () => {
  const { traceId, header } = newTrace();
  const client = new Client(service.url, service.key);
  const headers = { ...header, tracestate: 'vendor=hushed-state', baggage: 'user=hushed-baggage' };
  await client.pdf(
    {
      html: '<p>hushed-html',
      options: { extraHTTPHeaders: { 'x-hushed': '1' }, password: 'hushed-password' },
      filename: 'hushed.pdf',
    },
    headers,
  );
  const second = newTrace();
  await client.get('/v1/documents?q=hushed-query', second.header);
  await Promise.all([traceOf(traceId), traceOf(second.traceId)]);
  const all = collector.received.map(({ body }) => body).join('\n');
  expect(all).not.toMatch(/hush/);
  expect(all).not.toContain(service.key);
});

test('adds exemplars to metrics in OpenMetrics', async () => {
  const { traceId, header } = newTrace();
  await bytesOf(await new Client(service.url, service.key).pdf({ html: '<p>x' }, header));
  const read = async (accept: string) => (await fetch(`${service.url}/metrics`, { headers: { accept } })).text();
  const readOpenMetrics = () => read('application/openmetrics-text;version=1.0.0,text/plain;version=0.0.4;q=0.5');
  await eventually('the request is counted', async () => (await readOpenMetrics()).includes(traceId));
  const [open, classic] = [await readOpenMetrics(), await read('text/plain')];
  for (const name of ['platen_http_request_seconds', 'platen_render_stage_seconds', 'platen_pdf_bytes'])
    expect(open).toMatch(new RegExp(`^${name}_bucket\\{.*\\} \\d+ # \\{trace_id="[0-9a-f]{32}"\\} `, 'm'));
  expect(open).toMatch(/^# TYPE platen_renders counter$/m);
  expect(open).toMatch(/^platen_renders_total\{outcome="ok"\} \d+$/m);
  expect(open).toMatch(/# EOF\n$/);
  expect(classic).not.toContain('trace_id');
  expect(classic).toMatch(/^# TYPE platen_renders_total counter$/m);
  expect(classic).toMatch(/^platen_renders_total\{outcome="ok"\} \d+$/m);
});

test('logs one line if the collector is unavailable, and records nothing at 0 percent', async () => {
  const away = await Receiver.start();
  const settings = { PLATEN_TRACES_URL: `http://${away.address}/v1/traces`, PLATEN_TRACES_PERCENT: '100' };
  away.close();
  await using other = await startService(settings);
  expect((await other.pdf({ html: '<p>x' })).status).toBe(200);
  await eventually('the failure is logged', () => other.output().includes('traces could not be sent'));
  expect((await other.pdf({ html: '<p>x' })).status).toBe(200);

  const before = collector.received.length;
  await using none = await startService({
    PLATEN_TRACES_URL: `http://${collector.address}/v1/traces`,
    PLATEN_TRACES_PERCENT: '0',
  });
  const { traceId, header } = newTrace('01');
  expect((await none.pdf({ html: '<p>x' }, { headers: header })).status).toBe(200);
  await none.stop(); // On exit, the service sends all spans it still has.
  expect(collector.received.slice(before).filter(({ body }) => body.includes(traceId))).toEqual([]);
});
