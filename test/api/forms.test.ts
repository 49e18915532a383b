/** `options.forms`: controls of a document become form fields. */
import { PDF, type PdfArray, type PdfDict, type PdfNumber, PdfRef, type PdfString } from '@libpdf/core';
import { describe, expect, test } from 'vitest';
import { bytesOf, Client, problem } from '../support/client.ts';
import { readAppearances } from '../support/read-appearances.ts';
import { type FormField, readFields } from '../support/read-fields.ts';
import { readFinished } from '../support/read-finished.ts';
import { sharedService } from '../support/shared-service.ts';

const service = await sharedService();
const client = new Client(service.url, (await service.createKey('growth')).key);

const page = (body: string, head = '') => `<!doctype html><html lang="en"><title>Form</title>${head}<h1>Form</h1>${body}`;

async function rendered(html: string, options: object = {}): Promise<Buffer> {
  return client.rendered({ html, options: { forms: true, ...options } });
}

async function fieldsOf(body: string, options: object = {}, head = ''): Promise<FormField[]> {
  return readFields(await rendered(page(body, head), options));
}

async function fieldOf(body: string, options: object = {}, head = ''): Promise<FormField> {
  const [field, ...more] = await fieldsOf(body, options, head);
  expect(more).toEqual([]);
  return field as FormField;
}

describe('each control', () => {
  test('creates a text field', async () => {
    const field = await fieldOf('<label>First name <input name="first" value="Ada Łódź" maxlength="40" required></label>');
    expect(field).toMatchObject({ type: 'Tx', name: 'first', value: 'Ada Łódź', description: 'First name', maxLength: 40 });
    expect(field).toMatchObject({ isRequired: true, isReadOnly: false, isMultiLine: false, hasAppearance: true });
  });

  test('creates a multi-line text field', async () => {
    const field = await fieldOf('<textarea id="notes" aria-label="Notes" readonly>one\ntwo</textarea>');
    expect(field).toMatchObject({ type: 'Tx', name: 'notes', value: 'one\ntwo', description: 'Notes' });
    expect(field).toMatchObject({ isMultiLine: true, isReadOnly: true });
  });

  test('creates a password field whose value is never in the PDF', async () => {
    const field = await fieldOf('<input type="password" name="pin" value="hunter2" title="PIN" disabled>');
    expect(field).toMatchObject({ type: 'Tx', name: 'pin', value: '', description: 'PIN', isPassword: true, isReadOnly: true });
  });

  test.each([
    ['date', '2026-01-31', '01/31/2026'],
    ['time', '14:05', '02:05 PM'],
    ['time', '14:05:09', '02:05:09 PM'],
    ['datetime-local', '2026-01-31T09:30', '01/31/2026, 09:30 AM'],
    ['month', '2026-01', 'January 2026'],
    ['week', '2026-W05', 'Week 05, 2026'],
    ['date', '', '', 'mm/dd/yyyy'],
    ['time" step="1', '14:05', '02:05:00 PM'],
    ['datetime-local" step=".001', '2026-01-31T09:30', '01/31/2026, 09:30:00.000 AM'],
  ])('creates a %s of %s that shows what the control shows', async (type, value, text, shown = text) => {
    const pdf = await rendered(page(`<input type="${type}" name="at" value="${value}" aria-label="At">`));
    expect(await readFields(pdf)).toMatchObject([{ type: 'Tx', name: 'at', value: text }]);
    expect(await readAppearances(pdf)).toEqual({ at: shown });
  });

  test('checkboxes', async () => {
    const fields = await fieldsOf(
      '<input type="checkbox" name="a" value="yes" checked aria-label="A"><input type="checkbox" name="b" aria-label="B">',
    );
    expect(fields).toMatchObject([
      { type: 'Btn', name: 'a', value: 'yes', state: 'yes', description: 'A' },
      { type: 'Btn', name: 'b', value: 'Off', state: 'on', description: 'B' },
    ]);
  });

  test('creates one field for radio buttons of one name in each form', async () => {
    const radio = (value: string, more = '') => `<label><input type="radio" name="pay" value="${value}" ${more}>${value}</label>`;
    const fields = await fieldsOf(
      `<form><fieldset><legend>Payment</legend>${radio('card', 'checked')}${radio('on account')}</fieldset></form><form>${radio('cash')}</form>`,
    );
    expect(fields).toMatchObject([
      { name: 'pay', value: 'card', state: 'card', description: 'card' },
      { name: 'pay', value: 'card', state: 'on account', description: 'on account' },
      { name: 'pay_2', value: 'Off', state: 'cash', description: 'cash' },
    ]);
  });

  test('choices', async () => {
    const fields = await fieldsOf(
      `<label>Size <select name="size"><option value="s">Small<option value="l" selected>Large</select></label>
      <select name="parts" multiple aria-label="Parts"><option>One<option selected>Two<option selected>Three</select>
      <input name="city" list="cities" value="Graz" aria-label="City"><datalist id="cities"><option value="Wien"><option value="Graz"></datalist>`,
    );
    expect(fields).toMatchObject([
      { type: 'Ch', name: 'size', value: ['l'], description: 'Size' },
      { type: 'Ch', name: 'parts', value: ['Two', 'Three'], description: 'Parts' },
      { type: 'Ch', name: 'city', value: ['Graz'], description: 'City' },
    ]);
    expect(fields[0]?.options).toEqual([
      { exportValue: 's', displayValue: 'Small' },
      { exportValue: 'l', displayValue: 'Large' },
    ]);
    expect(fields.map(({ options }) => options.length)).toEqual([2, 3, 2]);
  });

  test('creates a signature field', async () => {
    const fields = await fieldsOf(
      '<div data-signature-field="applicant" aria-label="Signature of the applicant" style="height: 60px"></div><input data-signature-field="clerk" title="Clerk">',
    );
    expect(fields).toMatchObject([
      { type: 'Sig', name: 'applicant', description: 'Signature of the applicant' },
      { type: 'Sig', name: 'clerk', description: 'Clerk' },
    ]);
  });

  test('leaves buttons, file inputs, colour inputs, hidden and invisible controls as they are', async () => {
    const fields = await fieldsOf(
      `<button name="a">A</button><input type="submit" name="b"><input type="file" name="c"><input type="color" name="d"><input type="range" name="e">
      <input type="hidden" name="f"><input name="g" style="display: none"><input name="h" style="visibility: hidden"><input name="i" style="opacity: 0">`,
    );
    expect(fields).toEqual([]);
  });
});

