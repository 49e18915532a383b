/** Names elements in messages. */

/** Returns a name such as `div.main`. */
export function nameOf({ localName, id, classList }: Element): string {
  const [first] = classList;
  return `${localName}${id ? `#${id}` : first ? `.${first}` : ''}`;
}
