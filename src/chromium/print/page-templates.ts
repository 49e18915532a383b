/**
 * Prepares the headers and footers of a print: puts files into them, finds margins that keep the text clear of them, finds what they
 * lack, and loads their fonts. Chromium prints each of them as a document of its own, which loads nothing
 * (`HeaderAndFooterContext`):
 * https://source.chromium.org/chromium/chromium/src/+/main:components/printing/renderer/print_render_frame_helper.cc
 */
import type { HostedFiles } from '../../egress/hosted-assets.ts';
import { ServiceError } from '../../errors.ts';
import type { FontKnowledge } from '../../fonts/font-knowledge.ts';
import { MAX_FILLED_BYTES } from '../../in-page/contract/limits.ts';
import type { FilledMarkup } from '../../in-page/contract/questions.ts';
import { ask } from '../devtools/ask.ts';
import type { Session } from '../devtools/connection.ts';
import type { Step } from '../devtools/step.ts';
import { glyphCandidates } from '../glyphs/glyph-candidates.ts';
import { inspectDocument, NO_FINDINGS, type TextFindings } from '../glyphs/missing-glyphs.ts';
import { clearance, MEASURING_DOCUMENT, measuredMarkup, TEMPLATE_HEIGHTS } from './header-footer.ts';
import type { MissingResource } from './missing-resource.ts';
import type { PrintSettings } from './print-options.ts';
import { FILLED_MARKUP, MAY_NAME_FILES, withFiles } from './template-files.ts';
import { loadFonts } from './template-fonts.ts';

const NO_FILE = 'a header or footer shows data: URLs and files in assets only';
const BAD_FONT = 'the font of a header or footer cannot be read';

/** What headers and footers lack. */
export interface TemplateFindings extends TextFindings {
  missing: MissingResource[];
}

export const NO_TEMPLATE_FINDINGS: TemplateFindings = { ...NO_FINDINGS, missing: [] };

export class PageTemplates {
  readonly #session: Session;
  readonly #frameId: string;
  readonly #fonts: FontKnowledge;
  #findings = NO_TEMPLATE_FINDINGS;

  constructor(session: Session, frameId: string, fonts: FontKnowledge) {
    this.#session = session;
    this.#frameId = frameId;
    this.#fonts = fonts;
  }

  /** What the prepared templates lack. */
  get findings(): TemplateFindings {
    return this.#findings;
  }

  /**
   * Call it before the document is loaded. It may load a document, so that an empty one must be loaded afterwards if it returns other
   * settings. Throws `content_too_large`.
   */
  async prepare(settings: PrintSettings, files: HostedFiles, step: Step): Promise<PrintSettings> {
    this.#findings = NO_TEMPLATE_FINDINGS;
    const { header, footer } = settings.templates;
    const markup = [header, footer].filter((template) => template !== undefined);
    const isMeasured = markup.length > 0 && settings.marginChosenBy === 'document';
    if (
      !isMeasured &&
      !this.#fonts.lacks(glyphCandidates(markup.join('\n'))) &&
      !markup.some((each) => MAY_NAME_FILES.test(each))
    )
      return settings;
    await this.#openMeasuringDocument(step);
    const filled = [await this.#fill('header', header, files, step), await this.#fill('footer', footer, files, step)];
    const templates = { ...settings.templates, header: filled[0]?.markup, footer: filled[1]?.markup };
    const margin = await this.#measure({ ...settings, templates }, step);
    const candidates = glyphCandidates(filled.map((each) => each?.markup).join('\n'));
    const text = await inspectDocument(this.#session, this.#frameId, this.#fonts, candidates, step);
    const missing = filled.flatMap((each) => each?.named ?? []).map((url) => ({ url, reason: NO_FILE, others: [] }));
    this.#findings = { ...text, missing };
    return { ...settings, templates, ...(isMeasured && { margin }) };
  }

  /** Call it when the document has been loaded. */
  async loadFonts({ templates: { header = '', footer = '' } }: PrintSettings, step: Step): Promise<void> {
    const having = [header, footer].filter((markup) => /@font-face/i.test(markup));
    if (!having.length) return;
    const lost = await loadFonts(this.#session, this.#frameId, having, step);
    const missing = lost.map((family) => ({ url: `font-family: ${family}`, reason: BAD_FONT, others: [] }));
    this.#findings = { ...this.#findings, missing: [...this.#findings.missing, ...missing] };
  }

  async #openMeasuringDocument(step: Step): Promise<void> {
    const loaded = this.#session.next('Page.loadEventFired');
    await step(this.#session.send('Page.setDocumentContent', { frameId: this.#frameId, html: MEASURING_DOCUMENT }));
    await step(loaded);
  }

  async #fill(
    name: 'header' | 'footer',
    markup: string | undefined,
    files: HostedFiles,
    step: Step,
  ): Promise<FilledMarkup | undefined> {
    if (markup === undefined || !MAY_NAME_FILES.test(markup)) return markup === undefined ? undefined : { markup, named: [] };
    const filled = await withFiles(markup, files, (given, embedded) =>
      step(ask(this.#session, 'fillTemplate', [given, embedded], FILLED_MARKUP)),
    );
    if (filled) return filled;
    const detail = `{option} has more than ${MAX_FILLED_BYTES} bytes with the files that it names, and it is repeated on every page: use smaller files`;
    throw new ServiceError('content_too_large', detail, { members: { limit: MAX_FILLED_BYTES }, about: name });
  }

  /** Computes margins that keep the text clear of header and footer. */
  async #measure({ templates, margin, paper }: PrintSettings, step: Step): Promise<PrintSettings['margin']> {
    const [head, foot] = measuredMarkup(templates);
    const measured = ask(this.#session, 'measureTemplates', [head, foot, paper.widthInches], TEMPLATE_HEIGHTS);
    const [header, footer] = await step(measured);
    const top = templates.header === undefined ? margin.top : Math.max(margin.top, clearance(header));
    const bottom = templates.footer === undefined ? margin.bottom : Math.max(margin.bottom, clearance(footer));
    return { ...margin, top, bottom };
  }
}
