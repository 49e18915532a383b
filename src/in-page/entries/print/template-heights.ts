/** Measures a header and a footer in a document that can neither run scripts nor load anything. */
import { findFaces } from './template-fonts.ts';

/**
 * Chromium fills these elements when it prints, so that measuring needs sample text (`setupHeaderFooterTemplate`:
 * https://source.chromium.org/chromium/chromium/src/+/main:components/printing/resources/print_header_footer_template_page.html).
 */
const FILLED_IN = '<style>:is(.date, .title, .url, .pageNumber, .totalPages)::before { content: "Ag" }</style>';

/** Its promise resolves to the heights in CSS pixels, once images and fonts have loaded. */
export async function measureTemplates(header: string, footer: string, widthInches: number): Promise<[number, number]> {
  const [head, foot] = [addBox('header', header, widthInches), addBox('footer', footer, widthInches)];
  // Fonts that a shadow tree declares apply only to the document.
  const faces = [header, footer].flatMap(findFaces);
  for (const face of faces) document.fonts.add(face);
  const images = [head, foot].flatMap((box) => [...box.querySelectorAll('img')]);
  await Promise.allSettled([...faces.map((face) => face.load()), ...images.map((image) => image.decode())]);
  return [head.getBoundingClientRect().height, foot.getBoundingClientRect().height];
}

/** Each box is in its own shadow tree, so that unclosed elements of one do not affect the other, as in Chromium. */
function addBox(id: string, markup: string, widthInches: number): HTMLElement {
  const [host, box] = [document.createElement('div'), document.createElement('div')];
  box.id = id;
  box.style.cssText = `display: flex; width: ${widthInches}in`;
  box.innerHTML = FILLED_IN + markup;
  host.attachShadow({ mode: 'open' }).append(box);
  document.body.append(host);
  return box;
}
