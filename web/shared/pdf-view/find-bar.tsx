/** Finds text in a PDF. Only letters and digits count, with or without accents, and the last word may be its beginning. */
import { useSignal } from '@preact/signals';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import { normalize, WORD } from '../words.ts';
import { viewer } from './open-viewer.ts';
import type { PdfWord } from './pdf-words.ts';
import { Tool } from './tool.tsx';

export function FindBar({ onClose }: { onClose(): void }) {
  const field = useRef<HTMLInputElement>(null);
  const query = useSignal('');
  const matches = useSignal<readonly PdfWord[]>([]);
  const at = useSignal(0);
  const generation = viewer.value?.generation.value;
  useLayoutEffect(() => field.current?.focus(), []); // before the next key
  useEffect(() => {
    let isCurrent = true;
    void viewer.value?.words().then((words) => {
      if (!isCurrent) return;
      matches.value = findAll(words, query.value);
      at.value = 0;
      go(0);
    });
    return () => {
      isCurrent = false;
    };
  }, [query.value, generation]);
  const go = (step: number) => {
    const { length } = matches.value;
    if (!length) return;
    at.value = (at.value + step + length) % length;
    const match = matches.value[at.value];
    if (match) void viewer.value?.point(match);
  };
  const locate = () => {
    const match = matches.value[at.value];
    if (match) void viewer.value?.locate(match);
  };
  const count = matches.value.length;
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Escape') onClose();
    else if (event.key === 'Enter' && event.altKey) locate();
    else if (event.key === 'Enter') go(event.shiftKey ? -1 : 1);
  };
  return (
    <search class="find-bar">
      <input
        ref={field}
        type="search"
        aria-label="Find in the PDF"
        placeholder="Find in the PDF"
        onInput={({ currentTarget }) => {
          query.value = currentTarget.value;
        }}
        onKeyDown={onKeyDown}
      />
      <output>{query.value.trim() && (count ? `${at.value + 1} of ${count}` : 'Not found')}</output>
      <Tool icon="up" label="Previous match" disabled={!count} onClick={() => go(-1)} />
      <Tool icon="down" label="Next match" disabled={!count} onClick={() => go(1)} />
      <Tool icon="close" label="Close the search" onClick={onClose} />
    </search>
  );
}

/** The first word of each match. It is as long as the match as far as it is in one piece of text. */
function findAll(words: readonly PdfWord[], query: string): PdfWord[] {
  const wanted = [...query.matchAll(WORD)].map(([word]) => fold(word));
  const last = wanted.length - 1;
  if (last < 0) return [];
  const texts = words.map(({ text }) => fold(text));
  const isMatch = (n: number) => wanted.every((word, k) => (k === last ? texts[n + k]?.startsWith(word) : texts[n + k] === word));
  return words.flatMap((word, n) => {
    const end = words[n + last];
    if (!isMatch(n) || !end) return [];
    const isOnePiece = end.page === word.page && end.item === word.item;
    return [isOnePiece ? { ...word, length: end.offset + end.length - word.offset } : word];
  });
}

/** Without accents. */
function fold(word: string): string {
  return normalize(word).normalize('NFKD').replace(/\p{M}/gu, '');
}
