/**
 * Inspects a loaded document for problems without an event: missing parts, and CSS without effect. It evaluates nothing in the page
 * if the markup gives no reason to.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Session } from '../devtools/connection.ts';
import type { Step } from '../devtools/step.ts';
import { sizesIn } from '../print/page-sizes.ts';
import type { HtmlClass } from './classify-html.ts';
import { readLanguages, UNHYPHENATED } from './hyphenation.ts';
import { type MissingResource, missingResourcesExpression, readMissingResources } from './missing-resources.ts';
import { type DocumentStyles, readStyles, type TextAt } from './style-sheets.ts';
import { type UnsupportedCss, unsupportedIn } from './unsupported-css.ts';

export interface InspectionFindings {
  unsupported: UnsupportedCss[];
}

const NOTHING: DocumentStyles = { texts: [], rules: [] };
/** Limits the time of an answer, which a document can delay. */
const MAX_LOOK_MS = 3_000;
const NO_DICTIONARY = 'write soft hyphens (&shy;)';

export class DocumentInspection {
  readonly #session: Session;
  readonly #textAt: TextAt;
  #styles = NOTHING;

  constructor(session: Session, textAt: TextAt) {
    this.#session = session;
    this.#textAt = textAt;
  }

  /** Call it before printing. It makes page sizes that Chromium does not know take effect, and returns them. */
  async readStyles({ mayHaveUnsupportedCss }: HtmlClass, step: Step): Promise<string[]> {
    if (!mayHaveUnsupportedCss) return [];
    this.#styles = await readStyles(this.#session, this.#textAt, step);
    return sizesIn(this.#styles.rules.join(' '));
  }

  /** Call it after printing. */
  async findings({ hasResources }: HtmlClass, hasScript: boolean): Promise<InspectionFindings & { missing: MissingResource[] }> {
    const missing = hasResources ? readMissingResources(await this.#ask(missingResourcesExpression(hasScript))) : [];
    const stated = unsupportedIn(this.#styles.texts);
    const unsupported = await Promise.all(stated.map((each) => (each.property === 'hyphens' ? this.#inVain(each) : each)));
    return { missing, unsupported: unsupported.filter((each) => each !== undefined) };
  }

  end(): void {
    this.#styles = NOTHING;
  }

  async #inVain(hyphens: UnsupportedCss): Promise<UnsupportedCss | undefined> {
    const languages = readLanguages(await this.#ask(UNHYPHENATED));
    if (!languages.length) return undefined;
    const named = languages.filter(Boolean).map((language) => `for ${language}`);
    const unnamed = languages.includes('') ? ['for text without a lang attribute'] : [];
    return { ...hyphens, why: `there is no dictionary ${[...named, ...unnamed].join(', ')}; ${NO_DICTIONARY}` };
  }

  /** Returns undefined if the document navigates to another. */
  async #ask(expression: string): Promise<unknown> {
    const asked = this.#session.send('Runtime.evaluate', { expression, awaitPromise: true, returnByValue: true });
    const answer = asked.then(
      ({ result }) => result.value,
      () => undefined,
    );
    const limit = new AbortController();
    const tooLong = sleep(MAX_LOOK_MS, undefined, { signal: limit.signal }).catch(() => undefined);
    return Promise.race([answer, tooLong]).finally(() => limit.abort());
  }
}
