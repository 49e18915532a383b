/** Shows a render or batch item of the last days: what came of it, why, and what can be done about it. */
import { useState } from 'preact/hooks';
import { Button } from '../shared/button.tsx';
import { PdfView } from '../shared/pdf-view/pdf-view.tsx';
import { readData } from '../shared/read-data.ts';
import type { RenderedPdf } from '../shared/rendered-pdf.ts';
import { sizeText } from '../shared/size-text.ts';
import { WARNING_TITLES } from '../shared/warning-titles.ts';
import { useAction } from './action.ts';
import { useRead } from './cached.ts';
import { Cause, ErrorMessage, Facts, Loading, Name, PageHead, Time } from './components.tsx';
import { durationText, hasStatus, numberText, sentence } from './format.ts';
import type { LoggedRequest, TemplateRecord } from './records.ts';
import { phaseTitle, WarningList } from './report.tsx';
import { firstSample } from './sample-data.ts';
import { read } from './session.ts';
import { renderSaved } from './template-preview.ts';
import { useTemplates } from './templates.ts';

export const LOGGED_STATES: Record<LoggedRequest['status'], string> = { succeeded: 'Rendered', failed: 'Failed' };

const TITLES: Record<string, string> = {
  '/v1/pdf': 'PDF',
  '/v1/image': 'Image',
  '/v1/pdf/assemble': 'Assembly',
  '/v1/batches': 'Batch item',
  '/v1/renders': 'Asynchronous render',
};

const SOURCES: Record<string, string> = { html: 'HTML', markdown: 'Markdown', url: 'a URL', template: 'a template' };

/** What was requested, and from what: "PDF of Invoice", "Image from HTML". */
export function titleOf({ endpoint, source = '', template_id: id }: LoggedRequest, templates: TemplateRecord[]): string {
  const title = TITLES[endpoint] ?? endpoint;
  const template = templates.find(({ template_id }) => template_id === id);
  if (template) return `${title} of ${template.name}`;
  return SOURCES[source] ? `${title} from ${SOURCES[source]}` : title;
}

export function RequestPage({ id }: { id: string }) {
  const path = `/v1/requests/${encodeURIComponent(id)}`;
  const loaded = useRead<LoggedRequest>(path);
  return (
    <>
      <p class="back">
        <a href="/dashboard/requests">All requests</a>
      </p>
      {hasStatus(loaded.error, 404) && <PageHead title="There is no such request" />}
      <ErrorMessage error={loaded.error} onRetry={loaded.reload} />
      {!loaded.value && loaded.loading && <Loading what="the request" />}
      {loaded.value && <Found request={loaded.value} />}
    </>
  );
}

function Found({ request }: { request: LoggedRequest }) {
  const { template_id: templateId, options } = request;
  const isRepeatable = templateId !== undefined && options !== undefined;
  const again = useRenderAgain(request);
  return (
    <>
      <PageHead title={<Name>{titleOf(request, useTemplates())}</Name>}>
        {isRepeatable && (
          <Button
            label={again.action.running ? 'Rendering…' : 'Render again'}
            disabled={again.action.running}
            onClick={again.render}
          />
        )}
        {templateId !== undefined && (
          <a class="button" href={`/edit?template=${templateId}&request=${request.request_id}`}>
            Open in the editor
          </a>
        )}
      </PageHead>
      {request.status === 'failed' && <Failure request={request} />}
      {isRepeatable && <AgainHint request={request} />}
      <ErrorMessage error={again.action.error} />
      <div class={again.result || request.picture_url !== undefined ? 'beside' : ''}>
        {again.result && <Result result={again.result} />}
        {!again.result && request.picture_url !== undefined && <Picture id={request.request_id} />}
        <RequestFacts request={request} />
      </div>
    </>
  );
}

