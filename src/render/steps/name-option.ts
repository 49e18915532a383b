/** Names the option that an error is about. The folders below `render` know what failed, but not what the API calls it. */
import { invalidField, ServiceError, type Subject } from '../../errors.ts';

const OPTIONS: Record<Subject, string> = {
  waited_selector: 'options.waitForSelector',
  waited_function: 'options.waitForFunction',
  waited_time: 'options.waitForTimeout',
  captured_selector: 'options.selector',
  added_style: 'options.addStyleTag',
  added_script: 'options.addScriptTag',
  failing_status: 'failOnHttpStatus',
  failing_resource: 'failOnResourceError',
  failing_console: 'failOnConsoleError',
  single_page: 'options.singlePage',
  form_fields: 'options.forms',
  conformance: 'options.conformance',
  contents_place: 'options.toc.place',
  contents_selector: 'options.toc.selector',
  header: 'options.headerTemplate',
  footer: 'options.footerTemplate',
  page_header: 'options.header',
  page_footer: 'options.footer',
};

/** Rethrows an error of `work` with the name of the option. */
export async function namingOption<T>(work: Promise<T>): Promise<T> {
  return work.catch((error: unknown) => {
    throw error instanceof ServiceError ? nameOption(error) : error;
  });
}

function nameOption(error: ServiceError): ServiceError {
  const { code, message, members, about } = error;
  if (!about) return error;
  const option = OPTIONS[about];
  if (code === 'invalid_request') return invalidField(option, message.replace('{option}: ', ''));
  const named = message.replace('{option}', () => option);
  return error.reword(named, {
    members: code === 'render_gate_failed' ? { gate: option, ...members } : members,
    about: undefined,
  });
}
