/** Names elements in messages. */

/** With what the ids begin that the service gives to elements. */
const OWN_ID = 'platen-place-';

/** Returns a name such as `div.main`. */
export function elementName(element: Element): string {
  const [first] = element.classList;
  const id = ownId(element);
  return `${element.localName}${id ? `#${id}` : first ? `.${first}` : ''}`;
}

/** The id that the document gives to an element. */
function ownId({ id }: Element): string {
  return id.startsWith(OWN_ID) ? '' : id;
}
