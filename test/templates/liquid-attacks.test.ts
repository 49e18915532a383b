/** Hostile Liquid templates: each fails alone, within limits of time and memory, and its process is replaced. */
import type { ChildProcess } from 'node:child_process';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { describe, expect, test } from 'vitest';
import type { ServiceError } from '../../src/errors.ts';
import { LiquidEngine } from '../../src/templates/liquid/liquid.ts';
import { NO_LIMIT, newVersion, runWithEngine, setUpLiquid } from '../support/liquid-engines.ts';

const { engineWith, fill } = setUpLiquid();

/** Keeps a process busy in a single step, during which LiquidJS checks no limit: it compares two arrays of 2^60 elements. */
const ENDLESS = `{% assign a = "x" | split: "" %}{% assign b = a %}{% for i in (1..60) %}${['a', 'b']
  .map((name) => `{% assign c = ${name} %}{% assign ${name} = "" | split: "" | push: c | push: c %}`)
  .join('')}{% endfor %}{% if a == b %}same{% endif %}`;

describe('a hostile template', () => {
  const big = '{% assign s = "xy" %}{% for i in (1..20) %}{% assign s = s | append: s %}{% endfor %}';
  const many = '{% assign a = "" | split: "" | push: s %}{% for i in (1..9) %}{% assign a = a | concat: a %}{% endfor %}';
  const outOfMemory = { code: 'template_error', message: expect.stringContaining('uses too much memory') };
  const tooDeep = { code: 'template_error', message: expect.stringContaining('nested too deeply') };

  test.each([
    ['a loop over a hundred million numbers', '{% for i in (1..100000000) %}x{% endfor %}', outOfMemory],
    [
      'a loop over numbers that are too large to count',
      '{% for i in (9007199254740992..9007199254741002) %}x{% endfor %}',
      expect.objectContaining({ code: 'template_error' }),
    ],
    [
      'a text that doubles sixty times',
      '{% assign s = "x" %}{% for i in (1..60) %}{% assign s = s | append: s %}{% endfor %}',
      outOfMemory,
    ],
    [
      'a capture that doubles sixty times',
      '{% assign s = "x" %}{% for i in (1..60) %}{% capture s %}{{ s | raw }}{{ s | raw }}{% endcapture %}{% endfor %}',
      outOfMemory,
    ],
    [
      'an endless capture',
      '{% capture s %}{% for i in (1..900000) %}xxxxxxxxxxxxxxxxxxxx{% endfor %}{% endcapture %}',
      outOfMemory,
    ],
    [
      'an array that doubles sixty times',
      '{% assign a = (1..9) %}{% for i in (1..60) %}{% assign a = a | concat: a %}{% endfor %}',
      outOfMemory,
    ],
    [
      'nested arrays, printed',
      '{% assign a = (1..9) %}{% for i in (1..60) %}{% assign b = a %}{% assign a = a | push: b %}{% endfor %}{{ a }}',
      outOfMemory,
    ],
    ['one text many times, printed', `${big}${many}{{ a }}`, outOfMemory],
    ['one text many times, compared', `${big}${many}{% if a < s %}{% endif %}`, outOfMemory],
    ['one text many times, added up', `${big}${many}{% assign b = "" | split: "" | push: a %}{{ b | sum }}`, outOfMemory],
    ['one text many times, as a key', `${big}${many}{{ data[a] }}`, outOfMemory],
    ['one text many times, as JSON', `${big}${many}{{ a | json | size }}`, outOfMemory],
    [
      'a long text split and stored many times',
      big.replace('20', '21') + Array.from({ length: 99 }, (_, n) => `{% assign v${n} = s | split: "" %}`).join(''),
      outOfMemory,
    ],
    [
      'a long text encoded repeatedly',
      `${big.replace('xy', '€€')}{% for i in (1..9) %}{% assign s = s | url_encode %}{% endfor %}`,
      outOfMemory,
    ],
    [
      'a long text as a path',
      '{% assign s = "a" %}{% for i in (1..20) %}{% assign s = s | append: ".a" | append: s %}{% endfor %}{{ list | where: s }}',
      outOfMemory,
    ],
    ['a wide date', '{{ "now" | date: "%999999999Y" }}', outOfMemory],
    ['ten thousand open conditions', '{% if true %}'.repeat(10_000), tooDeep],
    ['a hundred thousand brackets', `{{ ${'('.repeat(100_000)} }}`, tooDeep],
    [
      'a megabyte of opening braces',
      '{{'.repeat(500_000),
      expect.objectContaining({ code: 'template_error', members: { line: 1, column: 1 } }),
    ],
    [
      'a million tags',
      '{{a}}'.repeat(1_000_000),
      expect.objectContaining({ message: 'more than 100000 tags (line 1, column 500001)' }),
    ],
    [
      'two megabytes in a tag',
      `{{ a${' | size'.repeat(300_000)} }}`,
      expect.objectContaining({ message: 'more than 1000000 characters in tags (line 1, column 1)' }),
    ],
  ])('rejects %s, and fills the next template', async (_, html, expected) => {
    const engine = engineWith({ processes: 1, timeoutMs: 100_000 });
    await expect(fill(html, { data: {}, list: [{}] }, NO_LIMIT, engine)).rejects.toMatchObject(expected);
    expect(await fill('{{ a }}', { a: 'next' }, NO_LIMIT, engine)).toBe('next');
  });

  test('of a busy owner delays no template of another owner', async () => {
    const engine = engineWith({ processes: 2, maxWaiting: 20, waitMs: 50_000, timeoutMs: 50_000 });
    const order: string[] = [];
    const work = (owner: string) =>
      engine.fill(owner, { key: newVersion(), html: '{% for i in (1..20000) %}{{ i }}{% endfor %}' }, {}, NO_LIMIT).then(
        () => order.push(owner),
        (error) => order.push(`${owner} ${error.code}`),
      );
    const busy = Array.from({ length: 30 }, () => work('busy'));
    await work('other');
    expect(order.filter((each) => each === 'busy').length).toBeLessThan(20);
    expect(order.filter((each) => each === 'busy queue_full')).toHaveLength(9);
    await Promise.all(busy);
    expect(order.filter((each) => each === 'busy')).toHaveLength(21);
  });

  test.each([
    ['ninety thousand filters in a chain', `{{ 0${' | plus: 1'.repeat(90_000)} }}`, '90000'],
    ['two thousand nested conditions', `${'{% if true %}'.repeat(2_000)}x${'{% endif %}'.repeat(2_000)}`, 'x'],
    [
      'a loop over a number that is too large to count',
      '{% assign n = 9007199254740991 | plus: 1 %}{% for i in (n..n) %}x{% endfor %}',
      '',
    ],
    ['text times a number', '{{ "x" | times: 1000000000 }}', '0'],
    ['a comment of blank lines', `{% # ${'\n'.repeat(400_000)}# %}x`, 'x'],
  ])('may be filled if it stays within the limits (%s)', async (_, html, expected) => {
    expect(await fill(html, {}, NO_LIMIT, engineWith({ timeoutMs: 60_000 }))).toBe(expected);
  });

  test('is reported with the line at which it timed out', async () => {
    const engine = engineWith({ processes: 1, timeoutMs: 10_000 });
    const html = '<p>\n{% for i in (1..100000) %}\n{% for j in (1..100000) %}{% endfor %}{% endfor %}';
    const error = (await fill(html, {}, NO_LIMIT, engine).catch((failure) => failure)) as ServiceError;
    expect(error.code).toBe('template_error');
    expect(error.message).toMatch(/^the template takes too long to render \(line [23], column \d+\)$/); // either loop may have been running
    expect([2, 3]).toContain(error.members.line);
    expect(await fill('{{ a }}', { a: 'next' }, NO_LIMIT, engine)).toBe('next');
  });

  test('with deeply nested data is rejected with the path of the data', async () => {
    let data: Record<string, unknown> = {};
    for (let level = 0; level < 100_000; level++) data = { data };
    await expect(fill('{{ a }}', data)).rejects.toMatchObject({
      code: 'invalid_request',
      members: { errors: [{ path: 'data', message: 'is nested too deeply' }] },
    });
  });
});

