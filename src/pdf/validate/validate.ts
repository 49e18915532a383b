/** Validates an untrusted PDF against PDF/A and PDF/UA: its bytes and the profiles in, the violated rules out. */
import { PDF, PdfDict, PdfName, PdfNumber, type PdfObject, PdfStream, PdfString } from '@libpdf/core';
import {
  type AnyProfile,
  type Claims,
  citeClauses,
  claimsStructure,
  levelRank,
  PROFILES,
  type Profile,
  toClaims,
} from '../conformance/profiles.ts';
import { scanReadable } from '../content/content-scanner.ts';
import { findResources } from '../objects/page-view.ts';
import {
  LANGUAGE_TAG,
  NAMESPACE_OF_PDF_2,
  PERMITTED_KIDS,
  STANDARD_TYPES,
  VERSION_2_TYPES,
} from '../structure/standard-types.ts';
import { TaggedOrder } from './glued-words.ts';
import { PlacedText } from './placed-text.ts';
import { ReadablePdf, type ReadElement, TooComplexError } from './readable-pdf.ts';
import { VALIDATION_RULES, type ValidationRule } from './rules.ts';

interface FoundViolation {
  rule: ValidationRule;
  clause: string;
  message: string;
  count: number;
}

export interface Validated {
  profiles: AnyProfile[];
  violations: FoundViolation[];
}

/** Without `profiles`, checks the known profiles that the file claims, which may be none. Throws if the PDF cannot be read. */
export async function validatePdf(bytes: Uint8Array, profiles: AnyProfile[] | undefined): Promise<Validated> {
  const parsed = await PDF.load(bytes);
  const pdf = new ReadablePdf(parsed);
  const xmp = readXmp(pdf);
  const asked = profiles ?? readClaims(xmp);
  const check = new Check(pdf, toClaims(asked), xmp);
  check.run(parsed.isEncrypted, Buffer.from(bytes.subarray(0, HEADER_BYTES)).toString('latin1'));
  return { profiles: asked, violations: check.found };
}

const HEADER_BYTES = 8;
const MAX_XMP_BYTES = 4_194_304;

function readXmp(pdf: ReadablePdf): string | undefined {
  const stream = pdf.stream(pdf.catalog, 'Metadata');
  return stream && Buffer.from(stream.getDecodedData().subarray(0, MAX_XMP_BYTES)).toString();
}

/** The value of an XMP property, written as an element or as an attribute; empty if it is missing. */
function property(xmp: string | undefined, name: string): string {
  const found = new RegExp(`<${name}>([^<]{0,200})</${name}>|\\s${name}="([^"]{0,64})"|\\s${name}='([^']{0,64})'`).exec(
    xmp ?? '',
  );
  return (found?.slice(1).find((value) => value !== undefined) ?? '').trim();
}

function readClaims(xmp: string | undefined): Profile[] {
  const part = property(xmp, 'pdfaid:part');
  const archive = `PDF/A-${part}${property(xmp, 'pdfaid:conformance').toLowerCase()}`;
  const accessible = `PDF/UA-${property(xmp, 'pdfuaid:part')}`;
  return PROFILES.filter((profile) => profile === archive || profile === accessible);
}

/** Whether the file claims this part of PDF/A at this level or a stricter one. */
function claimsArchive(xmp: string, { part, level }: NonNullable<Claims['archive']>): boolean {
  const claimed = property(xmp, 'pdfaid:conformance');
  const [needed, found] = [levelRank(level), levelRank(claimed)];
  return property(xmp, 'pdfaid:part') === String(part) && (needed < 0 ? claimed === level : found >= needed);
}

const MAX_CONTENT_BYTES = 67_108_864;
/** Structure types that are allowed only in these parents. */
const PARENTS: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  ['TR', new Set(['Table', 'THead', 'TBody', 'TFoot'])],
  ['TH', new Set(['TR'])],
  ['TD', new Set(['TR'])],
  ['LI', new Set(['L'])],
  ['LBody', new Set(['LI'])],
]);
const PAINTS = new Set(['S', 's', 'f', 'F', 'f*', 'B', 'B*', 'b', 'b*', 'sh', 'Tj', 'TJ', "'", '"']);
const ALLOWED_ACTIONS = new Set(['GoTo', 'GoToR', 'GoToE', 'Thread', 'URI', 'SubmitForm']);
const ACTIONS_FORBIDDEN_IN_4 = new Set(
  'Launch Sound Movie ResetForm ImportData Hide Rendition Trans SetOCGState GoTo3DView'.split(' '),
);
const ALLOWED_NAMES = new Set(['NextPage', 'PrevPage', 'FirstPage', 'LastPage']);
const [HIDDEN_FLAGS, PRINT_FLAG, HIDDEN_FLAG] = [1 | 2 | 32 | 256, 4, 2];

