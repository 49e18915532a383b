/** The root of the editor: header, editors and options, preview, and the status of the last render. */
import type { ComponentChildren, ComponentType } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { Brand } from '../shared/brand.tsx';
import { Icon, type IconName } from '../shared/icon.tsx';
import { LiveSwitch } from '../shared/live-switch.tsx';
import { showToast, Toasts } from '../shared/toast.tsx';
import { TopBar } from '../shared/top-bar.tsx';
import { closeDialog, type DialogName, openDialog, showDialog } from './dialogs.ts';
import { canDownload, downloadPdf, downloadWaits } from './download.ts';
import { generation } from './draft.ts';
import { Editors } from './editors.tsx';
import { type LaterPane, laterPanes } from './later-parts.ts';
import { isCharged, opened } from './opened.ts';
import { PANE_LABELS, PaneTabs } from './pane-tabs.tsx';
import { pane, type WritingPane } from './panes.ts';
import { Preview } from './preview.tsx';
import { renderNow, renderSeconds } from './render-loop.ts';
import { ReplacedNotice } from './replaced-draft.tsx';
import { listenForShortcuts } from './shortcuts.ts';
import { Divider, split } from './split.tsx';
import { StatusBar } from './status-bar.tsx';

export function App() {
  useEffect(() => listenForShortcuts({ help: () => showDialog('help') }), []);
  return (
    <div class="playground">
      <Head />
      <main class="panes" data-pane={pane.value} style={{ '--split': `${split.value}%` }}>
        <div class="writing">
          <PaneTabs />
          <WritingPanel name="edit">
            <Editors />
          </WritingPanel>
          <LaterPanel name="style" />
          <LaterPanel name="files" />
          <LaterPanel name="options" />
        </div>
        <Divider />
        <Preview />
      </main>
      <ReplacedNotice />
      <StatusBar />
      <Toasts />
      <Dialogs />
    </div>
  );
}

/** On wide screens, the editors stay beside the preview when that is chosen. */
function WritingPanel({ name, children }: { name: WritingPane; children: ComponentChildren }) {
  const chosen = pane.value === 'preview' ? 'edit' : pane.value;
  return (
    <div class="pane" role="tabpanel" aria-label={PANE_LABELS[name]} hidden={chosen !== name} data-pane={name}>
      {children}
    </div>
  );
}

function LaterPanel({ name }: { name: LaterPane }) {
  const Content = laterPanes.value[name];
  return (
    <WritingPanel name={name}>
      {Content ? <Content key={name === 'options' ? generation.value : 0} /> : <p class="nothing">Loading…</p>}
    </WritingPanel>
  );
}

/** The dialogs are loaded when they are opened, so that a first visit does not wait for them. */
const DIALOGS: Record<DialogName, () => Promise<ComponentType<{ onClose(): void }>>> = {
  examples: async () => (await import('./examples-dialog.tsx')).ExamplesDialog,
  drafts: async () => (await import('./drafts-dialog.tsx')).DraftsDialog,
  copy: async () => (await import('./copy-dialog.tsx')).CopyDialog,
  link: async () => (await import('./link-dialog.tsx')).LinkDialog,
  save: async () => (await import('./template/save-as-dialog.tsx')).SaveAsDialog,
  help: async () => (await import('./help-dialog.tsx')).HelpDialog,
};

function Dialogs() {
  const name = openDialog.value;
  const [loaded, setLoaded] = useState<{ name: DialogName; Dialog: ComponentType<{ onClose(): void }> }>();
  useEffect(() => {
    if (!name) return;
    DIALOGS[name]().then(
      (Dialog) => setLoaded({ name, Dialog }),
      () => {
        closeDialog();
        showToast('The service does not answer. Try it again in a moment.');
      },
    );
  }, [name]);
  return name && loaded?.name === name ? <loaded.Dialog onClose={closeDialog} /> : null;
}

function Head() {
  const { record } = opened.value ?? {};
  return (
    <header>
      <TopBar
        title={
          <h1 class="brand">
            <Brand /> <span>{record ? <bdi>{record.name}</bdi> : 'Playground'}</span>
          </h1>
        }
        other={record ? ['Files and versions', `/dashboard/templates/${record.template_id}`] : ['Dashboard', '/dashboard']}
      >
        {!isCharged.value && <LiveSwitch look="live" />}
        <button
          type="button"
          class="button primary small"
          disabled={isCharged.value && renderSeconds.value !== undefined}
          onClick={() => void renderNow()}
          title="Ctrl+Enter"
        >
          <Icon name="play" />
          {renderSeconds.value !== undefined ? 'Rendering' : isCharged.value && record ? 'Save and render' : 'Render'}
        </button>
        <Action icon="download" label="Download" disabled={!canDownload.value} busy={downloadWaits.value} onClick={downloadPdf} />
        <Action icon="copy" label="Copy as code" onClick={() => showDialog('copy')} />
        <Action icon="link" label="Link" onClick={() => showDialog('link')} />
        <Action icon="help" label="Help" onClick={() => showDialog('help')} bare />
      </TopBar>
    </header>
  );
}

interface ActionProps {
  icon: IconName;
  label: string;
  onClick(): void;
  disabled?: boolean;
  /** Whether the action waits for something. */
  busy?: boolean;
  /** Whether the label is hidden at any width. */
  bare?: boolean;
}

function Action({ icon, label, onClick, disabled, busy, bare }: ActionProps) {
  return (
    <button
      type="button"
      class={bare ? 'button small action bare' : 'button small action'}
      aria-label={label}
      title={label}
      disabled={disabled}
      aria-busy={busy}
      onClick={onClick}
    >
      <Icon name={icon} />
      <span class="action-label">{label}</span>
    </button>
  );
}

/** Is shown if the operator has switched the playground off. */
export function Off() {
  return (
    <main class="no-editor">
      <h1>The playground is switched off</h1>
      <p>
        This service renders only with an API key. See the <a href="/dashboard">dashboard</a> or the{' '}
        <a href="/docs">Documentation</a>.
      </p>
      <p class="hint">
        The operator can switch the playground on with <code>PLATEN_PLAYGROUND=on</code>.
      </p>
    </main>
  );
}
