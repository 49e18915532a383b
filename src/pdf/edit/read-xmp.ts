/** Reads the properties of an XMP packet of any program (ISO 16684-1): XML in, the texts of properties by their names out. */
import { SaxesParser, type SaxesTagNS } from 'saxes';

const RDF = 'http://www.w3.org/1999/02/22-rdf-syntax-ns#';
const MAX_CHARACTERS = 1_048_576;
const MAX_PROPERTIES = 200;

/** By names without prefix. A list has several texts, and so has a text in several languages. */
export function readXmp(packet: string): Record<string, string | string[]> {
  const reader = new XmpReader();
  const parser = new SaxesParser({ xmlns: true });
  parser.on('opentag', (tag) => reader.open(tag));
  parser.on('text', (text) => reader.addText(text));
  parser.on('closetag', (tag) => reader.close(tag));
  parser.on('error', () => {}); // what could be read until then is kept
  parser.write(packet.slice(0, MAX_CHARACTERS)).close();
  return Object.fromEntries(
    [...reader.properties].map(([name, texts]) => [name, texts.length === 1 ? (texts[0] as string) : texts]),
  );
}

class XmpReader {
  readonly properties = new Map<string, string[]>();
  /** The property that is open, and how many elements are open in it. */
  #property: { name: string; depth: number } | undefined;
  #text = '';
  #isDescription = false;

  open({ uri, local, attributes }: SaxesTagNS): void {
    this.#text = '';
    if (this.#property) this.#property.depth++;
    else if (uri === RDF && local === 'Description') {
      this.#isDescription = true;
      for (const each of Object.values(attributes))
        if (each.uri && each.uri !== RDF && each.prefix !== 'xmlns' && each.prefix !== 'xml') this.#add(each.local, each.value);
    } else if (this.#isDescription) this.#property = { name: local, depth: 0 };
  }

  addText(text: string): void {
    if (this.#property) this.#text += text;
  }

  close({ uri, local }: SaxesTagNS): void {
    const property = this.#property;
    if (!property) return;
    const isValue = property.depth === 0 || (uri === RDF && local === 'li');
    if (isValue && this.#text.trim()) this.#add(property.name, this.#text.trim());
    this.#text = '';
    if (property.depth-- === 0) this.#property = undefined;
  }

  #add(name: string, text: string): void {
    const known = this.properties.get(name);
    if (known) known.push(text);
    else if (this.properties.size < MAX_PROPERTIES) this.properties.set(name, [text]);
  }
}
