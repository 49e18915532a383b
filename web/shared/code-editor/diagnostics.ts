/** Marks what the service found in a source at its lines. */
import { type Diagnostic, setDiagnostics } from '@codemirror/lint';
import type { EditorState } from '@codemirror/state';
import { EditorView } from '@codemirror/view';

/** Line and column count from 1. */
export interface LineError {
  line: number;
  column: number;
  message: string;
}

export function showDiagnostics(view: EditorView, diagnostics: Diagnostic[]): void {
  view.dispatch(setDiagnostics(view.state, diagnostics));
  const first = diagnostics.find(({ severity }) => severity === 'error');
  if (first) view.dispatch({ effects: EditorView.scrollIntoView(first.from, { y: 'center' }) });
}

/**
 * Marks the text from the position of an error to the end of its line. A position beyond the text, which may have changed, is
 * moved to its end.
 */
export function toDiagnostic(state: EditorState, { line, column, message }: LineError): Diagnostic {
  const { from, to } = state.doc.line(Math.max(1, Math.min(line, state.doc.lines)));
  const begin = Math.min(from + Math.max(0, column - 1), to);
  return { from: begin, to, severity: 'error', message };
}
