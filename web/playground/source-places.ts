/** Leads from a word of the PDF to its place in the source, and back. */
import { signal } from '@preact/signals';
import type { SourceWord } from '../shared/code-editor/source-words.ts';
import { viewer } from '../shared/pdf-view/open-viewer.ts';
import type { PdfWord } from '../shared/pdf-view/pdf-words.ts';
import { clearToasts, showToast } from '../shared/toast.tsx';
import { findSame } from '../shared/words.ts';
import { draft } from './draft.ts';
import { pane } from './panes.ts';

export type SourceName = 'html' | 'markdown' | 'template' | 'data';

/** The place that an editor is to show. */
export const shownPlace = signal<{ source: SourceName; from: number; to: number } | undefined>(undefined);

export async function showInSource(words: readonly PdfWord[], index: number): Promise<void> {
  const texts = textsOf(words);
  const sources = await wordsOfSources();
  const matches = sources.map((source) => ({ ...source, match: findSame(texts, index, textsOf(source.words)) }));
  const [best] = matches.sort((one, other) => (other.match?.score ?? 0) - (one.match?.score ?? 0));
  const word = best?.match && best.words[best.match.index];
  clearToasts();
  if (!best || !word) {
    showToast('This text is not in the source: a style or a script makes it.');
    return;
  }
  pane.value = 'edit';
  // Only then, the editor is visible and can scroll.
  requestAnimationFrame(() => {
    shownPlace.value = { source: best.source, from: word.from, to: word.to };
  });
}

export async function showInPdf(source: SourceName, position: number): Promise<void> {
  const words = (await wordsOfSources()).find((each) => each.source === source)?.words ?? [];
  const at = words.findLastIndex(({ from }) => from <= position);
  const shown = viewer.value;
  const pdfWords = (await shown?.words()) ?? [];
  const match = at >= 0 ? findSame(textsOf(words), at, textsOf(pdfWords)) : undefined;
  const word = match && pdfWords[match.index];
  clearToasts();
  if (!word) {
    showToast('The PDF does not show this text.');
    return;
  }
  if (isNarrow()) pane.value = 'preview';
  await shown?.point(word);
}

/** Whether the preview is not beside the editors. */
export function isNarrow(): boolean {
  return !document.querySelector('.preview')?.clientWidth;
}

async function wordsOfSources(): Promise<Array<{ source: SourceName; words: SourceWord[] }>> {
  const { htmlWords, jsonWords, plainWords } = await import('../shared/code-editor/source-words.ts');
  const { mode, html, markdown, template, data } = draft.value;
  if (mode === 'url') return [];
  if (mode === 'markdown') return [{ source: 'markdown', words: plainWords(markdown) }];
  if (mode === 'html') return [{ source: 'html', words: htmlWords(html) }];
  return [
    { source: 'template', words: htmlWords(template) },
    { source: 'data', words: jsonWords(data) },
  ];
}

function textsOf(words: ReadonlyArray<{ text: string }>): string[] {
  return words.map(({ text }) => text);
}
