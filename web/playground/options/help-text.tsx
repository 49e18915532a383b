/** A sentence of the schema, with its `code` as code. */
export function HelpText({ text }: { text: string }) {
  return <>{text.split('`').map((part, index) => (index % 2 ? <code key={`${index}${part}`}>{part}</code> : part))}</>;
}
