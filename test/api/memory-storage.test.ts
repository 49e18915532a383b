/** Storage and cookies of HTML documents behave like those of a site, and end with the render. */
import { beforeEach, describe, expect, test } from 'vitest';
import { succeeded } from '../support/client.ts';
import { closeAfterAll } from '../support/close-after-all.ts';
import { readPdfReply } from '../support/read-pdf.ts';
import { html } from '../support/site.ts';
import { Web } from '../support/web.ts';

const web = await Web.share().then(closeAfterAll);
const { site } = web;
beforeEach(() => web.forget());

async function text(body: object): Promise<string> {
  const reply = await succeeded(web.ada.send('POST', '/v1/pdf', body));
  return (await readPdfReply(reply)).pages.join(' ');
}

/** Statements that run one after the other in one document. */
const STORAGE = [
  '[localStorage instanceof Storage, String(localStorage), typeof localStorage, localStorage === window.localStorage]',
  '[localStorage === sessionStorage, "localStorage" in window, Object.keys(window).includes("localStorage")]',
  '[localStorage.length, localStorage.key(0), localStorage.getItem("none"), localStorage.none]',
  'localStorage.setItem("a", 1)',
  'localStorage.b = { toString: () => "text" }',
  'localStorage["c d"] = null',
  '[localStorage.a, localStorage.getItem("b"), localStorage["c d"], localStorage.length, typeof localStorage.a]',
  '[0, 1, 2].map((n) => localStorage.key(n)).sort()', // The order of keys is not specified.
  '[3, -1, 1e9].map((n) => localStorage.key(n))',
  '[["1", 1], ["x", 0], [1.9, 1], [null, 0]].map(([one, other]) => localStorage.key(one) === localStorage.key(other))',
  '["a" in localStorage, "none" in localStorage, "getItem" in localStorage, localStorage.hasOwnProperty("a"), localStorage.hasOwnProperty("getItem")]',
  'Object.keys(localStorage).sort()',
  'Object.entries(localStorage).sort()',
  'Object.entries({ ...localStorage }).sort()',
  '(() => { const names = []; for (const name in localStorage) names.push(name); return names.sort() })()',
  'Object.entries(JSON.parse(JSON.stringify(localStorage))).sort()',
  'Object.getOwnPropertyDescriptor(localStorage, "a")',
  '[delete localStorage.a, delete localStorage.none, localStorage.a, localStorage.length]',
  '(localStorage.setItem("getItem", "hidden"), [typeof localStorage.getItem, localStorage.getItem("getItem"), localStorage.length])',
  '(localStorage.key = "own", [localStorage.key, localStorage.getItem("key"), delete localStorage.key, typeof localStorage.key])',
  '(() => { "use strict"; localStorage.length = 99 })()',
  '(localStorage.length = 99, [localStorage.length, localStorage.getItem("length")])',
  'Object.defineProperty(localStorage, "defined", { value: 5 }).defined',
  '[localStorage.getItem("getItem"), localStorage.removeItem("getItem"), localStorage.getItem("getItem")]',
  '[localStorage.removeItem("none"), localStorage.setItem("", ""), localStorage.getItem(""), localStorage[""]]',
  '(localStorage[7] = "seven", localStorage[7])',
  'localStorage.setItem("one")',
  'localStorage.getItem()',
  'localStorage.setItem(Symbol(), 1)',
  'localStorage.x = Symbol()',
  'Storage.prototype.getItem.call({}, "a")',
  'Storage.prototype.setItem.call(sessionStorage, "s", "t")',
  '[sessionStorage.s, localStorage.s]',
  'new Storage()',
  'localStorage = 1',
  'typeof localStorage',
  '(() => { "use strict"; Object.freeze(localStorage) })()',
  'localStorage.setItem("large", "x".repeat(5 * 1024 * 1024))',
  'localStorage.getItem("large")',
  'localStorage.setItem("large", "x".repeat(5 * 1024 * 1024 - 200))',
  'localStorage.setItem("more", "x".repeat(300))',
  'localStorage.setItem("large", "small")',
  'localStorage.setItem("more", "x".repeat(300))',
  '(() => { const { setItem } = Storage.prototype; Storage.prototype.setItem = function (k, v) { setItem.call(this, "ns." + k, v) }; localStorage.setItem("w", "x"); return localStorage["ns.w"] })()',
  '[localStorage.clear(), localStorage.length, sessionStorage.length]',
  'localStorage.setItem("large", "x".repeat(5 * 1024 * 1024 - 5))',
];

