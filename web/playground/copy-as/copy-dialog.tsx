/** Shows the render as code in one of several languages. */
import { useSignal } from '@preact/signals';
import { Button } from '../../shared/button.tsx';
import { copyText } from '../../shared/clipboard.ts';
import { Dialog } from '../../shared/dialog.tsx';
import { Tabs } from '../../shared/tabs.tsx';
import { draft } from '../draft.ts';
import { toRenderBody } from '../render-body.ts';
import { SNIPPETS } from './snippets.ts';

const TABS = SNIPPETS.map(({ language }) => ({ name: language, label: language }));

export function CopyDialog({ onClose }: { onClose(): void }) {
  const language = useSignal('curl');
  const said = useSignal('');
  const snippet = SNIPPETS.find((known) => known.language === language.value);
  const { code, error } = writeSnippet(snippet);
  const copy = async () => {
    said.value = (await copyText(code)) ? 'Copied.' : 'The browser does not allow copying. Select the code and copy it.';
  };
  return (
    <Dialog title="Copy as code" onClose={onClose}>
      <Tabs
        label="Language"
        tabs={TABS}
        chosen={language.value}
        onChoose={(name) => {
          language.value = name;
          said.value = '';
        }}
      >
        {error ? (
          <p class="note bad">{error}</p>
        ) : (
          // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling area must be reachable by keyboard
          <section class="snippet" tabIndex={0} aria-label={`Code, ${language.value}`}>
            <pre>{code}</pre>
          </section>
        )}
      </Tabs>
      <p class="hint">
        {snippet?.use} It takes the API key from <code>PLATEN_API_KEY</code> in the environment and writes{' '}
        <code>document.pdf</code>, the PDF you see here.
      </p>
      <p role="status" class="hint">
        {said.value}
      </p>
      <div class="actions end">
        <Button label="Close" onClick={onClose} />
        <Button label="Copy" look="primary" disabled={!code} onClick={() => void copy()} />
      </div>
    </Dialog>
  );
}

function writeSnippet(snippet: (typeof SNIPPETS)[number] | undefined): { code: string; error?: string } {
  try {
    return { code: snippet?.write(location.origin, toRenderBody(draft.value)) ?? '' };
  } catch (error) {
    return { code: '', error: (error as Error).message };
  }
}
