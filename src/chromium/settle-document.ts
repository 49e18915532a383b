/**
 * The script that makes a loaded document ready to print. It runs in the page: the function below is sent as text, so it
 * may use nothing from outside itself.
 */

/** The expression to evaluate; its promise resolves when fonts and images are there. `pageRule` may be empty. */
export function settleExpression(pageRule: string): string {
  return `(${settle})(${JSON.stringify(pageRule)})`;
}

// Typed loosely: this project's code runs in Node and has no DOM types.
declare const document: PageDocument;
declare const CSSStyleSheet: new () => { replaceSync(css: string): void };

interface PageDocument {
  adoptedStyleSheets: unknown[];
  documentElement: { offsetHeight: number } | null;
  fonts: { size: number; status: string; ready: Promise<unknown> };
  images: Iterable<PageImage>;
  querySelectorAll(selector: string): Iterable<{ contentDocument: PageDocument | null }>;
}

interface PageImage {
  loading: string;
  complete: boolean;
  addEventListener(event: string, listener: () => void): void;
}

async function settle(pageRule: string): Promise<void> {
  if (pageRule) {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(pageRule);
    document.adoptedStyleSheets.push(sheet);
  }
  const imagesOf = (page: PageDocument): Promise<unknown>[] => {
    const waits: Promise<unknown>[] = [];
    for (const image of page.images) {
      image.loading = 'eager'; // nothing scrolls on paper: a lazy image would never come
      if (image.complete) continue;
      waits.push(
        new Promise<void>((resolve) => {
          image.addEventListener('load', resolve);
          image.addEventListener('error', resolve);
        }),
      );
    }
    return waits;
  };
  const fontsOf = (page: PageDocument): Promise<unknown> | undefined => {
    if (!page.fonts.size) return undefined;
    void page.documentElement?.offsetHeight; // lays the page out, which is what asks for the fonts
    return page.fonts.status === 'loaded' ? undefined : page.fonts.ready;
  };
  const waitFor = async (page: PageDocument): Promise<void> => {
    const waits = [...imagesOf(page), fontsOf(page)];
    for (const frame of page.querySelectorAll('iframe, frame')) {
      if (frame.contentDocument) waits.push(waitFor(frame.contentDocument));
    }
    await Promise.all(waits);
  };
  await waitFor(document);
}