test('creates unique names without the periods that would split them', async () => {
  const fields = await fieldsOf('<input name="row[]"><input name="row[]"><input name="a.b"><input id="i"><input><input>');
  expect(fields.map(({ name }) => name)).toEqual(['row[]', 'row[]_2', 'a_b', 'i', 'field1', 'field2']);
});

describe('styles of the document', () => {
  const BODY =
    '<p><span id="l">Name</span> <input name="n" value="v" aria-labelledby="l" required> <textarea name="t" required aria-label="T"></textarea><p><b>seen</b>';
  const HIDES = (selector: string) => `html:has(${selector}) b { display: none }`;
  const SHOWS = (selector: string) => `b { display: none } html:has(${selector}) b { display: inline }`;
  const styled = (css: string) => page(BODY, `<style>${css}</style>`);

  test.each([
    ['the role', HIDES('[role]')],
    ['no role', SHOWS('input:not([role])')],
    ['the label', HIDES('[aria-label^="platen"], [aria-label]:not([aria-label="T"])')],
    ['the label of others', SHOWS('[aria-labelledby="l"]')],
    ['the style attribute', HIDES('[style*="text-indent"]')],
    ['our own attributes', HIDES('[data-platen-field]')],
    ['links', HIDES('a[href]')],
    ['what is added after the body', 'body:not(:last-child) b { display: none }'],
    ['elements that are added', HIDES('> div')],
  ])('which select %s show what they show without fields', async (_, css) => {
    const html = styled(css);
    const pdf = await rendered(html);
    const plain = await bytesOf(await client.pdf({ html }));
    expect((await readFinished(pdf)).texts).toEqual((await readFinished(plain)).texts);
    expect(await readFields(pdf)).toEqual([]);
  });

  test('which select something else leave the fields', async () => {
    const css = `[role="button"], [type="text"]:focus, li:last-child, :invalid, :placeholder-shown, p:has(> input), [style*="color"], a[href^="http"] { color: red }`;
    expect(await readFields(await rendered(styled(css)))).toHaveLength(2);
  });

  test('which select a switch or the host of a shadow root leave the fields', async () => {
    const css =
      '[role="switch"] { width: 32px } :host, :root:not([data-theme="dark"]) { color: navy } ::slotted([x]) { color: red }';
    const [field] = await fieldsOf(
      '<input type="checkbox" role="switch" aria-label="S">',
      { conformance: 'PDF/UA-1' },
      `<style>${css}</style>`,
    );
    expect(Math.round((field?.rect[2] ?? 0) - (field?.rect[0] ?? 0))).toBe(24);
  });

  test('of which one is loaded count as well', async () => {
    const asset = (css: string) => ({ 'a.css': { content: Buffer.from(css).toString('base64'), type: 'text/css' } });
    const html = page(BODY, '<link rel="stylesheet" href="a.css">');
    for (const [css, count] of [
      [HIDES('[role]'), 0],
      ['[role="button"] { color: red }', 2],
    ] as const) {
      const reply = await client.pdf({ html, assets: asset(css), options: { forms: true } });
      const pdf = await bytesOf(reply);
      expect((await readFinished(pdf)).texts.join()).toContain('seen');
      expect(await readFields(pdf)).toHaveLength(count);
    }
  });

  test('of which one cannot be loaded leave the fields', async () => {
    const url = 'http://127.0.0.1:1/a.css';
    for (const head of [`<link rel="stylesheet" href="${url}">`, `<style>@import "${url}"; [role="x"] { color: red }</style>`])
      expect(await fieldsOf('<input>', {}, head)).toHaveLength(1);
  });

  test('in shadow roots count as well, unless they are for the host', async () => {
    const shadow = (css: string) =>
      `<x-a><template shadowrootmode="open"><style>${css}</style><slot></slot></template><p>${BODY}</x-a>`;
    expect(await fieldsOf(shadow(':host([hidden]) { display: none } ::slotted([x]) { color: red }'))).toHaveLength(2);
    expect(await fieldsOf(shadow(':host-context([style]) slot { color: red }'))).toHaveLength(2);
    const slotted = (css: string) =>
      `<x-a><template shadowrootmode="open"><style>${css}</style><slot></slot></template><input></x-a>`;
    expect(await fieldsOf(slotted('::slotted([role]) { margin-left: 9px }'))).toHaveLength(0);
  });
});

