/** File names of results are unique, and valid on every system. */
import { expect, test } from 'vitest';
import { FileNames } from '../../src/batches/file-names.ts';

const of = (name: string | undefined) => new FileNames().take({ position: 0, filename: name, reference: undefined });

test.each([
  ['invoice.pdf', 'invoice.pdf'],
  ['invoice.PDF', 'invoice.pdf'],
  ['invoice', 'invoice.pdf'],
  ['a.b', 'a.b.pdf'],
  ['Übersicht 文档 😀', 'Übersicht 文档 😀.pdf'],
  ['u\u0308', 'ü.pdf'],
  ['../../etc/passwd', '_.._etc_passwd.pdf'],
  ['..\\..\\x', '_.._x.pdf'],
  ['/etc/x', '_etc_x.pdf'],
  ['C:\\x', 'C__x.pdf'],
  ['a\0b\nc\u007fd\u0085e', 'a_b_c_d_e.pdf'],
  ['a\u202efdp.exe', 'a_fdp.exe.pdf'],
  ['\ud800', '\ufffd.pdf'],
  ['..', 'item-001.pdf'],
  ['.hidden', 'hidden.pdf'],
  [' . .pdf', 'item-001.pdf'],
  ['.pdf', 'item-001.pdf'],
  ['x.pdf ', 'x.pdf'],
  ['x .pdf', 'x.pdf'],
  ['nul.txt', '_nul.txt.pdf'],
  ['COM1', '_COM1.pdf'],
  ['', 'item-001.pdf'],
  [undefined, 'item-001.pdf'],
])('gives %j the file name %j', (name, expected) => {
  expect(of(name)).toBe(expected);
});

test('cuts long names between characters, also with a number', () => {
  const names = new FileNames();
  for (let n = 0; n < 3; n++) {
    const name = names.take({ position: n, filename: '😀'.repeat(300), reference: undefined });
    expect(Buffer.byteLength(name)).toBeLessThanOrEqual(255);
    expect(name.isWellFormed()).toBe(true);
  }
});

test('prefers the filename over the reference, and both over the number of the item', () => {
  const names = new FileNames();
  expect(names.take({ position: 0, filename: 'a.pdf', reference: 'b' })).toBe('a.pdf');
  expect(names.take({ position: 1, filename: undefined, reference: 'b' })).toBe('b.pdf');
  expect(names.take({ position: 2, filename: '...', reference: null })).toBe('item-003.pdf');
  expect(names.take({ position: 999, filename: undefined, reference: null })).toBe('item-1000.pdf');
});

test('makes names unique regardless of case and ending', () => {
  const names = new FileNames();
  const all = ['a', 'A', 'a (2)', 'a', 'a.pdf'].map((filename, position) => names.take({ position, filename, reference: null }));
  expect(all).toEqual(['a.pdf', 'A (2).pdf', 'a (2) (2).pdf', 'a (3).pdf', 'a (4).pdf']);
});

test('finds a free name quickly for one that occurs very often', () => {
  const names = new FileNames();
  let last = '';
  for (let position = 0; position < 20_000; position++) last = names.take({ position, filename: 'same', reference: null });
  expect(last).toBe('same (20000).pdf');
});
