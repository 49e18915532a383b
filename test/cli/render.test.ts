/** `platen render`, which needs no service. */
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PNG } from 'pngjs';
import { expect, test } from 'vitest';
import { setUpCli } from '../support/cli-folder.ts';
import { invoiceHtml, invoiceXml, SALES, type Sale } from '../support/invoices.ts';
import { readFinished } from '../support/read-finished.ts';
import { readPdf } from '../support/read-pdf.ts';
import { runCli, spawnCli } from '../support/service.ts';
import { html, image, Site } from '../support/site.ts';
import { smallPdf } from '../support/small-pdf.ts';

const { folder, env, cli, failure } = setUpCli();

test('renders a file to a file with options', async () => {
  const [input, output, options] = [join(folder, 'in.html'), join(folder, 'out.pdf'), join(folder, 'options.json')];
  await writeFile(input, '<h1>From a file</h1>');
  await writeFile(options, '{"format": "Letter", "landscape": true}');
  await cli('render', input, '-o', output, '--options', options);
  const pdf = await readPdf(await readFile(output));
  expect(pdf.pages).toEqual(['From a file']);
  expect(pdf.sizes).toEqual([{ width: 792, height: 612 }]);
});

test('renders a file with smaller pictures', async () => {
  const [input, output, options] = [join(folder, 'p.html'), join(folder, 'p.pdf'), join(folder, 'p.json')];
  const png = new PNG({ width: 300, height: 300 });
  for (const index of png.data.keys()) png.data[index] = index % 4 === 3 ? 255 : (index * 40_503) % 251;
  await writeFile(input, `<img width="72" src="data:image/png;base64,${PNG.sync.write(png).toString('base64')}">`);
  await writeFile(options, '{"images": {"quality": 50, "maxDpi": 96}}');
  await cli('render', input, '-o', output, '--options', options);
  expect(await readFile(output, 'latin1')).toMatch(/\/Width 72\b[^>]*\/DCTDecode/);
});

test('renders a file with an invoice and the requested conformance', async () => {
  const [input, xml, options] = [join(folder, 'r.html'), join(folder, 'r.xml'), join(folder, 'r.json')];
  await writeFile(input, invoiceHtml(SALES.plain as Sale));
  await writeFile(xml, invoiceXml(SALES.plain as Sale, 'BASIC WL'));
  await writeFile(options, '{"conformance": ["PDF/A-3a", "PDF/UA-1"]}');
  const flags = ['--options', options, '--invoice', xml];
  await cli('render', input, '-o', join(folder, 'r.pdf'), ...flags, '--invoice-profile', 'BASIC WL');
  const { attachments, xmp } = await readFinished(await readFile(join(folder, 'r.pdf')));
  expect(attachments).toEqual([expect.objectContaining({ name: 'factur-x.xml', content: await readFile(xml) })]);
  for (const claim of ['<pdfuaid:part>1<', '<pdfaid:conformance>A<', '<fx:ConformanceLevel>BASIC WL<'])
    expect(xmp).toContain(claim);
  expect((await failure(['render', input, '-o', '-', ...flags])).stderr).toBe(
    'platen: --invoice and --invoice-profile must be used together\n',
  );
  const wrong = await failure(['render', input, '-o', '-', ...flags, '--invoice-profile', 'BASIC']);
  expect(wrong.stderr).toContain('options.invoice.xml has the guideline of the profile BASIC WL, and not that of BASIC; ');
});

