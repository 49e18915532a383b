/** Shows a render as code in one of several languages. */
import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { Button } from '../button.tsx';
import { copyText } from '../clipboard.ts';
import { rememberedSignal } from '../storage.ts';
import { Tabs } from '../tabs.tsx';
import './code-panel.css';
import { SNIPPETS, type SnippetBody } from './snippets.ts';

const TABS = SNIPPETS.map(({ name, language }) => ({ name, label: language }));
const chosen = rememberedSignal('platen.code', SNIPPETS[0].name, (text) => text);

interface CodePanelProps {
  /** Throws if there is no body. */
  body(): SnippetBody;
  /** What the code writes. */
  children: ComponentChildren;
  /** Beside the button that copies. */
  beside?: ComponentChildren;
}

export function CodePanel({ body, children, beside }: CodePanelProps) {
  const said = useSignal('');
  const snippet = SNIPPETS.find(({ name }) => name === chosen.value) ?? SNIPPETS[0];
  const { code, error } = write(snippet, body);
  const copy = async () => {
    said.value = (await copyText(code)) ? 'Copied.' : 'The browser does not allow copying. Select the code and copy it.';
  };
  return (
    <>
      <Tabs
        label="Language"
        tabs={TABS}
        chosen={snippet.name}
        onChoose={(name) => {
          chosen.value = name;
          said.value = '';
        }}
      >
        {error ? (
          <p class="note bad">{error}</p>
        ) : (
          // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling area must be reachable by keyboard
          <section class="snippet" tabIndex={0} aria-label={`Code, ${snippet.language}`}>
            <pre>{code}</pre>
          </section>
        )}
      </Tabs>
      <p class="hint">
        {snippet.use} It takes the API key from <code>PLATEN_API_KEY</code> in the environment and writes{' '}
        <code>document.pdf</code>, {children}.
      </p>
      <p role="status" class="hint">
        {said.value}
      </p>
      <div class="actions end">
        {beside}
        <Button label="Copy" look="primary" disabled={!code} onClick={() => void copy()} />
      </div>
    </>
  );
}

function write(snippet: (typeof SNIPPETS)[number], body: () => SnippetBody): { code: string; error?: string } {
  try {
    return { code: snippet.write(location.origin, body()) };
  } catch (error) {
    return { code: '', error: (error as Error).message };
  }
}
