/** The languages of the editors: HTML with styles and scripts, templates, and JSON with marked errors. */
import { html } from '@codemirror/lang-html';
import { json, jsonParseLinter } from '@codemirror/lang-json';
import { syntaxTree } from '@codemirror/language';
import { type Diagnostic, linter } from '@codemirror/lint';
import type { EditorState, Extension } from '@codemirror/state';
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
export const JSON_DATA: Extension = jsonData(() => []);

/** JSON with marked errors. Without errors, the values at the paths that `findUnused` returns are marked. */
export function jsonData(findUnused: (text: string) => string[]): Extension {
  const lint = ({ state }: EditorView): Diagnostic[] => {
    const unused = new Set(findUnused(state.doc.toString()));
    return findMembers(state)
      .filter(({ path }) => unused.has(path))
      .map(({ from, to }) => ({ from, to, severity: 'warning', message: 'The template does not use this value.' }));
  };
  const hasText = ({ state }: EditorView) => state.doc.toString().trim() !== '';
  return [json(), linter((view) => (hasText(view) ? [...parse(view), ...lint(view)] : []), { delay: 150 })];
}

type SyntaxNode = ReturnType<typeof syntaxTree>['topNode'];

/** The names of the members of an object and of the objects in it, with their paths. Elements of lists are left out. */
function findMembers(state: EditorState): Array<{ path: string; from: number; to: number }> {
  const visit = (object: SyntaxNode | null, prefix: string): ReturnType<typeof findMembers> =>
    (object?.getChildren('Property') ?? []).flatMap((property) => {
      const name = property.getChild('PropertyName');
      if (!name) return [];
      const path = prefix + String(JSON.parse(state.sliceDoc(name.from, name.to)));
      return [{ path, from: name.from, to: name.to }, ...visit(property.getChild('Object'), `${path}.`)];
    });
  return visit(syntaxTree(state).topNode.getChild('Object'), '');
}