test('renders on a letterhead, which the options name beside their file', async () => {
  const [input, output, options] = [join(folder, 'letter.html'), join(folder, 'letter.pdf'), join(folder, 'letter.json')];
  await writeFile(input, '<p>Dear Ada');
  await writeFile(join(folder, 'head.pdf'), smallPdf([{ content: 'BT /F 12 Tf 20 180 Td (ACME Ltd) Tj ET' }]));
  await writeFile(options, '{"letterhead": {"file": "head.pdf", "margin": "60mm 25mm"}}');
  for (const flags of [
    ['--options', options],
    ['--letterhead', join(folder, 'head.pdf')],
  ]) {
    await cli('render', input, '-o', output, ...flags);
    expect((await readPdf(await readFile(output))).pages[0]).toMatch(/ACME Ltd.*Dear Ada/s);
  }
  expect((await failure(['render', input, '-o', output, '--letterhead', join(folder, 'none.pdf')])).stderr).toBe(
    `platen: cannot read ${join(folder, 'none.pdf')}: there is no such file\n`,
  );
  expect((await failure(['render', input, '-o', output, '--letterhead', input])).stderr).toBe(`platen: ${input} is not a PDF\n`);
});

test('renders a Markdown file', async () => {
  const input = join(folder, 'note.md');
  await writeFile(input, '# A *note*');
  await cli('render', input, '-o', join(folder, 'note.pdf'));
  expect(await readPdf(await readFile(join(folder, 'note.pdf')))).toMatchObject({ pages: ['A note'], title: 'A note' });
});

test('says how to convert files that are not UTF-8', async () => {
  const [latin, options, data] = [join(folder, "it's.html"), join(folder, 'latin.json'), join(folder, 'utf16.json')];
  await writeFile(latin, Buffer.from('<p>Grüße', 'latin1'));
  await writeFile(options, Buffer.from('{"metadata": {"title": "Grüße"}}', 'latin1'));
  await writeFile(data, Buffer.from('\ufeff{"name": "Grüße"}', 'utf16le'));
  const output = join(folder, 'converted.pdf');
  const { stderr } = await failure(['render', latin, '-o', output]);
  expect(stderr).toContain(`${latin} is not valid UTF-8; convert it: iconv -f ISO-8859-1 -t UTF-8 '`);
  const converted = execFileSync('sh', ['-c', (/iconv .*(?= >)/.exec(stderr) ?? [''])[0]]);
  await writeFile(join(folder, 'utf8.html'), converted);
  await cli('render', join(folder, 'utf8.html'), '-o', output);
  expect((await readPdf(await readFile(output))).pages).toEqual(['Grüße']);
  const template = join(folder, 'utf8.html');
  expect((await failure(['render', template, '-o', output, '--options', options])).stderr).toContain(
    `iconv -f ISO-8859-1 -t UTF-8 ${options} >`,
  );
  expect((await failure(['render', template, '-o', output, '--data', data])).stderr).toContain(
    `iconv -f UTF-16 -t UTF-8 ${data} >`,
  );
  const child = spawnCli(['render', '-', '-o', output], env);
  const said = child.stderr?.toArray();
  child.stdin?.end(Buffer.from('<p>Grüße', 'latin1'));
  await once(child, 'exit');
  expect(String(await said)).toContain('standard input is not valid UTF-8; convert it: iconv -f ISO-8859-1 -t UTF-8 in.html');
});

test('loads files next to the document, and nothing above its folder', async () => {
  const place = join(folder, 'place');
  await mkdir(join(place, 'css'), { recursive: true });
  await writeFile(join(folder, 'above.css'), 'h1 { color: #0000ff }');
  await writeFile(join(place, '.hidden.css'), 'h1 { color: #0000ff }');
  await symlink(join(folder, 'above.css'), join(place, 'link.css'));
  await writeFile(join(place, 'css', 'print.css'), 'h1 { color: #c00000 }');
  const sheets = ['css/print.css', '../above.css', '.hidden.css', 'link.css', '%2e%2e/above.css', 'css/..%2f../../above.css'];
  await writeFile(
    join(place, 'in.html'),
    `${sheets.map((href) => `<link rel=stylesheet href="${href}">`).join('')}<h1>Styled</h1>`,
  );
  const { stderr } = await cli('render', join(place, 'in.html'), '-o', join(place, 'out.pdf'), '--format', 'a5', '--margin', '0');
  const pdf = await readPdf(await readFile(join(place, 'out.pdf')));
  expect(pdf.fills).toContain('#c00000');
  expect(pdf.fills).not.toContain('#0000ff');
  expect(pdf.sizes[0]?.width).toBeCloseTo(419.5, 0);
  expect(stderr).toContain('platen: resource_failed: link.css: ');
});

