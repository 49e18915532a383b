/** An editor for HTML or JSON. What it is made of is loaded when the first one is shown. */
import type { EditorView } from '@codemirror/view';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { CodeOptions } from './code-mirror.ts';

/** A change of `value`, `onInput` and `onRun` is followed; for another label, language or text to compare with, give it another `key`. */
export function CodeEditor(options: CodeOptions) {
  const host = useRef<HTMLDivElement>(null);
  const latest = useRef(options);
  latest.current = options;
  const [editor, setEditor] = useState<{ view: EditorView; setText(view: EditorView, text: string): void }>();
  useEffect(() => {
    let left = false;
    let view: EditorView | undefined;
    import('./code-mirror.ts').then(({ openEditor, setText }) => {
      if (left || !host.current) return;
      const { onInput, onRun } = latest.current;
      view = openEditor(host.current, {
        ...latest.current,
        onInput: onInput && ((value) => latest.current.onInput?.(value)),
        onRun: onRun && (() => latest.current.onRun?.()),
      });
      setEditor({ view, setText });
    });
    return () => {
      left = true;
      view?.destroy();
    };
  }, []);
  useEffect(() => editor?.setText(editor.view, options.value), [editor, options.value]);
  return <div class="code-editor" ref={host} aria-busy={editor === undefined} />;
}
