/** Thumbnails of the pages, which are drawn when they become visible. */
import { drawThumbnail } from './draw-thumbnail.ts';
import type { OpenPdf } from './open-pdf.ts';

const WIDTH = 84;

export class Thumbnails {
  readonly #list: HTMLElement;
  readonly #goTo: (number: number) => void;
  #seen: IntersectionObserver | undefined;
  #buttons: HTMLButtonElement[] = [];

  constructor(list: HTMLElement, goTo: (number: number) => void) {
    this.#list = list;
    this.#goTo = goTo;
  }

  show(pdf: OpenPdf): void {
    this.clear();
    const seen = new IntersectionObserver((entries) => {
      for (const { target, isIntersecting } of entries) {
        if (!isIntersecting) continue;
        seen.unobserve(target);
        void draw(pdf, target as HTMLButtonElement).catch(() => {}); // the PDF may have been closed
      }
    });
    this.#seen = seen;
    const before = this.#buttons; // they keep their drawings until they are drawn again
    this.#buttons = pdf.sizes.map(({ width, height }, index) =>
      applyShape(before[index] ?? this.#button(index + 1), height / width),
    );
    this.#list.replaceChildren(...this.#buttons);
    for (const button of this.#buttons) seen.observe(button);
  }

  mark(current: number): void {
    for (const button of this.#list.querySelectorAll('[aria-current]')) button.removeAttribute('aria-current');
    const button = this.#buttons[current - 1];
    button?.setAttribute('aria-current', 'page');
    if (button) reveal(this.#list, button);
  }

  clear(): void {
    this.#seen?.disconnect();
  }

  #button(number: number): HTMLButtonElement {
    const button = document.createElement('button');
    button.type = 'button';
    button.className = 'thumbnail';
    button.dataset.page = String(number);
    button.setAttribute('aria-label', `Go to page ${number}`);
    const page = document.createElement('span');
    page.className = 'thumbnail-page';
    const label = document.createElement('span');
    label.textContent = String(number);
    button.append(page, label);
    button.addEventListener('click', () => this.#goTo(number));
    return button;
  }
}

function applyShape(button: HTMLButtonElement, shape: number): HTMLButtonElement {
  const page = button.querySelector<HTMLElement>('.thumbnail-page');
  if (page) page.style.height = `${Math.round(Math.min(shape, 3) * WIDTH)}px`;
  return button;
}

/** Scrolls only the list, and not its ancestors. */
function reveal(list: HTMLElement, button: HTMLElement): void {
  const above = button.offsetTop - list.scrollTop;
  const below = above + button.offsetHeight - list.clientHeight;
  if (above < 0) list.scrollTop += above;
  else if (below > 0) list.scrollTop += below;
}

async function draw(pdf: OpenPdf, button: HTMLButtonElement): Promise<void> {
  const canvas = await drawThumbnail(await pdf.page(Number(button.dataset.page)), WIDTH);
  button.querySelector('.thumbnail-page')?.replaceChildren(canvas);
}
