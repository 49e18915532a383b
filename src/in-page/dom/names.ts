/** Names elements in messages. */

/** Returns a name such as `div.main`. */
export function elementName({ localName, id, classList }: Element): string {
  const [first] = classList;
  return `${localName}${id ? `#${id}` : first ? `.${first}` : ''}`;
}