describe('processes', () => {
  test('are ended if a step never finishes, and serve other templates meanwhile', async () => {
    const engine = engineWith({ processes: 2, timeoutMs: 10_000 });
    const order: string[] = [];
    const hostile = engine.fill('hostile', { key: newVersion(), html: ENDLESS }, {}, NO_LIMIT).catch((error) => {
      order.push('hostile');
      return error;
    });
    for (const name of ['first', 'second']) {
      await fill('{{ name }}', { name }, NO_LIMIT, engine);
      order.push(name);
    }
    expect(await hostile).toMatchObject({ code: 'template_error', message: 'the template takes longer than 10000 ms' });
    expect(order).toEqual(['first', 'second', 'hostile']);
    expect(await fill('{{ a }}', { a: 'next' }, NO_LIMIT, engine)).toBe('next');
  });

  test('fail only one template when they die', async () => {
    const engine = engineWith({ processes: 1, timeoutMs: 30_000 });
    const [child] = await processesStartedBy(() => fill('x', {}, NO_LIMIT, engine));
    const firstMessage = once(child as ChildProcess, 'message'); // the first message of the process about the task
    const filling = expect(fill(ENDLESS, {}, NO_LIMIT, engine)).rejects.toMatchObject({ code: 'template_error' });
    const waiting = fill('{{ a }}', { a: 'next' }, NO_LIMIT, engine);
    await firstMessage;
    child?.kill('SIGKILL');
    await filling;
    expect(await waiting).toBe('next');
  });

  test('are ended when the client of their task disconnects', async () => {
    const engine = engineWith({ processes: 1, timeoutMs: 60_000 });
    const [child] = await processesStartedBy(() => fill('x', {}, NO_LIMIT, engine));
    const exited = once(child as ChildProcess, 'exit');
    const caller = new AbortController();
    const reason = new Error('left');
    const left = ['runs', 'waits'].map((key) =>
      expect(engine.fill('owner', { key, html: ENDLESS }, {}, NO_LIMIT, caller.signal)).rejects.toBe(reason),
    );
    await new Promise((resolve) => setImmediate(resolve)); // The process has received its task by then.
    caller.abort(reason);
    await Promise.all([...left, exited]);
    await expect(engine.fill('owner', { key: 'comes too late', html: 'x' }, {}, NO_LIMIT, caller.signal)).rejects.toBe(reason);
    expect(await fill('{{ a }}', { a: 'next' }, NO_LIMIT, engine)).toBe('next');
  });

  test('skip a task whose client disconnects before it starts', async () => {
    const engine = engineWith({ processes: 1, timeoutMs: 60_000 });
    const caller = new AbortController();
    const left = expect(engine.fill('owner', { key: 'tpl_left:1', html: ENDLESS }, {}, NO_LIMIT, caller.signal)).rejects.toThrow(
      'left',
    );
    caller.abort(new Error('left'));
    await left;
    expect(await fill('{{ a }}', { a: 'next' }, NO_LIMIT, engine)).toBe('next');
  });

  test('refuse a task immediately if the queue is full, and later if it waits too long', async () => {
    const engine = engineWith({ processes: 1, maxWaiting: 1, waitMs: 200, timeoutMs: 10_000 });
    const full = { code: 'queue_full', retryAfterSeconds: 1, members: { retry_after: 1 } };
    const order: string[] = [];
    await Promise.all([
      expect(fill(ENDLESS, {}, NO_LIMIT, engine).finally(() => order.push('ended'))).rejects.toMatchObject({
        code: 'template_error',
      }),
      expect(fill('x', {}, NO_LIMIT, engine).finally(() => order.push('waited'))).rejects.toMatchObject(full),
      expect(fill('x', {}, NO_LIMIT, engine).finally(() => order.push('refused'))).rejects.toMatchObject(full),
    ]);
    expect(order).toEqual(['refused', 'waited', 'ended']);
    expect(await fill('{{ a }}', { a: 'next' }, NO_LIMIT, engine)).toBe('next');
  });

  test('start for the first template, and end when they are idle', async () => {
    const engines: LiquidEngine[] = [];
    expect(await processesStartedBy(async () => void engines.push(engineWith({ idleMs: 20 })))).toHaveLength(0);
    const engine = engines[0] as LiquidEngine;
    const children = await processesStartedBy(() => fill('x', {}, NO_LIMIT, engine));
    expect(children).toHaveLength(1);
    await Promise.all(children.map((child) => child.exitCode ?? once(child, 'exit')));
    expect(await fill('again', {}, NO_LIMIT, engine)).toBe('again');
  });

  test('reject running, waiting and later tasks after closing', async () => {
    const engine = new LiquidEngine({ processes: 1, timeoutMs: 60_000 });
    const filling = [fill(ENDLESS, {}, NO_LIMIT, engine), fill('x', {}, NO_LIMIT, engine)].map((one) =>
      expect(one).rejects.toMatchObject({ code: 'shutting_down' }),
    );
    await engine.close();
    await Promise.all(filling);
    await expect(fill('x', {}, NO_LIMIT, engine)).rejects.toMatchObject({ code: 'shutting_down' });
  });

  test('do not keep the service running, and write nothing to its output', async () => {
    const { output, errors, code } = await runWithEngine(
      `console.log(await engine.fill("owner", { key: 't:1', html: '{{ a }}' }, { a: 1 }, 100));`,
    );
    expect({ output, errors, code }).toEqual({ output: '1\n', errors: '', code: 0 });
  });
});

/** Returns the processes that are started during `work`. */
async function processesStartedBy(work: () => Promise<unknown>): Promise<ChildProcess[]> {
  const children: ChildProcess[] = [];
  const note = (message: unknown) => children.push((message as { process: ChildProcess }).process);
  subscribe('child_process', note);
  try {
    await work();
  } finally {
    unsubscribe('child_process', note);
  }
  return children;
}
