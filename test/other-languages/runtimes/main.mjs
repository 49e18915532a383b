/** Uses the TypeScript client in any runtime: writes a PDF to a file, renders an image, reads a list to its end, and reads an error. */
import { Platen, PlatenError } from 'platen-client';

const platen = new Platen({ key: process.env.PLATEN_KEY, baseUrl: process.env.PLATEN_URL });
await (await platen.pdf({ html: `<h1>From ${process.env.RUNTIME}</h1>` })).toFile('out.pdf');
const image = await platen.image({ html: '<p>x</p>' });
const signature = Array.from((await image.bytes()).subarray(1, 4), (code) => String.fromCharCode(code)).join('');
const { document_id } = await platen.store({ html: '<p>Kept</p>' });
const listed = [];
for await (const document of platen.documents.list()) listed.push(document.document_id);
const refused = await platen.pdf({ html: 'x', options: { scale: 9 } }).catch((error) => error);
const result = { signature, listed: listed.includes(document_id), isOurs: refused instanceof PlatenError, code: refused.code };
const { writeFile } = await import('node:fs/promises');
await writeFile('result.json', JSON.stringify(result));
