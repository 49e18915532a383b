/** Marks what the service found in a source at its lines. */
import { type Diagnostic, setDiagnostics } from '@codemirror/lint';
import type { EditorState } from '@codemirror/state';
import { EditorView } from '@codemirror/view';
import type { ProblemBody } from '../api.ts';

/** Line and column count from 1. */
export interface LineError {
  line: number;
  column: number;
  message: string;
}

/** The place of a mistake in a template. Undefined for other problems, and if the place is not known. */
export function readLineError({ code, line, column, detail, title }: ProblemBody): LineError | undefined {
  if (code !== 'template_error' || typeof line !== 'number') return undefined;
  return { line, column: typeof column === 'number' ? column : 1, message: detail ?? title };
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
