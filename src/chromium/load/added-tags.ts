/** Adds the scripts and styles of the caller to a document. */

import type { ProxyListener } from '../../egress/egress-proxy.ts';
import { ServiceError } from '../../errors.ts';
import { ask } from '../devtools/ask.ts';
import { ANYTHING, type ExceptionDetails } from '../devtools/evaluate.ts';
import type { LoadContext } from './load-job.ts';
import type { AddedTag } from './load-settings.ts';

export class AddedTags {
  readonly #context: LoadContext;
  /** Each tag that was added, with the number of the document that it was added to. */
  readonly #added = new Map<AddedTag, number | undefined>();

  constructor(context: LoadContext) {
    this.#context = context;
  }

  /** Scripts run once, even if they navigate. Styles are added to every document. */
  async addTo(document: number | undefined): Promise<void> {
    for (const tag of this.#context.job.load.added) {
      if (this.#added.has(tag) && (tag.element === 'script' || this.#added.get(tag) === document)) continue;
      await this.#add(tag);
      this.#added.set(tag, document);
    }
  }

  /** Throws `navigation_failed` if the tag cannot be loaded. */
  async #add(tag: AddedTag): Promise<void> {
    const { element, from, type = '' } = tag;
    const { parts, job, attempt } = this.#context;
    const { session, proxy } = parts;
    const { javascript } = job.load.device;
    const onThrow = ({ exception, text }: ExceptionDetails) => {
      throw addFailed(tag, exception?.description ?? text, proxy);
    };
    const added = ask(session, 'addElement', [{ element, from, type }], ANYTHING, { awaitPromise: javascript, onThrow });
    await attempt.step(added);
  }
}

function addFailed({ element, from }: AddedTag, description: string, proxy: ProxyListener): ServiceError {
  const about = element === 'style' ? 'added_style' : 'added_script';
  const failure = 'url' in from ? proxy.findFailure(URL.parse(from.url)) : undefined;
  if (failure?.refusedBy)
    return new ServiceError('forbidden_url', '{option}: the URL is not allowed by the network policy of this service', {
      remedy: failure.remedy,
      about,
    });
  const reason = failure?.netError ?? description.split('\n')[0]?.replace(/^Error: /, '');
  const members = failure ? { net_error: failure.netError } : {};
  return new ServiceError('navigation_failed', `{option}: ${reason}`, { members, about });
}