test('reads format and margin as the API does', async () => {
  const [input, output] = [join(folder, 'sides.html'), join(folder, 'sides.pdf')];
  await writeFile(input, '<!doctype html><style>body { margin: 0 }</style><p style="margin: 0">Text');
  await cli('render', input, '-o', output, '--format', 'A5 landscape', '--margin', '10mm 15mm');
  const { sizes, placed } = await readPdf(await readFile(output));
  expect(sizes[0]?.width).toBeCloseTo(595.3, 0);
  expect(placed[0]?.[0]?.x).toBeCloseTo((15 * 72) / 25.4, 0);
});

test('fills a template with data in both languages', async () => {
  const [input, data] = [join(folder, 'letter.html'), join(folder, 'data.json')];
  await writeFile(input, '<p>Dear {{ name | upcase }}{{name}}');
  await writeFile(data, '{"name": "Ada"}');
  const pagesOf = async (...flags: string[]) => {
    await cli('render', input, '-o', join(folder, 'letter.pdf'), '--data', data, ...flags);
    return (await readPdf(await readFile(join(folder, 'letter.pdf')))).pages;
  };
  expect(await pagesOf('--template', 'liquid')).toEqual(['Dear ADAAda']);
  expect(await pagesOf()).toEqual(['Dear {{ name | upcase }}Ada']);
  const wrong = await failure(['render', 'https://example.com/', '-o', '-', '--data', data]);
  expect(wrong.stderr).toBe('platen: --template and --data can be used only with an HTML file\n');
});

test('shows images next to the document, but scripts cannot read files', async () => {
  const place = join(folder, 'private');
  await mkdir(join(place, '.secret'), { recursive: true });
  const dot = '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><rect width="9" height="9" fill="#c00000"/></svg>';
  await writeFile(join(place, 'dot.svg'), dot);
  await writeFile(join(place, '.secret', 'dot.svg'), dot);
  await symlink(join(place, '.secret'), join(place, 'linked'));
  for (const name of ['taxes.xlsx', 'notes.txt', 'more.html', 'data.json']) await writeFile(join(place, name), 'private');
  await writeFile(join(place, 'run.js'), 'document.body.append("ran ")');
  const paths = ['taxes.xlsx', 'notes.txt', 'more.html', 'data.json', 'dot.svg', 'run.js', 'linked/dot.svg'];
  await writeFile(
    join(place, 'in.html'),
    `<body><img src=dot.svg onload="show('shown')"><img src=linked/dot.svg onload="show('leaked')"><script>
    const show = (text) => document.body.append(text + ' ');
    for (const path of ${JSON.stringify(paths)})
      fetch(path).then((reply) => reply.text().then((text) => show(text ? 'read ' + path : 'nothing')), () => show('refused'));
    </script><script src=run.js></script>`,
  );
  await cli('render', join(place, 'in.html'), '-o', join(place, 'out.pdf'));
  const words = (await readPdf(await readFile(join(place, 'out.pdf')))).pages.join(' ').split(/\s+/).filter(Boolean);
  expect(words.sort()).toEqual([...Array(5).fill('nothing'), 'ran', 'refused', 'refused', 'shown']);
});

test('renders standard input to standard output, and writes nothing else to it', async () => {
  const child = spawnCli(['render', '-', '-o', '-'], env);
  const chunks: Buffer[] = [];
  child.stdout?.on('data', (chunk: Buffer) => chunks.push(chunk));
  child.stdin?.end('<p>piped');
  expect((await once(child, 'exit'))[0]).toBe(0);
  expect((await readPdf(Buffer.concat(chunks))).pages).toEqual(['piped']);
});

