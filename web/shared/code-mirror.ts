/**
 * An editor for code, into an element. It lives in a shadow root: there CodeMirror keeps its styles as adopted style sheets,
 * which the page's policy allows, where in a document it would write a style element, which the policy refuses.
 */
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
import { html } from '@codemirror/lang-html';
import { json, jsonParseLinter } from '@codemirror/lang-json';
import { bracketMatching, HighlightStyle, indentOnInput, syntaxHighlighting } from '@codemirror/language';
import { linter } from '@codemirror/lint';
import { unifiedMergeView } from '@codemirror/merge';
import { highlightSelectionMatches, searchKeymap } from '@codemirror/search';
import { EditorState, type Extension } from '@codemirror/state';
import { drawSelection, EditorView, highlightActiveLine, keymap, lineNumbers } from '@codemirror/view';
import { tags } from '@lezer/highlight';

export type CodeLanguage = 'html' | 'json';

export interface CodeOptions {
  label: string;
  language: CodeLanguage;
  value: string;
  /** Absent: it can be read only. */
  onInput?: ((value: string) => void) | undefined;
  /** Ctrl+Enter, Cmd+Enter. */
  onRun?: (() => void) | undefined;
  /** Shows what has changed since this text. */
  comparedWith?: string | undefined;
}

export function openEditor(host: HTMLElement, options: CodeOptions): EditorView {
  const root = host.shadowRoot ?? host.attachShadow({ mode: 'open' });
  const state = EditorState.create({ doc: options.value, extensions: extensionsFor(options) });
  return new EditorView({ state, parent: root, root });
}

/** Replaces the text where it is another one, as one step that can be undone. */
export function setText(view: EditorView, text: string): void {
  const { doc } = view.state;
  if (doc.toString() !== text) view.dispatch({ changes: { from: 0, to: doc.length, insert: text } });
}

function extensionsFor({ label, language, onInput, onRun, comparedWith }: CodeOptions): Extension[] {
  const run = () => {
    onRun?.();
    return onRun !== undefined;
  };
  return [
    keymap.of([{ key: 'Mod-Enter', run }, ...searchKeymap, ...historyKeymap, ...defaultKeymap]),
    lineNumbers(),
    history(),
    drawSelection(),
    indentOnInput(),
    bracketMatching(),
    highlightActiveLine(),
    highlightSelectionMatches(),
    syntaxHighlighting(COLOURS),
    EditorView.lineWrapping,
    EditorView.contentAttributes.of({ 'aria-label': label }),
    THEME,
    ...languageOf(language, onInput !== undefined),
    ...(onInput ? [onChange(onInput)] : [EditorState.readOnly.of(true)]),
    ...(comparedWith === undefined ? [] : [unifiedMergeView({ original: comparedWith, mergeControls: false, gutter: true })]),
  ];
}

function languageOf(language: CodeLanguage, isWritten: boolean): Extension[] {
  if (language === 'html') return [html()];
  return isWritten ? [json(), linter(jsonParseLinter())] : [json()];
}

function onChange(tell: (value: string) => void): Extension {
  return EditorView.updateListener.of((update) => {
    if (update.docChanged) tell(update.state.doc.toString());
  });
}

const COLOURS = HighlightStyle.define([
  { tag: [tags.tagName, tags.keyword], color: 'light-dark(#8a1c5b, #f0a3cf)' },
  { tag: [tags.attributeName, tags.propertyName], color: 'light-dark(#0b5a8a, #86c8f2)' },
  { tag: [tags.string, tags.attributeValue], color: 'light-dark(#1a6b3c, #8fd8ab)' },
  { tag: [tags.number, tags.bool, tags.null, tags.atom], color: 'light-dark(#7a4a00, #f0c36a)' },
  { tag: tags.comment, color: 'var(--muted)', fontStyle: 'italic' },
  { tag: [tags.angleBracket, tags.punctuation], color: 'var(--muted)' },
]);

const THEME = EditorView.theme({
  '&': { height: '100%', color: 'var(--ink)', backgroundColor: 'var(--paper)', fontSize: '13.5px' },
  '&.cm-focused': { outline: '2px solid var(--accent)', outlineOffset: '-2px' },
  '.cm-scroller': { fontFamily: 'var(--mono)', lineHeight: '1.55' },
  '.cm-content': { caretColor: 'var(--ink)', padding: '8px 0' },
  '.cm-cursor': { borderLeftColor: 'var(--ink)' },
  '.cm-gutters': { backgroundColor: 'var(--surface)', color: 'var(--muted)', borderRight: '1px solid var(--line)' },
  '.cm-activeLine': { backgroundColor: 'light-dark(#0b57c40a, #7db3ff12)' },
  '&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground': {
    backgroundColor: 'light-dark(#bcd6ff, #2d4a75)',
  },
  '.cm-panels': { backgroundColor: 'var(--surface)', color: 'var(--ink)' },
  '.cm-tooltip': { backgroundColor: 'var(--surface)', color: 'var(--ink)', borderColor: 'var(--line)' },
  '.cm-changedLine': { backgroundColor: 'light-dark(#dff3e6, #17301f) !important' },
  '.cm-changedText': { background: 'light-dark(#b6e3c6, #245c39)' },
  '.cm-deletedChunk': { backgroundColor: 'light-dark(#fbe6e4, #3a1d1b)' },
  '.cm-deletedText': { background: 'light-dark(#f4c4bf, #6b2a26)' },
});
