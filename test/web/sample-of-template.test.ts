/** Sample data for templates: values for paths, elements for lists, and numbers for calculations. */
import { expect, test } from 'vitest';
import { createSample } from '../../web/dashboard/sample-of-template.ts';
import { Client, succeeded } from '../support/client.ts';
import { sharedService } from '../support/shared-service.ts';

const service = await sharedService();
const key = new Client(service.url, (await service.createKey()).key);
/** Returns the sample data for a template. The service must render the template with it without an error. */
async function sample(html: string, engine = 'liquid'): Promise<unknown> {
  const { template_id, placeholders } = await key.template(html, { engine });
  const data = JSON.parse(createSample({ html, engine: engine as 'liquid', placeholders })) as object;
  await succeeded(key.send('POST', '/v1/pdf', { template_id, data }));
  return data;
}

const twice = (element: unknown) => [element, element];

test('uses a path as its own value, and makes a list for a number in it', async () => {
  expect(await sample('{{a}} {{person.name}} {{items.0.name}}', 'placeholders')).toEqual({
    a: 'a',
    person: { name: 'person.name' },
    items: twice({ name: 'items.0.name' }),
  });
});

test('makes a list of objects with the members that a loop reads', async () => {
  const html = `{{ order.items.size }}{% for item in order.items limit: 5 %}{{ forloop.index }} {{ item.name | upcase }}
    {% if item.note %}{{- item.note.text -}}{% endif %}{% for part in item.parts %}{{ part.sku }}{% endfor %}{{ order.title }}{% endfor %}
    {% for tag in tags %}{{ tag }}{% endfor %}{% for i in (1..3) %}{{ i }}{% endfor %}`;
  const item = { name: 'item.name', note: { text: 'item.note.text' }, parts: twice({ sku: 'part.sku' }) };
  expect(await sample(html)).toEqual({ order: { items: twice(item), title: 'order.title' }, tags: twice('tag') });
});

test('uses a number for values in calculations', async () => {
  const html = `{% assign sum = 0 %}{% for row in rows %}{% assign line = row.price | times: row.count %}{% assign sum = sum | plus: line %}
    {{ line | money: "EUR" }}{{ row.price | money: "EUR" }}{% endfor %}{{ sum | money: "EUR" }}{{ total | money: "EUR" }}`;
  expect(await sample(html)).toEqual({ rows: twice({ price: 10, count: 10 }), total: 10 });
});

test('ignores comments, raw text and strings', async () => {
  const html =
    '{% comment %}{% for a in b %}{{ a.c }}{% endcomment %}{% raw %}{{ a.d }}{% endraw %}{% for a in b %}{{ a.e | append: "a.f" }}{% endfor %}';
  expect(await sample(html)).toEqual({ b: twice({ e: 'a.e' }) });
});