describe('the printed page', () => {
  const FILLED =
    '<p><input name="a" value="Findme-1"> <textarea name="b">Findme-2\nFindme-3</textarea> <select name="c"><option>Findme-4</select> <select multiple name="d"><option>Findme-5</select> <input name="e" placeholder="Findme-6">';

  test('shows the value in the appearance of the field, and not a second time on the page', async () => {
    const pdf = await rendered(page(FILLED));
    const { texts } = await readFinished(pdf);
    expect(texts.join()).toContain('Form');
    expect(texts.join()).not.toContain('Findme'); // The text of a page does not include its fields.
    expect((await readFields(pdf)).every(({ hasAppearance }) => hasAppearance)).toBe(true);
  });

  test('places fields where the controls are, on any page, in columns and scaled', async () => {
    const body =
      '<div style="position: absolute; left: 96px; top: 96px"><input name="a" style="box-sizing: border-box; width: 192px; height: 48px"></div><div style="break-before: page; columns: 2; column-gap: 0; padding-top: 1px"><input name="b" style="box-sizing: border-box; width: 50%; height: 24px"><div style="break-before: column"><input name="c" style="box-sizing: border-box; width: 100%; height: 24px"></div></div>';
    const options = { width: '6in', height: '8in', margin: 0 };
    const head = '<style>* { margin: 0; padding: 0 }</style>';
    const rects = async (more: object) =>
      (await fieldsOf(body, { ...options, ...more }, head)).map(({ rect }) => rect.map(Math.round));
    const [first, ...others] = await fieldsOf(body, options, head);
    expect([first, ...others].map((field) => field?.page)).toEqual([1, 2, 2]);
    expect(first?.rect.map(Math.round)).toEqual([72, 468, 216, 504]);
    expect(others.map(({ rect }) => [rect[0], rect[2]].map((x) => Math.round(x ?? 0)))).toEqual([
      [0, 108],
      [216, 432],
    ]);
    expect((await rects({ scale: 0.5 }))[0]).toEqual([36, 522, 108, 540]);
    expect((await fieldsOf(body, { ...options, pageRanges: '2' }, head)).map(({ name }) => name)).toEqual(['b', 'c']);
  });

  test('begins a field where its text begins, because viewers know no padding', async () => {
    const rectOf = async (control: string, css: string, options: object = {}) => {
      const style = `position: absolute; left: 0; top: 0; box-sizing: border-box; width: 200px; height: 80px; border: 0; margin: 0; ${css}`;
      const { rect } = await fieldOf(control.replace('>', ` name="f" style="${style}">`), {
        margin: 0,
        format: 'A4',
        ...options,
      });
      const [left = 0, bottom = 0, right = 0, top = 0] = rect;
      return [left, 841.89 - top, right, 841.89 - bottom].map((value) => Math.round(value) || 0); // in points, from the upper left corner
    };
    expect(await rectOf('<input>', 'padding: 4px 16px 4px 40px')).toEqual([28, 0, 140, 60]);
    expect(await rectOf('<input>', 'padding: 4px 16px 4px 40px', { scale: 0.5 })).toEqual([13, 0, 71, 30]);
    expect(await rectOf('<input>', 'padding: 32px 0 8px')).toEqual([0, 18, 150, 60]);
    expect(await rectOf('<textarea></textarea>', 'padding: 16px')).toEqual([10, 10, 140, 60]);
    expect(await rectOf('<select><option>x</select>', 'appearance: none; padding: 0 40px 0 16px')).toEqual([10, 0, 150, 60]);
    expect(await rectOf('<input>', 'padding: 70px 190px 0 0')).toEqual([0, 0, 150, 60]);
    expect(await rectOf('<div data-signature-field="f"></div>', 'padding: 16px; background: #eee')).toEqual([0, 0, 150, 60]);
  });

  test('keeps applying style rules that select controls and their siblings', async () => {
    const style =
      '<style>p { display: none } :checked ~ p.a { display: block } input:not(:placeholder-shown) ~ p.b { display: block } p.c:last-child { display: block } body > a { display: none } a::after { content: attr(href) }</style>';
    const body =
      '<div><input type="checkbox" checked aria-label="x"><input placeholder="p" value="v"><p class="a">Shown-A<p class="b">Shown-B<p class="c">Shown-C</div>';
    const { texts } = await readFinished(await rendered(page(body, style)));
    expect(texts.join()).toContain('Shown-AShown-BShown-C');
    expect(texts.join()).not.toContain('platen');
  });

  test('has the same bytes for the same request', async () => {
    const options = { conformance: ['PDF/A-3a', 'PDF/UA-1'] };
    const html = page('<input name="a" value="b" aria-label="c">');
    const [one, other] = await Promise.all([rendered(html, options), rendered(html, options)]);
    expect(one.equals(other)).toBe(true);
  });
});