/** Says in what another render differs. */
function AgainHint({ request: { template_version: version, options_left_out: leftOut = [] } }: { request: LoggedRequest }) {
  return (
    <p class="hint">
      Rendering again counts as one document. It uses {version === undefined ? 'the current version' : `version ${version}`} of
      the template, its sample data, and the options of the request
      {leftOut.length > 0 && ', except '}
      {leftOut.map((name, index) => [index > 0 && ', ', <code key={name}>{name}</code>])}. The log keeps no data and no texts.
    </p>
  );
}

function useRenderAgain({ template_id: id, template_version: version, options }: LoggedRequest) {
  const [result, setResult] = useState<RenderedPdf>();
  const action = useAction();
  const render = () =>
    action.run(async () => {
      if (id === undefined) return;
      const path = `/v1/templates/${id}${version === undefined ? '' : `/versions/${version}`}`;
      const template = await read<TemplateRecord>(path);
      setResult(
        await renderSaved(version === undefined ? id : `${id}@${version}`, readData(firstSample(template).text), options),
      );
    });
  return { result, action, render };
}

function Result({ result }: { result: RenderedPdf }) {
  return (
    <section class="stack" aria-label="The new result">
      <WarningList report={result.report} />
      <div class="pdf-place">
        <PdfView pdf={result.pdf} busy={false} thumbnails={false}>
          <p class="nothing">Loading the pages…</p>
        </PdfView>
      </div>
    </section>
  );
}

function Picture({ id }: { id: string }) {
  const path = `/v1/requests/${encodeURIComponent(id)}/picture`;
  return (
    <section class="stack" aria-label="The page when the render failed">
      <a class="picture-place" href={path} target="_blank" rel="noopener">
        <img src={path} alt="The page when the render failed" />
      </a>
    </section>
  );
}

function Failure({ request: { code = '', message = '', cause } }: { request: LoggedRequest }) {
  return (
    <section class="note bad" aria-label="Why it failed">
      <p>{sentence(message)}</p>
      <Cause cause={cause} />
      <p>
        <a href={`/errors/${code}`}>
          What <code>{code}</code> means, and what to do
        </a>
      </p>
    </section>
  );
}

function RequestFacts({ request }: { request: LoggedRequest }) {
  const { template_version: version, stages = {}, warnings = [] } = request;
  const facts: Array<[string, preact.ComponentChildren] | false> = [
    [
      'State',
      <span key="state" class={`state ${request.status}`}>
        {LOGGED_STATES[request.status]}
      </span>,
    ],
    request.http_status !== undefined && ['HTTP status', request.http_status],
    ['Ended', <Time key="ended" at={request.created_at} />],
    ['Took', durationText(request.milliseconds)],
    ...Object.entries(stages).map(([phase, ms]): [string, string] => [phaseTitle(phase), durationText(ms)]),
    request.source !== undefined && ['Source', request.source],
    version !== undefined && ['Version', `${version} of the template`],
    request.reference !== undefined && ['Reference', <Name key="reference">{request.reference}</Name>],
    request.batch_id !== undefined && [
      'Batch',
      <a key="batch" href={`/dashboard/batches/${request.batch_id}`}>
        Item {numberText((request.index ?? 0) + 1)}
      </a>,
    ],
    request.document_id !== undefined && [
      'Document',
      <a key="document" href={`/dashboard/documents/${request.document_id}`}>
        Open the document
      </a>,
    ],
    request.pages !== undefined && ['Pages', numberText(request.pages)],
    request.bytes !== undefined && ['Size', sizeText(request.bytes)],
    warnings.length > 0 && ['Warnings', warnings.map((kind) => WARNING_TITLES[kind] ?? kind).join(', ')],
    request.caller_request_id !== undefined && ['Your id', <Name key="caller">{request.caller_request_id}</Name>],
    ['Key', <Id key="key" id={request.key_id} />],
    ['Id', <Id key="id" id={request.request_id} />],
  ];
  return (
    <section class="stack">
      <h2>About</h2>
      <Facts facts={facts.filter((fact) => fact !== false)} />
    </section>
  );
}

function Id({ id }: { id: string }) {
  return <code class="break">{id}</code>;
}
