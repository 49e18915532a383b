/** The features and keyboard shortcuts of all editors. */
import { closeBrackets, closeBracketsKeymap } from '@codemirror/autocomplete';
import { defaultKeymap, history, historyKeymap, indentWithTab } from '@codemirror/commands';
import { bracketMatching, foldGutter, foldKeymap, indentOnInput } from '@codemirror/language';
import { lintGutter, lintKeymap } from '@codemirror/lint';
import { highlightSelectionMatches, search, searchKeymap } from '@codemirror/search';
import { EditorState, type Extension } from '@codemirror/state';
import {
  drawSelection,
  EditorView,
  highlightActiveLine,
  highlightActiveLineGutter,
  highlightSpecialChars,
  keymap,
  lineNumbers,
} from '@codemirror/view';
import { CODE_THEME } from './code-theme.ts';
import { REPLACE_SELECTION } from './replace-selection.ts';

/** Shortcuts that the page handles, and not the editor. */
const LEFT_TO_THE_PAGE = new Set(['Mod-Enter', 'Mod-s']);
const keys = [
  ...closeBracketsKeymap,
  ...defaultKeymap,
  ...searchKeymap,
  ...historyKeymap,
  ...foldKeymap,
  ...lintKeymap,
  indentWithTab,
];

export const editing: Extension = [
  lineNumbers(),
  lintGutter(),
  foldGutter(),
  highlightActiveLineGutter(),
  highlightActiveLine(),
  highlightSpecialChars(),
  highlightSelectionMatches(),
  history(),
  drawSelection(),
  indentOnInput(),
  bracketMatching(),
  closeBrackets(),
  search({ top: true }),
  EditorState.tabSize.of(2),
  EditorView.lineWrapping,
  keymap.of(keys.filter(({ key }) => !key || !LEFT_TO_THE_PAGE.has(key))),
  REPLACE_SELECTION,
  CODE_THEME,
];
