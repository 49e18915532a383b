/**
 * A code editor: text in, changes out. It is in a shadow tree whose styles are set by script, because the page's policy forbids
 * inline styles.
 */
import { isolateHistory } from '@codemirror/commands';
import type { Diagnostic } from '@codemirror/lint';
import { Compartment, EditorState, type Extension } from '@codemirror/state';
import { EditorView, keymap } from '@codemirror/view';
import { effect, type ReadonlySignal } from '@preact/signals';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { showDiagnostics } from './diagnostics.ts';
import { editing } from './editing.ts';

export interface CodeEditorProps {
  label: string;
  /** The text, which is written into the editor whenever somebody else changes it. */
  text: ReadonlySignal<string>;
  /**
   * Writes the typed text to `text` before it returns. If that happened later, as with component state, the editor would receive
   * its own older text and treat it as a change from outside.
   */
  onChange(text: string): void;
  language: Extension;
  /** Diagnostics from outside the editor, for example from the service. */
  diagnose?: ((state: EditorState) => Diagnostic[]) | undefined;
  /** A place that somebody else wants to be seen. The editor selects it and takes the focus. */
  shown?: ReadonlySignal<{ from: number; to: number } | undefined>;
  /** Is called with the position of the cursor on Alt+Enter. */
  onLocate?(position: number): void;
  /** The selection to begin with, in an editor that takes the focus over from a plain field. */
  begin?: { anchor: number; head: number } | undefined;
}

const DESCRIPTION = 'Tab indents. Press Escape, then Tab, to leave the editor.';

/** The editor is there before the next event, so that no key is lost between it and what it replaces. */
export function CodeEditor({ label, text, onChange, language, diagnose, shown, onLocate, begin }: CodeEditorProps) {
  const place = useRef<HTMLDivElement>(null);
  const editor = useRef<Editor>(undefined);
  useLayoutEffect(() => {
    if (!place.current) return;
    editor.current = new Editor(place.current, label, text.peek(), language);
    if (begin) editor.current.focus(begin);
    return () => editor.current?.destroy();
  }, []);
  useLayoutEffect(() => editor.current?.onChange(onChange));
  useLayoutEffect(() => effect(() => editor.current?.setText(text.value)), [text]);
  useLayoutEffect(() => editor.current?.setLanguage(language), [language]);
  useLayoutEffect(() => editor.current?.diagnose(diagnose), [diagnose]);
  useLayoutEffect(() => editor.current?.onLocate(onLocate));
  useLayoutEffect(() => effect(() => editor.current?.show(shown?.value)), [shown]);
  return <div ref={place} class="code-editor" />;
}

class Editor {
  readonly #view: EditorView;
  readonly #language = new Compartment();
  /** The text that was last set or reported. */
  #text: string;
  #changed: (text: string) => void = () => {};
  #locate: CodeEditorProps['onLocate'];

  constructor(place: HTMLElement, label: string, text: string, language: Extension) {
    this.#text = text;
    const root = place.shadowRoot ?? place.attachShadow({ mode: 'open' });
    root.replaceChildren();
    const state = EditorState.create({
      doc: text,
      extensions: [
        this.#language.of(language),
        keymap.of([{ key: 'Alt-Enter', run: ({ state }) => this.#tellPosition(state) }]),
        editing,
        EditorView.contentAttributes.of({ 'aria-label': label, 'aria-description': DESCRIPTION, tabindex: '0' }),
        EditorView.updateListener.of(({ docChanged }) => docChanged && this.#tell()),
      ],
    });
    this.#view = new EditorView({ state, parent: root, root });
  }

  onChange(changed: (text: string) => void): void {
    this.#changed = changed;
  }

  onLocate(locate: CodeEditorProps['onLocate']): void {
    this.#locate = locate;
  }

  focus(selection: { anchor: number; head: number }): void {
    this.#view.dispatch({ selection, scrollIntoView: true });
    this.#view.focus();
  }

  show(place: { from: number; to: number } | undefined): void {
    const { length } = this.#view.state.doc;
    if (!place || place.to > length) return;
    const effects = EditorView.scrollIntoView(place.from, { y: 'center' });
    this.#view.dispatch({ selection: { anchor: place.from, head: place.to }, effects });
    this.#view.focus();
  }

  /** Replaces the text as a single change that can be undone, also if something has just been typed. */
  setText(text: string): void {
    if (text === this.#text) return;
    this.#text = text;
    this.#view.dispatch({
      changes: { from: 0, to: this.#view.state.doc.length, insert: text },
      selection: { anchor: 0 },
      annotations: isolateHistory.of('full'),
    });
  }

  setLanguage(language: Extension): void {
    this.#view.dispatch({ effects: this.#language.reconfigure(language) });
  }

  diagnose(find: CodeEditorProps['diagnose']): void {
    showDiagnostics(this.#view, find?.(this.#view.state) ?? []);
  }

  destroy(): void {
    this.#view.destroy();
  }

  #tellPosition({ selection }: EditorState): boolean {
    this.#locate?.(selection.main.head);
    return this.#locate !== undefined;
  }

  #tell(): void {
    const text = this.#view.state.doc.toString();
    if (text === this.#text) return;
    this.#text = text;
    this.#changed(text);
  }
}