describe('controls that cannot become fields stay printed', () => {
  const textsOf = async (pdf: Buffer) => (await readFinished(pdf)).texts;
  const kept = async (body: string, text: string, options: object = {}) => {
    const pdf = await rendered(page(`${body}<p><input name="last" value="Last-value">`), { tagged: true, ...options });
    const texts = await textsOf(pdf);
    expect((await readFields(pdf)).map(({ name }) => name)).toEqual(['last']);
    expect(await readAppearances(pdf)).toEqual({ last: 'Last-value' });
    expect(texts.join()).not.toContain('Last-value');
    expect(pdf.includes('platen-field')).toBe(false);
    const without = await bytesOf(await client.pdf({ html: page(body), options: { ...options, forms: false } }));
    const countOf = (all: string[]) => all.filter((each) => each.includes(text)).length;
    expect(countOf(texts)).toBe(countOf(await textsOf(without)));
    return countOf(texts);
  };
  const control = '<input name="a" value="Kept-value" aria-label="A">';

  test('a control that repeats on each page', async () => {
    const rows = '<tr><td>row'.repeat(150);
    expect(
      await kept(`<table><thead style="break-inside: avoid"><tr><td>${control}</thead>${rows}</table>`, 'Kept-value'),
    ).toBeGreaterThan(0);
    const pages = '<p style="break-after: page">x<p style="break-after: page">y';
    expect(await kept(`<div style="position: fixed; top: 0">${control}</div>${pages}`, 'Kept-value')).toBeGreaterThan(0);
  });

  test('a control in the top layer, and one that a link cannot locate', async () => {
    expect(await kept(`<dialog id="d">${control}</dialog><script>d.showModal()</script>`, 'Kept-value')).toBe(1);
    expect(await kept(`<div style="anchor-scope: all">${control}</div>`, 'Kept-value')).toBe(1);
  });

  test('a control that a box cuts off, but not one that leaves the box or of which little is cut off', async () => {
    expect(await kept(`<div style="overflow: hidden; width: 90px">${control}</div>`, 'Kept-value')).toBe(1);
    const free = '<div style="overflow: hidden; width: 60px; height: 9px"><input name="a" style="position: absolute"></div>';
    const padded = '<div style="overflow: hidden; width: 300px"><input name="b" style="width: 100%; padding: 20px"></div>';
    expect(await fieldsOf(free + padded)).toMatchObject([{ name: 'a' }, { name: 'b' }]);
  });

  test.each(['transform: rotate(90deg)', 'transform: scale(.5)', 'scale: -1 1', 'zoom: 2', 'writing-mode: vertical-rl'])(
    'a rotated or scaled control: %s',
    async (style) => {
      expect(await kept(`<div style="width: 300px; margin: 200px 0; ${style}">${control}</div>`, 'Kept-value')).toBe(1);
    },
  );

  test('but not a checkbox or radio button that is only larger', async () => {
    const box = (style: string, type = 'checkbox') =>
      `<input type="${type}" style="position: absolute; margin: 0; left: 20px; width: 16px; height: 16px; ${style}">`;
    const larger = `${box('top: 20px; transform: scale(1.5)')}${box('top: 80px; scale: 2', 'radio')}`;
    const fields = await fieldsOf(`${larger}${box('scale: 2 1')}${box('scale: -1')}${box('rotate: 9deg')}`, { margin: 0 });
    expect(fields.map(({ rect: [left = 0, , right = 0] }) => [left, right])).toEqual([
      [12, 30],
      [9, 33],
    ]);
  });

  test('a set of radio buttons of which one cannot become a field', async () => {
    const radio = (name: string, more = '') => `<label><input type="radio" name="${name}" value="x" ${more}> one</label>`;
    const sets = `${radio('a')}${radio('a', 'style="rotate: 90deg"')}${radio('b')}<dialog id="d">${radio('b')}</dialog>`;
    const script = '<script>d.showModal()</script>';
    const fields = await fieldsOf(`<form>${sets}</form><form>${radio('a')}${radio('c')}</form>${script}`);
    expect(fields.map(({ name }) => name)).toEqual(['a', 'c']);
  });

  test('all controls of a root element that is moved, which moves links as well', async () => {
    for (const style of ['transform: translate(9px)', 'translate: 9px'])
      expect(await fieldsOf(control, {}, `<style>html { ${style} }</style>`)).toEqual([]);
  });

  test('and are each reported in a warning', async () => {
    const hidden = '<input id="hidden" style="position: absolute; clip: rect(0, 0, 0, 0)"><input style="clip-path: inset(50%)">';
    const shaped = '<div style="clip-path: polygon(0 0, 100% 0, 100% 90%, 0 100%)"><input id="shaped"></div>';
    const shadow = '<x-a><template shadowrootmode="open"><input id="inner"></template></x-a>';
    const body = `<div style="rotate: 9deg"><input id="turned"></div>${shaped}${shadow}<div style="position: fixed; top: 0"><input id="repeated"></div>${hidden}<p style="break-after: page"><input id="good"><p>x`;
    const { warnings } = await client.report({ html: page(body), options: { forms: true } });
    expect(warnings.map(({ kind, message }) => `${kind} ${message.split(' ')[0]}`)).toEqual([
      'field_printed #turned',
      'field_printed #shaped',
      'field_printed #inner',
      'field_printed #repeated',
    ]);
    const options = { forms: true, failOnWarning: ['field_printed'] };
    await problem(await client.pdf({ html: page(body), options }), 422, 'render_gate_failed');
  });

  test('and the whole document stays as it is if the links of the fields are removed', async () => {
    const script =
      '<script>new MutationObserver(() => { for (const each of [...document.documentElement.children]) if (each.localName === "div") each.remove() }).observe(document.documentElement, { childList: true })</script>';
    const pdf = await rendered(page(`${control}<textarea>More-value</textarea>${script}`));
    expect(await readFields(pdf)).toEqual([]);
    expect((await textsOf(pdf)).join()).toMatch(/Kept-value.*More-value/);
  });

  test('and hidden values are not in the PDF', async () => {
    const hidden = (style: string, index: number) => `<input name="h${index}" value="Hidden-value" style="${style}">`;
    const styles = [
      'position: absolute; clip: rect(0, 0, 0, 0)',
      'clip-path: inset(50%)',
      'width: 1px; height: 1px; border: 0; padding: 0',
      'position: absolute; left: -9999px',
      'scale: .001',
    ];
    const select =
      '<select name="s" aria-label="S"><option>Seen<option hidden>Hid-1<option style="display: none">Hid-2<option disabled>Hid-3</select>';
    const pdf = await rendered(page(`${styles.map(hidden).join('')}${select}`));
    const fields = await readFields(pdf);
    expect(fields.map(({ name }) => name)).toEqual(['s']);
    expect(fields[0]?.options.map(({ displayValue }) => displayValue)).toEqual(['Seen']);
  });
});

