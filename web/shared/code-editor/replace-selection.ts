/**
 * Handles typing over a selection. The browser would copy the style of the replaced text into a style attribute, which the
 * page's policy refuses with an error. Therefore the editor replaces the text itself.
 */
import { EditorView } from '@codemirror/view';

export const REPLACE_SELECTION = EditorView.domEventHandlers({
  beforeinput(event, view) {
    const { from, to, empty } = view.state.selection.main;
    const { inputType, data } = event;
    if (empty || inputType !== 'insertText' || data === null) return false;
    const insert = () => view.state.update(view.state.replaceSelection(data), { userEvent: 'input.type', scrollIntoView: true });
    const taken = view.state.facet(EditorView.inputHandler).some((handle) => handle(view, from, to, data, insert));
    if (!taken) view.dispatch(insert());
    event.preventDefault();
    return true;
  },
});
