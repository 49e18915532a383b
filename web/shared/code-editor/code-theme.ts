/** The theme of the editors, which uses the custom properties of the page, so that it follows light and dark mode. */
import { HighlightStyle, syntaxHighlighting } from '@codemirror/language';
import { EditorView } from '@codemirror/view';
import { tags } from '@lezer/highlight';

const frame = EditorView.theme({
  '&': { height: '100%', backgroundColor: 'var(--paper)', color: 'var(--ink)', fontSize: '13px' },
  '&.cm-focused': { outline: '2px solid var(--accent)', outlineOffset: '-2px' },
  '.cm-scroller': { fontFamily: 'var(--mono)', lineHeight: '1.55', overscrollBehavior: 'contain' },
  '.cm-content': { padding: '8px 0', caretColor: 'var(--ink)' },
  '.cm-gutters': { backgroundColor: 'var(--surface)', color: 'var(--muted)', borderRight: '1px solid var(--line)' },
  '.cm-lineNumbers .cm-gutterElement': { padding: '0 4px 0 10px' },
  '.cm-gutter-lint': { width: '14px' },
  '.cm-activeLine': { backgroundColor: 'color-mix(in srgb, var(--accent) 6%, transparent)' },
  '.cm-activeLineGutter': { backgroundColor: 'color-mix(in srgb, var(--accent) 10%, transparent)', color: 'var(--ink)' },
  '.cm-cursor': { borderLeftColor: 'var(--ink)' },
  '&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground': {
    backgroundColor: 'color-mix(in srgb, var(--accent) 26%, transparent)',
  },
  '.cm-selectionMatch': { backgroundColor: 'color-mix(in srgb, var(--warning) 22%, transparent)' },
  '&.cm-focused .cm-matchingBracket': { backgroundColor: 'color-mix(in srgb, var(--success) 26%, transparent)' },
  '.cm-foldPlaceholder': { backgroundColor: 'var(--surface)', borderColor: 'var(--edge)', color: 'var(--muted)' },
  '.cm-panels': { backgroundColor: 'var(--surface)', color: 'var(--ink)', fontFamily: 'var(--font)' },
  '.cm-panels.cm-panels-top': { borderBottom: '1px solid var(--line)' },
  '.cm-panel.cm-search': { padding: '6px 32px 8px 8px' },
  '.cm-panel.cm-search label': { fontSize: '13px' },
  '.cm-textfield': { backgroundColor: 'var(--paper)', borderColor: 'var(--edge)', color: 'var(--ink)', fontSize: '13px' },
  '.cm-button': { background: 'var(--paper)', borderColor: 'var(--edge)', color: 'var(--ink)', fontSize: '13px' },
  '.cm-panel [name=close]': { color: 'var(--ink)', fontSize: '18px', padding: '0 6px' },
  '.cm-tooltip': { backgroundColor: 'var(--paper)', border: '1px solid var(--edge)', color: 'var(--ink)' },
  '.cm-diagnostic': { fontFamily: 'var(--font)', fontSize: '13px' },
});

const colours = HighlightStyle.define([
  { tag: [tags.tagName, tags.keyword], color: 'light-dark(#0b57c4, #7db3ff)' },
  { tag: [tags.attributeName, tags.propertyName], color: 'light-dark(#6a3fa0, #c9a6ff)' },
  { tag: [tags.string, tags.attributeValue], color: 'light-dark(#1a6b3c, #8fdcae)' },
  { tag: [tags.number, tags.unit, tags.bool, tags.null, tags.color], color: 'light-dark(#9a3b00, #ffb489)' },
  { tag: [tags.comment, tags.processingInstruction, tags.documentMeta], color: 'var(--muted)', fontStyle: 'italic' },
  {
    tag: [tags.className, tags.typeName, tags.constant(tags.className), tags.definition(tags.variableName)],
    color: 'light-dark(#7a5300, #f0c36a)',
  },
  { tag: [tags.angleBracket, tags.punctuation], color: 'var(--muted)' },
  { tag: tags.heading, color: 'light-dark(#0b57c4, #7db3ff)', fontWeight: '600' },
  { tag: tags.strong, fontWeight: '600' },
  { tag: tags.emphasis, fontStyle: 'italic' },
  { tag: tags.invalid, color: 'var(--danger)' },
]);

export const CODE_THEME = [frame, syntaxHighlighting(colours)];