describe('the appearance of fields', () => {
  const PADDED = '<style>input { box-sizing: border-box; width: 200px; border: 0; padding: 0 24px }</style>';

  test('shows the value of each field, even if the box has no room for it', async () => {
    const inputs = [1, 2, 3].map(
      (index) =>
        `<input name="n${index}" value="Value-${index}" style="padding: 40px 10px; height: 12px; box-sizing: border-box; font-size: 60px; line-height: 200px">`,
    );
    const shown = await readAppearances(await rendered(page(inputs.join('<br>'))));
    expect(shown).toEqual({ n1: 'Value-1', n2: 'Value-2', n3: 'Value-3' });
  });

  test('shows the placeholder of an empty field, which is not its value', async () => {
    const pdf = await rendered(
      page('<input name="a" placeholder="Your name"><input type="password" name="b" placeholder="8 signs" value="x">'),
    );
    expect(await readAppearances(pdf)).toMatchObject({ a: 'Your name', b: '' });
    expect((await readFields(pdf)).map(({ value }) => value)).toEqual(['', '']);
  });

  test('shows the value of each of many fields', async () => {
    const names = Array.from({ length: 600 }, (_, index) => `n${index}`);
    const inputs = names.map((name) => `<input name="${name}" value="Value of ${name}" style="width: 100px">`);
    const pdf = await rendered(page(inputs.join('')));
    expect((await readFields(pdf)).map(({ name }) => name)).toEqual(names);
    const some = ['n0', 'n249', 'n250', 'n499', 'n500', 'n599'];
    expect(await readAppearances(pdf, some)).toEqual(Object.fromEntries(some.map((name) => [name, `Value of ${name}`])));
  });

  test('shows the label of a choice, and distinguishes options with the same value', async () => {
    const pdf = await rendered(
      page(
        '<select name="a"><option value="" disabled selected hidden>Please choose<option>x</select><select name="b"><option value="1">One<option value="1" selected>Uno</select>',
      ),
    );
    expect(await readAppearances(pdf)).toEqual({ a: 'Please choose', b: 'Uno' });
    expect((await readFields(pdf)).map(({ value }) => value)).toEqual([[''], ['Uno']]);
  });

  test('has the colour of the control, in whatever colour space, for what a reader types', async () => {
    const colors = ['rgb(255, 0, 0)', 'oklch(1 0 0)', 'color(srgb 0 1 0)', 'hsl(240 100% 50%)'];
    const pdf = await PDF.load(await rendered(page(colors.map((color) => `<input style="color: ${color}">`).join(''))));
    const widgets = ((pdf.getPages()[0] as { dict: PdfDict }).dict.get('Annots') as PdfArray).toArray();
    const styles = widgets.map((ref) => ((pdf.getObject(ref as PdfRef) as PdfDict).get('DA') as PdfString).asString());
    expect(styles.map((style) => style.replace(/.* Tf /, ''))).toEqual(['1 0 0 rg', '1 1 1 rg', '0 1 0 rg', '0 0 1 rg']);
  });

  test('has the size of its field, also where another kind of field looks the same', async () => {
    const pdf = await PDF.load(
      await rendered(page('<input value="x"><input value="x" list="l"><datalist id="l"><option>y</datalist>', PADDED)),
    );
    const widgets = ((pdf.getPages()[0] as { dict: PdfDict }).dict.get('Annots') as PdfArray).toArray();
    const widths = widgets.map((ref) => {
      const widget = pdf.getObject(ref as PdfRef) as PdfDict;
      const form = pdf.getObject((widget.get('AP') as PdfDict).get('N') as PdfRef) as PdfDict;
      return [widget.get('Rect'), form.get('BBox')].map((box) => {
        const [left, , right] = (box as PdfArray).toArray().map((side) => (side as PdfNumber).value);
        return Math.round((right ?? 0) - (left ?? 0));
      });
    });
    expect(widths).toEqual([
      [118, 118],
      [134, 134],
    ]);
  });

  test('has the size that the control has on paper', async () => {
    const css = '@media (min-width: 750px) { input { font-size: 21px; width: 210px; height: 42px } }';
    const pdf = await PDF.load(
      await rendered(
        page(
          '<input value="x" name="n">',
          `<style>input { box-sizing: border-box; font-size: 20px; width: 200px; height: 40px } ${css}</style>`,
        ),
      ),
    );
    const [ref] = ((pdf.getPages()[0] as { dict: PdfDict }).dict.get('Annots') as PdfArray).toArray();
    expect(((pdf.getObject(ref as PdfRef) as PdfDict).get('DA') as PdfString).asString()).toMatch(/^\/Helv 15 Tf/);
  });

  test('warns about a value with a character that no font has', async () => {
    const response = await client.pdf({
      html: page('<input value="\u{10FFFD}">'),
      options: { forms: true, failOnWarning: ['missing_glyphs'] },
    });
    await problem(response, 422, 'render_gate_failed');
  });

  test('shows a plain tick instead of a symbol of an icon font, which fields cannot use', async () => {
    const style = '<style>input { appearance: none; width: 20px; height: 20px } :checked::before { content: "\\f00c" }</style>';
    const pdf = await PDF.load(await rendered(page('<input type="checkbox" value="on">', style)));
    const resolve = (value: unknown) => (value instanceof PdfRef ? pdf.getObject(value) : value) as PdfDict;
    const [widget] = ((pdf.getPages()[0] as { dict: PdfDict }).dict.get('Annots') as PdfArray).toArray().map(resolve);
    const looks = resolve(resolve(widget?.get('AP')).get('N'));
    expect(resolve(looks.get('on')).get('Resources')).toBeDefined();
    expect(resolve(resolve(looks.get('on')).get('Resources')).has('Font')).toBe(false);
  });

  test('warns about text that its box clips, as without fields', async () => {
    const html = page(`<textarea style="height: 30px; resize: none; overflow: hidden">${'line\n'.repeat(30)}</textarea>`);
    const warningsOf = async (forms: boolean) => (await client.pdf({ html, options: { forms } })).headers.get('platen-warnings');
    expect(await warningsOf(true)).toBe(await warningsOf(false));
  });

  test('does not change when a script changes a value during the print', async () => {
    const html = page('<input id="a" value="before"><script>onbeforeprint = () => { a.value = "after" }</script>');
    const { detail } = await problem(await client.pdf({ html, options: { forms: true } }), 422, 'print_failed');
    expect(detail).toBe('options.forms: scripts of the document changed its form fields while it was printed');
  });
});