test('writes next to the document with the extension .pdf without -o, and never overwrites the document', async () => {
  const place = join(folder, 'no.output');
  await mkdir(place);
  const [input, bare] = [join(place, 'in.html'), join(place, 'bare')];
  await writeFile(input, 'named');
  expect((await cli('render', input)).stderr).toContain(`platen: wrote ${join(place, 'in.pdf')}\n`);
  expect((await readPdf(await readFile(join(place, 'in.pdf')))).pages).toEqual(['named']);
  await writeFile(bare, 'without an ending');
  expect((await cli('render', bare)).stderr).toContain(`platen: wrote ${bare}.pdf\n`);
  await writeFile(join(place, 'page.pdf'), 'HTML');
  for (const args of [[join(place, 'page.pdf')], [input, '-o', join(place, '.', 'in.html')]])
    expect((await failure(['render', ...args])).stderr).toMatch(/^platen: .* is an input and would be overwritten: /);
  expect(await readFile(join(place, 'page.pdf'), 'utf8')).toBe('HTML');
  for (const input of ['-', 'https://example.com/'])
    expect((await failure(['render', input])).stderr).toMatch(/^platen: -o is required with /);
});

test('prints warnings to standard error, and fails with failOnWarning', async () => {
  const [input, options] = [join(folder, 'missing.html'), join(folder, 'strict.json')];
  await writeFile(input, '<img src="logo.png">');
  await writeFile(options, '{"failOnWarning": ["resource_failed"]}');
  const { stderr } = await cli('render', input, '-o', join(folder, 'missing.pdf'));
  expect(stderr).toContain('platen: resource_failed: logo.png: answered with status 404');
  const failed = await failure(['render', input, '-o', join(folder, 'none.pdf'), '--options', options]);
  expect(failed).toMatchObject({ code: 1, stderr: expect.stringContaining('failOnWarning: resource_failed: logo.png') });
});

test('prints one clear line and exits with status 1 for faults', async () => {
  expect(await failure(['render', join(folder, 'nothing.html'), '-o', '-'])).toEqual({
    code: 1,
    stderr: expect.stringMatching(/^platen: cannot read .*nothing\.html: there is no such file\n$/),
  });
  const [input, options] = [join(folder, 'bad.html'), join(folder, 'bad.json')];
  await writeFile(input, 'x');
  expect((await failure(['render', input, '-o', join(folder, 'none/a.pdf')])).stderr).toMatch(
    /^platen: cannot write .*a\.pdf: the folder .*none does not exist\n$/,
  );
  await writeFile(options, '{"formatt": "A4"}');
  expect((await failure(['render', input, '-o', '-', '--options', options])).stderr).toBe(
    'platen: options.formatt: there is no such field; did you mean options.format?\n',
  );
});

test('names the setting that allows a private address', async () => {
  using site = await Site.start({ '/': html('<p>inside'), '/a.png': image });
  const setting = `PLATEN_OUTBOUND_ALLOW=127.0.0.1:${site.port}`;
  const [input, output] = [join(folder, 'private.html'), join(folder, 'private.pdf')];
  await writeFile(input, `<p>x<img src="${site.origin}/a.png">`);
  expect((await failure(['render', site.origin, '-o', output])).stderr).toContain(`; ${setting} allows it`);
  expect((await cli('render', input, '-o', output)).stderr).toContain(`; ${setting} allows it`);
  const allowed = await runCli(['render', site.origin, '-o', output], {
    ...env,
    PLATEN_OUTBOUND_ALLOW: setting.split('=')[1] ?? '',
  });
  expect(allowed.stderr).not.toContain('PLATEN_OUTBOUND_ALLOW');
  expect((await readPdf(await readFile(output))).pages).toEqual(['inside']);
});
