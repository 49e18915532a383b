/** The languages of the editors: HTML with styles and scripts, templates, and JSON with marked errors. */
import { html } from '@codemirror/lang-html';
import { json, jsonParseLinter } from '@codemirror/lang-json';
import { linter } from '@codemirror/lint';
import type { Extension } from '@codemirror/state';
import { Decoration, type DecorationSet, EditorView, MatchDecorator, ViewPlugin, type ViewUpdate } from '@codemirror/view';

const braces = new MatchDecorator({
  regexp: /\{\{\{?[^{}]*\}?\}\}|\{%[^%]*%\}/g,
  decoration: Decoration.mark({ class: 'cm-template-mark' }),
});

const templateMarks: Extension = [
  ViewPlugin.fromClass(
    class {
      decorations: DecorationSet;
      constructor(view: EditorView) {
        this.decorations = braces.createDeco(view);
      }
      update(update: ViewUpdate): void {
        this.decorations = braces.updateDeco(update, this.decorations);
      }
    },
    { decorations: (plugin) => plugin.decorations },
  ),
  EditorView.baseTheme({
    '.cm-template-mark, .cm-template-mark *': { color: 'light-dark(#a3206e, #ff9fd3) !important', fontStyle: 'normal' },
  }),
];

export const HTML: Extension = html({ autoCloseTags: true });
export const TEMPLATE: Extension = [html({ autoCloseTags: true }), templateMarks];
const parse = jsonParseLinter();
export const JSON_DATA: Extension = [
  json(),
  linter((view) => (view.state.doc.toString().trim() ? parse(view) : []), { delay: 150 }),
];