/** Returns the values of the first field, and the states of its buttons other than `Off`. */
async function buttonsOf(bytes: Buffer): Promise<{ values: string[]; states: string[] }> {
  const pdf = await PDF.load(bytes);
  const dictOf = (value: unknown) => (value instanceof PdfRef ? pdf.getObject(value) : value) as PdfDict;
  const form = dictOf(pdf.context.catalog.getDict().get('AcroForm'));
  const field = dictOf((form.get('Fields') as PdfArray).at(0));
  const kids = (field.get('Kids') as PdfArray).toArray().map(dictOf);
  const states = kids.flatMap((kid) => [...dictOf(dictOf(kid.get('AP')).get('N'))].map(([{ value }]) => value));
  const values = field.get('Opt') as PdfArray | undefined;
  return {
    values: (values?.toArray() ?? []).map((value) => (value as PdfString).asString()),
    states: states.filter((state) => state !== 'Off'),
  };
}

describe('radio buttons', () => {
  const radio = (value: string, more = '') => `<input type="radio" name="r" value="${value}" aria-label="${value}" ${more}>`;

  test('have distinct states, whatever their values are', async () => {
    const values = ['Choice2', 'é', 'Choice3', 'a b', 'a b'];
    const found = await buttonsOf(await rendered(page(values.map((value) => radio(value)).join(''))));
    expect(found).toEqual({ values, states: ['Choice2', 'Choice3', 'Choice4', 'Choice5', 'Choice6'] });
    expect(await buttonsOf(await rendered(page(radio('x'))))).toEqual({ values: [], states: ['x'] });
  });

  test('do not make their set read-only when one is disabled', async () => {
    const [field] = await fieldsOf(`${radio('a', 'disabled')}${radio('b', 'required')}`);
    expect(field).toMatchObject({ isReadOnly: false, isRequired: true });
    const [other] = await fieldsOf(`${radio('a', 'disabled')}${radio('b', 'disabled')}`);
    expect(other).toMatchObject({ isReadOnly: true });
  });

  test('are grouped by name, not by an equal id', async () => {
    const fields = await fieldsOf(`${radio('a', 'checked')}<input type="radio" id="r" value="b" checked aria-label="b">`);
    expect(fields.map(({ name, value }) => [name, value])).toEqual([
      ['r', 'a'],
      ['r_2', 'b'],
    ]);
  });
});

