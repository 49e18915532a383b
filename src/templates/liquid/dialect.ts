/** The Liquid dialect of templates: LiquidJS without file access and without code in strings, with parts by name, with filters for dates, numbers and money. Times are in UTC. */
import { assert, filters, Liquid } from 'liquidjs';
import { DEFAULT_LOCALE, formatFilters } from './formats.ts';
import { CaptureEmitter, limitFilter } from './limits.ts';
import { registerParts } from './parts.ts';

type TagOptions = Exclude<Parameters<Liquid['registerTag']>[1], new (...args: never) => unknown>;

export function createLiquid(): Liquid {
  const engine = new Liquid({
    outputEscape: limitFilter('escape', filters.escape as Parameters<typeof limitFilter>[1]), // a function, because LiquidJS resolves a name to its own filter
    ownPropertyOnly: true,
    strictFilters: true,
    templates: Object.create(null), // no files: parts come with each task
    locale: DEFAULT_LOCALE,
    timezoneOffset: 0,
  });
  registerParts(engine);
  engine.registerTag('include', REFUSED_TAG);
  for (const [name, filter] of Object.entries({ ...filters, ...formatFilters })) {
    // These filters run strings as code.
    if (name.endsWith('_exp')) engine.unregisterFilter(name);
    else if (typeof filter === 'function') engine.registerFilter(name, limitFilter(name, filter));
  }
  const render = engine.renderer.renderTemplates.bind(engine.renderer);
  engine.renderer.renderTemplates = (templates, context, emitter = new CaptureEmitter(context)) =>
    render(templates, context, emitter);
  return engine;
}

const refuse = () =>
  assert(false, 'tag "include" is not available, because a part would read all variables around it: use render');
const REFUSED_TAG: TagOptions = { parse: refuse, render: refuse };