function isMisplaced({ type, parent }: ReadElement): boolean {
  const [kids, parents] = [PERMITTED_KIDS.get(parent?.type ?? ''), PARENTS.get(type)];
  return (
    (kids !== undefined && !kids.has(type) && type !== 'Artifact') || (parents !== undefined && !parents.has(parent?.type ?? ''))
  );
}

class Check {
  readonly #pdf: ReadablePdf;
  readonly #claims: Claims;
  readonly #xmp: string | undefined;
  readonly #found = new Map<ValidationRule, FoundViolation>();
  readonly #order: TaggedOrder;
  readonly #texts: PlacedText;

  constructor(pdf: ReadablePdf, claims: Claims, xmp: string | undefined) {
    this.#pdf = pdf;
    this.#claims = claims;
    this.#xmp = xmp;
    this.#order = new TaggedOrder(pdf);
    this.#texts = new PlacedText(pdf);
  }

  get found(): FoundViolation[] {
    return [...this.#found.values()];
  }

  run(isEncrypted: boolean, header: string): void {
    const { catalog } = this.#pdf;
    if (!/^%PDF-2\.\d/.test(header)) this.#add('version_old');
    if (this.#pdf.pdf.context.info.trailer.has('Info') && !catalog.has('PieceInfo')) this.#add('info_forbidden');
    if (isEncrypted) this.#add('encrypted');
    if (this.#pdf.pdf.recoveredViaBruteForce) this.#add('file_damaged');
    else if (!this.#pdf.pdf.context.info.trailer.has('ID')) this.#add('identifier_missing');
    this.#checkMetadata();
    if (!this.#hasOutputIntent()) this.#add('output_intent_missing');
    this.#checkCatalog(catalog);
    const owners = this.#checkStructure();
    for (const page of this.#pdf.pages()) this.#checkPage(page, owners);
    this.#add('words_glued', this.#order.countGluedWords(this.#texts));
    this.#checkForm();
    this.#checkFiles();
    for (const item of this.#pdf.outline()) {
      this.#checkActions(item, 'A');
      this.#checkDestination(item);
    }
    if (this.#pdf.dict(catalog, 'Names')?.has('JavaScript') && !this.#allowsScripts) this.#add('action_forbidden');
  }

  /** PDF/A-4 allows scripts; it lists the forbidden actions by name. */
  get #allowsScripts(): boolean {
    return this.#claims.archive?.part === 4;
  }

  #add(rule: ValidationRule, count = 1): void {
    const known = this.#found.get(rule);
    if (known) known.count += count;
    const clause = citeClauses(VALIDATION_RULES[rule], this.#claims);
    if (!known && clause && count) this.#found.set(rule, { rule, clause, message: VALIDATION_RULES[rule].message, count });
  }

  #checkMetadata(): void {
    if (this.#xmp === undefined) this.#add('metadata_missing');
    const { archive } = this.#claims;
    if (this.#xmp !== undefined && archive && !claimsArchive(this.#xmp, archive)) this.#add('archive_claim_missing');
    if (this.#xmp !== undefined && property(this.#xmp, 'pdfuaid:part') !== String(this.#claims.accessible))
      this.#add('accessible_claim_missing');
    const [, title = ''] = /<dc:title>\s*<rdf:Alt>\s*<rdf:li[^>]{0,200}>([^<]{0,65536})/.exec(this.#xmp ?? '') ?? [];
    if (this.#xmp !== undefined && !title.trim()) this.#add('title_missing');
  }

  #hasOutputIntent(): boolean {
    return this.#pdf.list(this.#pdf.catalog, 'OutputIntents').some((entry) => {
      const intent = this.#pdf.resolve(entry);
      return intent instanceof PdfDict && this.#pdf.name(intent, 'S') === 'GTS_PDFA1' && intent.has('DestOutputProfile');
    });
  }

  #checkCatalog(catalog: PdfDict): void {
    if (!this.#pdf.isTrue(this.#pdf.dict(catalog, 'MarkInfo'), 'Marked')) this.#add('not_marked');
    if (!this.#pdf.isTrue(this.#pdf.dict(catalog, 'ViewerPreferences'), 'DisplayDocTitle')) this.#add('title_not_shown');
    const language = this.#pdf.text(catalog, 'Lang');
    if (!language) this.#add('language_missing');
    else if (!LANGUAGE_TAG.test(language)) this.#add('language_invalid');
    this.#checkActions(catalog, 'OpenAction', 'AA');
  }

  /** Checks the structure tree. Returns the type of the structure element of each annotation. */
  #checkStructure(): Map<PdfObject, string> {
    const owners = new Map<PdfObject, string>();
    if (!this.#pdf.dict(this.#pdf.catalog, 'StructTreeRoot')) {
      this.#add('structure_missing');
      return owners;
    }
    try {
      let level = 0;
      if (!this.#hasVersion2Document()) this.#add('namespace_missing');
      for (const item of this.#pdf.structure()) {
        this.#order.add(item);
        if (!('element' in item)) continue;
        this.#checkElement(item.element);
        level = this.#checkHeading(item.element, level);
        this.#noteAnnotations(item.element, owners);
      }
    } catch (error) {
      if (!(error instanceof TooComplexError)) throw error;
      this.#add('structure_too_complex');
    }
    return owners;
  }

  #hasVersion2Document(): boolean {
    const [only, ...more] = this.#pdf.listOrOne(this.#pdf.dict(this.#pdf.catalog, 'StructTreeRoot'), 'K');
    const top = this.#pdf.resolve(only);
    if (more.length || !(top instanceof PdfDict) || this.#pdf.name(top, 'S') !== 'Document') return false;
    return this.#pdf.text(this.#pdf.dict(top, 'NS'), 'NS') === NAMESPACE_OF_PDF_2;
  }

  #checkElement(element: ReadElement): void {
    const { dict, type, isVersion2 } = element;
    const isKnown = STANDARD_TYPES.has(type) || (isVersion2 && (VERSION_2_TYPES.has(type) || /^H\d+$/.test(type)));
    if (!isKnown) this.#add('role_unmapped');
    if (isMisplaced(element)) this.#add('structure_invalid');
    const hasText = this.#pdf.text(dict, 'Alt') || this.#pdf.text(dict, 'ActualText');
    if (type === 'Figure' && !hasText) this.#add('alternate_text_missing');
    if (type === 'Formula' && !hasText) this.#add('formula_text_missing');
    const language = this.#pdf.text(dict, 'Lang');
    if (language && !LANGUAGE_TAG.test(language)) this.#add('language_invalid');
  }

  #checkHeading({ type }: ReadElement, before: number): number {
    const level = Number(/^H([1-6])$/.exec(type)?.[1] ?? 0);
    if (level > before + 1) this.#add('heading_skipped');
    return level || before;
  }

  #noteAnnotations({ dict, type }: ReadElement, owners: Map<PdfObject, string>): void {
    for (const kid of this.#pdf.listOrOne(dict, 'K')) {
      const reference = this.#pdf.resolve(kid);
      if (!(reference instanceof PdfDict) || this.#pdf.name(reference, 'Type') !== 'OBJR') continue;
      const annotation = this.#pdf.dict(reference, 'Obj');
      if (annotation) owners.set(annotation, type);
    }
  }

  /** A structure destination starts with an element, or is the entry `SD` of an action. */
  #checkDestination(holder: PdfDict): void {
    const action = this.#pdf.dict(holder, 'A');
    if (action && this.#pdf.name(action, 'S') === 'GoTo' && !action.has('SD')) this.#add('destination_unstructured');
    const given = this.#pdf.resolve(holder.get('Dest'));
    if (!given || given instanceof PdfString) return;
    const [places, name] =
      given instanceof PdfName ? [this.#pdf.dict(this.#pdf.catalog, 'Dests'), given.value] : [holder, 'Dest'];
    const place = this.#pdf.dict(places, name);
    const target = place ? this.#pdf.first(place, 'D') : this.#pdf.first(places, name);
    if (!(target instanceof PdfDict) || !target.has('S')) this.#add('destination_unstructured');
  }

  #checkPage(page: PdfDict, owners: Map<PdfObject, string>): void {
    const annotations = this.#pdf.list(page, 'Annots').map((entry) => this.#pdf.resolve(entry));
    const tabOrders = this.#claims.accessible === 2 ? ['A', 'W', 'S'] : ['S'];
    if (annotations.length && !tabOrders.includes(this.#pdf.name(page, 'Tabs'))) this.#add('tab_order_missing');
    for (const annotation of annotations)
      if (annotation instanceof PdfDict) this.#checkAnnotation(annotation, owners.get(annotation));
    this.#checkActions(page, 'AA');
    const resources = findResources(this.#pdf, page);
    this.#checkFonts(resources, this.#drawn);
    if (claimsStructure(this.#claims)) this.#checkContent(page, resources);
  }

  #checkAnnotation(annotation: PdfDict, owner: string | undefined): void {
    const subtype = this.#pdf.name(annotation, 'Subtype');
    const bits = this.#pdf.number(annotation, 'F') ?? 0;
    this.#checkActions(annotation, 'A', 'AA');
    this.#checkDestination(annotation);
    if (subtype === 'Popup') return;
    if (subtype === 'FileAttachment' && [1, 2].includes(this.#claims.archive?.part ?? 0)) this.#add('attachment_forbidden');
    this.#checkAppearances(annotation);
    if (bits & HIDDEN_FLAGS || !(bits & PRINT_FLAG)) this.#add('annotation_flags');
    if (!annotation.has('AP') && subtype !== 'Link' && !this.#isEmpty(annotation)) this.#add('appearance_missing');
    if (bits & HIDDEN_FLAG) return;
    if (subtype === 'Widget') this.#checkWidget(annotation, owner);
    else this.#checkDescribed(annotation, owner, subtype === 'Link');
  }

  #checkWidget(annotation: PdfDict, owner: string | undefined): void {
    if (owner !== 'Form') this.#add('field_untagged');
    let field: PdfDict | undefined = annotation;
    for (let depth = 0; field && depth < 64 && !this.#pdf.text(field, 'TU'); depth++) field = this.#pdf.dict(field, 'Parent');
    if (!this.#pdf.text(field, 'TU')) this.#add('field_name_missing');
  }

  #checkDescribed(annotation: PdfDict, owner: string | undefined, isLink: boolean): void {
    const kind = isLink ? 'link' : 'annotation';
    if (owner !== (isLink ? 'Link' : 'Annot')) this.#add(`${kind}_untagged`);
    if (!this.#pdf.text(annotation, 'Contents')) this.#add(`${kind}_description_missing`);
  }

  #isEmpty(annotation: PdfDict): boolean {
    const [left, bottom, right, top] = this.#pdf
      .list(annotation, 'Rect')
      .map((each) => (each instanceof PdfNumber ? each.value : 0));
    return left === right && bottom === top;
  }

  #checkActions(holder: PdfDict, ...entries: string[]): void {
    if (entries.includes('AA') && holder.has('AA') && !this.#allowsScripts) this.#add('action_forbidden');
    const first = entries.map((entry) => this.#pdf.dict(holder, entry)).find((dict) => dict?.has('S'));
    if (first && !this.#pdf.actions(first).every((action) => this.#isAllowed(action))) this.#add('action_forbidden');
  }

  #isAllowed(action: PdfDict): boolean {
    const type = this.#pdf.name(action, 'S');
    const isAllowed = this.#allowsScripts ? !ACTIONS_FORBIDDEN_IN_4.has(type) : ALLOWED_ACTIONS.has(type);
    return (isAllowed && type !== 'Named') || (type === 'Named' && ALLOWED_NAMES.has(this.#pdf.name(action, 'N')));
  }

  /** Checks the fonts of these resources and of the form XObjects in them. */
  #checkFonts(resources: PdfDict | undefined, seen: Set<PdfObject>): void {
    if (!resources || seen.has(resources)) return;
    seen.add(resources);
    for (const entry of this.#pdf.values(this.#pdf.dict(resources, 'Font'))) {
      const font = this.#pdf.resolve(entry);
      if (font instanceof PdfDict) this.#checkFont(font);
    }
    for (const entry of this.#pdf.values(this.#pdf.dict(resources, 'XObject'))) {
      const form = this.#pdf.resolve(entry);
      if (form instanceof PdfStream) this.#checkFonts(this.#pdf.dict(form, 'Resources'), seen);
    }
  }

  /** Checks the fonts of an annotation's normal appearance, which is one stream or one for each state. */
  #checkAppearances(annotation: PdfDict): void {
    const normal = this.#pdf.resolve(this.#pdf.dict(annotation, 'AP')?.get('N'));
    const forms = normal instanceof PdfStream ? [normal] : normal instanceof PdfDict ? this.#pdf.values(normal) : [];
    for (const entry of forms) {
      const form = this.#pdf.resolve(entry);
      if (form instanceof PdfStream) this.#checkFonts(this.#pdf.dict(form, 'Resources'), this.#drawn);
    }
  }

  /** Resources of appearances that were already checked. */
  readonly #drawn = new Set<PdfObject>();
  readonly #fonts = new Set<PdfObject>();

  #checkFont(font: PdfDict): void {
    if (this.#fonts.has(font)) return;
    this.#fonts.add(font);
    const isType3 = this.#pdf.name(font, 'Subtype') === 'Type3';
    const descendant = this.#pdf.first(font, 'DescendantFonts');
    const own = descendant instanceof PdfDict ? descendant : font;
    const descriptor = this.#pdf.dict(own, 'FontDescriptor');
    const isEmbedded = ['FontFile', 'FontFile2', 'FontFile3'].some((entry) => this.#pdf.stream(descriptor, entry));
    if (!isType3 && !isEmbedded) this.#add('font_not_embedded');
    const hasKnownEncoding = /^(?:WinAnsi|MacRoman|MacExpert)Encoding$/.test(this.#pdf.name(font, 'Encoding'));
    if (!this.#pdf.stream(font, 'ToUnicode') && !hasKnownEncoding) this.#add('text_unmapped');
  }

  #contentBytesLeft = MAX_CONTENT_BYTES;

  /** Checks only the content stream of the page, because form XObjects may contain tags of their own. */
  #checkContent(page: PdfDict, resources: PdfDict | undefined): void {
    const streams = this.#pdf.listOrOne(page, 'Contents').map((entry) => this.#pdf.resolve(entry));
    const parts = streams.filter((each) => each instanceof PdfStream).map((stream) => Buffer.from(stream.getDecodedData()));
    const content = Buffer.concat(parts.flatMap((part) => [part, Buffer.from('\n')]));
    this.#contentBytesLeft -= content.length;
    if (this.#contentBytesLeft < 0) throw new TooComplexError();
    this.#texts.read(page, content, resources);
    if (hasUnmarked(content)) this.#add('content_unmarked');
  }

  #checkForm(): void {
    const form = this.#pdf.dict(this.#pdf.catalog, 'AcroForm');
    if (this.#pdf.isTrue(form, 'NeedAppearances')) this.#add('appearances_needed');
    if (form?.has('XFA')) this.#add('xfa_form');
    for (const field of this.#pdf.fields()) this.#checkActions(field, 'A', 'AA');
  }

  #checkFiles(): void {
    const tree = this.#pdf.dict(this.#pdf.dict(this.#pdf.catalog, 'Names'), 'EmbeddedFiles');
    const associated = new Set(this.#pdf.list(this.#pdf.catalog, 'AF').map((entry) => this.#pdf.resolve(entry)));
    const files = [...this.#pdf.named(tree)].map((entry) => this.#pdf.resolve(entry));
    if (!files.length && this.#claims.archive?.level === 'F') this.#add('attachment_missing');
    for (const file of files) if (file instanceof PdfDict) this.#checkFile(file, associated.has(file));
  }

  #checkFile(file: PdfDict, isAssociated: boolean): void {
    const { part, level } = this.#claims.archive ?? {};
    if (part === 1 || part === 2 || (part === 4 && level === '')) this.#add('attachment_forbidden');
    if (!file.has('Desc')) this.#add('attachment_description_missing');
    const content = this.#pdf.stream(this.#pdf.dict(file, 'EF'), 'F');
    const isDescribed = [file.has('F'), file.has('UF'), file.has('AFRelationship'), content?.get('Subtype') instanceof PdfName];
    if (part !== 1 && part !== 2 && !(isDescribed.every(Boolean) && (isAssociated || part === 4)))
      this.#add('attachment_incomplete');
  }
}

/** Whether content is painted that is neither tagged nor an artifact. Content that cannot be parsed is not checked. */
function hasUnmarked(content: Buffer): boolean {
  /** Whether each open marked-content sequence is a tag or an artifact or in one. */
  const open = [false];
  let found = false;
  scanReadable(content, (operator, { names }) => {
    const isMarked = open.at(-1) ?? false;
    if (operator === 'BDC' || operator === 'BMC') open.push(isMarked || names.includes('MCID') || names[0] === 'Artifact');
    else if (operator === 'EMC') open.pop();
    else if (PAINTS.has(operator) && !isMarked) found = true;
  });
  return found;
}