describe('combined with other options', () => {
  const BODY = '<label>Name <input name="n" value="v"></label>';

  test('supports a password, a watermark and compression', async () => {
    const pdf = await rendered(page(BODY), { password: 'secret', watermark: { text: 'DRAFT' }, compress: true });
    expect(await readFields(pdf, 'secret')).toMatchObject([{ name: 'n', value: 'v', description: 'Name' }]);
  });

  test('rejects a field without a name with conformance', async () => {
    const html = page('<select id="s"><option>x</select><input id="t" aria-label="named">');
    const response = await client.pdf({ html, options: { forms: true, conformance: 'PDF/UA-1' } });
    const { violations } = await problem(response, 422, 'not_conformant');
    expect(violations).toMatchObject([{ rule: 'field_name_missing', selector: '#s' }]);
    expect(await fieldsOf('<input id="t">', { conformance: 'PDF/A-2b' })).toMatchObject([{ name: 't' }]);
  });

  test('numbers equal names in a merged batch', async () => {
    const item = (value: string) => ({
      html: page(
        `<input name="n" value="${value}" aria-label="N"><input type="radio" name="r" value="x" checked aria-label="X">`,
      ),
      options: { forms: true },
    });
    const sent = { items: [item('one'), item('two'), { html: page('<p>None') }] };
    const { batch_id, succeeded } = await client.batch(sent);
    expect(succeeded).toBe(3);
    const fields = await readFields(await bytesOf(await client.get(`/v1/batches/${batch_id}.pdf`)));
    expect(fields.map(({ page: number, name, value }) => [number, name, value])).toEqual([
      [1, 'n', 'one'],
      [1, 'r', 'x'],
      [2, 'n_2', 'two'],
      [2, 'r_2', 'x'],
    ]);
  });
});