const COOKIES = [
  'document.cookie',
  'document.cookie = "a=1"',
  'document.cookie = " b = two words ; path=/; SameSite=Lax"',
  'document.cookie = "c=x=y"',
  'document.cookie',
  'document.cookie = "a=changed; max-age=100"',
  'document.cookie = "gone=1; max-age=0"',
  'document.cookie = "late=1; expires=Thu, 01 Jan 1970 00:00:00 GMT"',
  'document.cookie = "later=1; expires=Fri, 31 Dec 2100 23:59:59 GMT"',
  'document.cookie = "both=1; max-age=100; expires=Thu, 01 Jan 1970 00:00:00 GMT"',
  'document.cookie = "odd=1; max-age=soon; expires=never"',
  'document.cookie = "hidden=1; HttpOnly"',
  'document.cookie',
  'document.cookie = "b=; Max-Age=-1"',
  'document.cookie = "c=; expires=Thu, 01 Jan 1970 00:00:00 GMT; path=/"',
  'document.cookie = ""',
  'document.cookie = "bare"',
  'document.cookie = "=nameless"',
  'document.cookie = "empty="',
  'document.cookie = "line\\nbreak=1"',
  'document.cookie = "long=" + "x".repeat(4093)',
  'document.cookie = "fits=" + "x".repeat(10)',
  'document.cookie',
  '["cookie" in document, Object.hasOwn(document, "cookie"), typeof Object.getOwnPropertyDescriptor(Document.prototype, "cookie").set]',
];

/** Returns a document that prints the result of each statement, or the name of its error. */
function probe(statements: string[]): string {
  return `<!doctype html><pre id="o" style="font: 6px monospace; white-space: pre-wrap"></pre><script>
    for (const statement of ${JSON.stringify(statements).replaceAll('<', '\\u003c')}) {
      let result;
      try { result = JSON.stringify((0, eval)(statement)) } catch (error) { result = error.name }
      o.textContent += statement.slice(0, 40) + ' -> ' + String(result).slice(0, 400) + '\\n';
    }
  </script>`;
}

describe('storage for HTML documents behaves like that of a site', () => {
  test.each([
    ['storage', STORAGE],
    ['cookies', COOKIES],
  ])('%s', async (_, statements) => {
    site.serve({ '/probe': html(probe(statements)) });
    const native = await text({ url: `${site.origin}/probe` });
    expect(native).toContain('->');
    expect((await text({ html: probe(statements) })).replaceAll(' -> ', '\n-> ')).toBe(native.replaceAll(' -> ', '\n-> '));
  });
});

const VISITS = `<p id="o"></p><script>
  const seen = [localStorage.visits, sessionStorage.visits, document.cookie];
  localStorage.visits = sessionStorage.visits = 1;
  document.cookie = 'visits=1; max-age=9999';
  o.textContent = JSON.stringify([seen, localStorage.visits, sessionStorage.visits, document.cookie]);
</script>`;
const FIRST_VISIT = '[[null,null,""],"1","1","visits=1"]';

test('is empty at the start of every render on a reused page', async () => {
  for (let round = 0; round < 4; round++) {
    expect(await text({ html: VISITS })).toBe(FIRST_VISIT);
    expect(await text({ html: '<p>no script' })).toBe('no script');
  }
});

test('is available in templates and with a base URL, and is never sent', async () => {
  const { template_id } = await web.ada.template(VISITS);
  expect(await text({ template_id, data: {} })).toBe(FIRST_VISIT);
  const image = `${VISITS}<script>document.cookie = 'sent=1'; document.write('<img src="/pixel.png">')</script>`;
  expect(await text({ html: image, options: { baseUrl: `${site.origin}/` } })).toBe(FIRST_VISIT);
  expect(site.requestsFor('/pixel.png').map(({ headers }) => headers.cookie)).toEqual([undefined]);
});

test('is available to the script of an option', async () => {
  const looks = '(localStorage.x = "kept", document.body.textContent = localStorage.x, true)';
  expect(await text({ html: '<p>plain', options: { waitForFunction: looks } })).toBe('kept');
});

test('keeps the own storage of a frame with an origin, and provides one to a frame without', async () => {
  site.serve({
    '/frame': html(
      `<script>localStorage.mine = 1; parent.postMessage(Object.hasOwn(Storage.prototype, 'getItem') + ' ' + /native/.test(Storage.prototype.getItem) + ' ' + localStorage.mine, '*')</script>`,
    ),
  });
  const frames = `<p id="o"></p><script>
    let count = 0;
    onmessage = ({ data }) => { o.textContent += data + '; '; globalThis.done = ++count === 2 };
    localStorage.mine = 'outer';
  </script><iframe src="${site.origin}/frame"></iframe><iframe srcdoc="<script>parent.postMessage('own ' + localStorage.mine, '*')</script>"></iframe>`;
  const shown = await text({ html: frames, options: { waitForFunction: 'globalThis.done === true' } });
  expect(shown).toContain('true true 1;');
  expect(shown).toContain('own undefined;');
});
