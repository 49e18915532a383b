/** Opens the templates of all keys: what reads them, what changes them, and what fills them with data. */
import type { Clock } from '../clock.ts';
import type { Database } from '../storage/database.ts';
import { StoredTemplates } from './stored-templates.ts';
import { TemplateChanges, type TemplateLimits } from './template-changes.ts';
import { type FillerServices, TemplateFiller } from './template-filler.ts';

export function openTemplates(database: Database, clock: Clock, engines: Omit<FillerServices, 'stored'>, limits: TemplateLimits) {
  const templates = new StoredTemplates(database, engines.assets);
  const templateFiller = new TemplateFiller(database, { stored: templates, ...engines });
  const templateChanges = new TemplateChanges(database, clock, { stored: templates, filler: templateFiller, ...engines }, limits);
  return { templates, templateFiller, templateChanges };
}
