/** Shows the text of a template, and the changes since another text if there is one. */
import { unifiedMergeView } from '@codemirror/merge';
import { EditorState, type Extension } from '@codemirror/state';
import { signal } from '@preact/signals';
import { useMemo } from 'preact/hooks';
import { CodeEditor } from '../shared/code-editor/code-editor.tsx';
import { TEMPLATE } from '../shared/code-editor/languages.ts';

const READ_ONLY: Extension = [TEMPLATE, EditorState.readOnly.of(true)];

export function ReadOnlyCode({ label, text, since }: { label: string; text: string; since?: string }) {
  const language = useMemo<Extension>(
    () => (since === undefined ? READ_ONLY : [READ_ONLY, unifiedMergeView({ original: since, mergeControls: false })]),
    [since],
  );
  const shown = useMemo(() => signal(text), [text]);
  return <CodeEditor label={label} text={shown} language={language} onChange={() => {}} />;
}