test('does not reveal the value of a password in the location of a violation', async () => {
  const html = page('<input type="password" value="hunter2" id="p">');
  for (const forms of [true, false]) {
    const refused = await problem(await client.pdf({ html, options: { forms, conformance: 'PDF/UA-1' } }), 422, 'not_conformant');
    expect(refused.violations).toMatchObject([{ rule: 'field_name_missing', selector: '#p' }]);
    expect(JSON.stringify(refused)).not.toContain('hunter2');
  }
});

test('maps read-only, maximum lengths and signature fields from HTML to PDF', async () => {
  const fields = await fieldsOf(
    '<input type="checkbox" readonly><input id="m" maxlength="3" aria-label="m"><script>m.value = "longer"</script><input maxlength="9" value="x">',
  );
  expect(fields.map(({ isReadOnly, maxLength }) => [isReadOnly, maxLength])).toEqual([
    [false, 0],
    [false, 0],
    [false, 9],
  ]);
  const flags = async (body: string) => {
    const pdf = await PDF.load(await rendered(page(body)));
    const form = pdf.context.catalog.getDict().get('AcroForm');
    const dict = (form instanceof PdfRef ? pdf.getObject(form) : form) as PdfDict;
    return (dict.get('SigFlags') as { value: number } | undefined)?.value;
  };
  expect(await flags('<div data-signature-field="s" style="height: 40px"></div>')).toBe(1);
  expect(await flags('<input>')).toBeUndefined();
});

describe('limits', () => {
  const used = async () => (await client.usage()).documents.used;

  test('rejects more than 2,000 fields', async () => {
    const before = await used();
    const many = (count: number) => page('<input>'.repeat(count));
    const refused = await problem(await client.pdf({ html: many(2_001), options: { forms: true } }), 422, 'resource_limit');
    expect(refused.detail).toBe('options.forms: the document has more than 2000 form fields');
    expect(refused.limit).toBe(2_000);
    expect(await used()).toBe(before);
    expect(await readFields(await rendered(many(600)))).toHaveLength(600);
  });

  test('supports 1,500 boxes with a design of their own', async () => {
    const style =
      '<style>input { appearance: none; width: 9px; height: 9px; border: 1px solid } :checked::before { content: "x" }</style>';
    const boxes = Array.from({ length: 1_500 }, () => '<input type="checkbox" checked aria-label="x">');
    expect(await fieldsOf(boxes.join(''), { timeout: 120_000 }, style)).toHaveLength(1_500);
  });

  test('rejects values of more than 16,000 characters', async () => {
    const html = page(`<input value="${'x'.repeat(16_001)}">`);
    await problem(await client.pdf({ html, options: { forms: true } }), 422, 'resource_limit');
  });

  test('does not let a document forge the links of fields', async () => {
    const forged = '<a href="platen-field:0">one</a> <a href="platen-field-0:0">two</a> <a href="platen-field:">three</a>';
    const fields = await fieldsOf(`${forged}<input name="n">`);
    expect(fields.map(({ name }) => name)).toEqual(['n']);
  });
});
