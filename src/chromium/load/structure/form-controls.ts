/**
 * Reads the form fields of a document before it is printed, in an isolated world, and prepares them: the print shows the boxes of
 * the controls without their content. Links to `KEY:0` and so on are placed over them and give their positions in the PDF.
 * Controls that cannot become fields are restored and printed as they are.
 */
import { Type } from 'typebox';
import { ServiceError } from '../../../errors.ts';
import { type ExceededLimit, FIELD_LIMITS, isStyleText } from '../../../in-page/contract/fields.ts';
import type { ElementLocation, FormControl } from '../../../tag-structure.ts';
import { type Answer, ask, BOOLEAN, createIsolatedWorld } from '../../devtools/ask.ts';
import type { Session } from '../../devtools/connection.ts';
import { isUnanswered, shape, unanswered } from '../../devtools/evaluate.ts';
import type { Step } from '../../devtools/step.ts';

/** The fields of a document, and the controls that are printed as they are. */
export interface PreparedFields {
  fields: FormControl[];
  /**
   * Controls that are rotated, scaled or written vertically or in shadow trees, and the other radio buttons of their sets; all of them
   * if the document would look different.
   */
  printed: ElementLocation[];
}

const UNREADABLE = 'the form fields of the document could not be read';
const TOO_MUCH_TEXT = 'the form fields of the document have more text than can be read';
const PREPARED = shape(
  Type.Union([
    Type.Object({
      packed: Type.String(),
      styles: Type.Array(Type.String()),
      printed: Type.Array(Type.Object({ selector: Type.String(), snippet: Type.String() })),
    }),
    Type.Object({ exceeded: Type.Enum(Object.keys(FIELD_LIMITS) as Array<keyof typeof FIELD_LIMITS>) }),
  ]),
);

/** Throws `resource_limit` and `print_failed`. The `key` must not occur anywhere else in the document. */
export async function prepareFields(session: Session, frameId: string, key: string, step: Step): Promise<PreparedFields> {
  const prepared = await askAboutFields(session, frameId, key, step).catch((error: unknown) => {
    throw isUnanswered(error) ? unanswered(error, 'form_fields', UNREADABLE, TOO_MUCH_TEXT) : error;
  });
  if ('exceeded' in prepared) throw tooMuch(prepared);
  const { packed, styles: texts, printed } = prepared;
  return { fields: unpack(JSON.parse(packed) as FormControl[], texts), printed };
}

async function askAboutFields(session: Session, frameId: string, key: string, step: Step): Promise<Answer<'prepareFields'>> {
  const contextId = await step(createIsolatedWorld(session, frameId));
  return step(ask(session, 'prepareFields', [key], PREPARED, { contextId, awaitPromise: false }));
}

/** Undoes how fields are packed. A reviver of `JSON.parse` would take ten times as long, because it is called for every value. */
function unpack(fields: FormControl[], texts: string[]): FormControl[] {
  for (const { style, options, looks } of fields) {
    const styled = [style, ...options, looks?.on, looks?.off] as Array<Record<string, unknown> | undefined>;
    for (const each of styled) for (const name in each) if (isStyleText(name)) each[name] = texts[each[name] as number];
  }
  return fields;
}

/** Restores some of the prepared fields. Throws `print_failed` if scripts have changed any of the others in the meantime. */
export async function restoreFields(session: Session, frameId: string, numbers: number[], step: Step): Promise<void> {
  const contextId = await step(createIsolatedWorld(session, frameId));
  const world = { contextId, awaitPromise: false, onThrow: () => false };
  if (await step(ask(session, 'restoreFields', [numbers], BOOLEAN, world))) return;
  const detail = '{option}: scripts of the document changed its form fields while it was printed';
  throw new ServiceError('print_failed', detail, { about: 'form_fields' });
}

const EXCEEDED: Record<ExceededLimit['exceeded'], string> = {
  fields: `the document has more than ${FIELD_LIMITS.fields} form fields`,
  options: `the form fields of the document have more than ${FIELD_LIMITS.options} options`,
  characters: `a text of a form field has more than ${FIELD_LIMITS.characters} characters`,
};

function tooMuch({ exceeded }: ExceededLimit): ServiceError {
  return new ServiceError('resource_limit', `{option}: ${EXCEEDED[exceeded]}`, {
    members: { limit: FIELD_LIMITS[exceeded] },
    about: 'form_fields',
  });
}
