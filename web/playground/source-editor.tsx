/** The code editor of a part of the draft, from and to which words of the PDF lead. It is loaded after the first page. */
import type { Extension } from '@codemirror/state';
import { computed, signal } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
import { CodeEditor, type CodeEditorProps } from '../shared/code-editor/code-editor.tsx';
import { toDiagnostic } from '../shared/code-editor/diagnostics.ts';
import { HTML, JSON_DATA, TEMPLATE } from '../shared/code-editor/languages.ts';
import { change, draft } from './draft.ts';
import { templateParts } from './opened.ts';
import { isOutdated, rendered } from './render-loop.ts';
import { templateError } from './request-errors.ts';
import { type SourceName, showInPdf, shownPlace } from './source-places.ts';
import { findWarnings } from './source-warnings.ts';

export interface SourceEditorProps extends Pick<CodeEditorProps, 'label' | 'begin'> {
  name: SourceName;
}

const placeIn = (name: SourceName) => computed(() => (shownPlace.value?.source === name ? shownPlace.value : undefined));
const places = {
  html: placeIn('html'),
  markdown: placeIn('markdown'),
  template: placeIn('template'),
  data: placeIn('data'),
};
const textOf = (name: SourceName) => computed(() => draft.value[name]);
const texts = { html: textOf('html'), markdown: textOf('markdown'), template: textOf('template'), data: textOf('data') };
const LANGUAGES = { html: HTML, template: TEMPLATE, data: JSON_DATA };
/** Is loaded when it is needed for the first time. */
const markdownLanguage = signal<Extension>([]);

export function SourceEditor({ name, ...others }: SourceEditorProps) {
  useEffect(() => {
    if (name === 'markdown') void loadMarkdown().catch(() => {});
  }, [name]);
  return (
    <CodeEditor
      {...others}
      text={texts[name]}
      onChange={(changed) => change({ [name]: changed })}
      language={languageOf(name)}
      diagnose={useDiagnose(name)}
      shown={places[name]}
      onLocate={(position) => void showInPdf(name, position)}
    />
  );
}

function languageOf(name: SourceName): Extension {
  if (name === 'markdown') return markdownLanguage.value;
  return (name === 'data' && templateParts.value?.dataLanguage.value) || LANGUAGES[name];
}

/** Without it, Markdown is shown without colours. */
async function loadMarkdown(): Promise<void> {
  const { markdown } = await import('@codemirror/lang-markdown');
  markdownLanguage.value = markdown();
}

/** Marks the mistake that kept the source from being rendered, or what the last render has warned of. */
function useDiagnose(name: SourceName): CodeEditorProps['diagnose'] {
  const error = templateError.value;
  const result = isOutdated.value ? undefined : rendered.value;
  return useMemo(() => {
    if (name === 'data' || name === 'markdown') return undefined;
    if (error) return name === 'template' ? (state) => [toDiagnostic(state, error)] : undefined;
    return result && ((state) => findWarnings(state.doc.toString(), result.report.warnings));
  }, [error, result, name]);
}
