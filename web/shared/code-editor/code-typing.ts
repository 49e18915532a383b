/**
 * Typing over a selection of several lines. Left to the browser, the lines are joined with style attributes, which the page's
 * policy refuses with an error; so the editor does it itself.
 */
import { EditorView } from '@codemirror/view';

export const TYPING_OVER_LINES = EditorView.domEventHandlers({
  beforeinput(event, view) {
    const { from, to, empty } = view.state.selection.main;
    const { inputType, data } = event;
    if (empty || inputType !== 'insertText' || data === null || isOneLine(view, from, to)) return false;
    const insert = () => view.state.update(view.state.replaceSelection(data), { userEvent: 'input.type', scrollIntoView: true });
    const taken = view.state.facet(EditorView.inputHandler).some((handle) => handle(view, from, to, data, insert));
    if (!taken) view.dispatch(insert());
    event.preventDefault();
    return true;
  },
});

function isOneLine({ state: { doc } }: EditorView, from: number, to: number): boolean {
  return doc.lineAt(from).number === doc.lineAt(to).number;
}
