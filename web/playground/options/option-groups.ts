/** The groups of the options and their order, for the reference and the playground's form. A test finds an option that is missing. */
export const OPTION_GROUPS: Record<string, string> = {
  Page: 'format landscape width height margin scale fit pageRanges printBackground preferCSSPageSize omitBackground singlePage',
  'Header and footer': 'header footer headerTemplate footerTemplate',
  Contents: 'toc',
  Loading: 'waitUntil animations waitForSelector waitForFunction waitForTimeout timeout resourceTimeout',
  'Page context':
    'mediaType colorScheme viewport locale timezone javascript baseUrl userAgent cookies extraHTTPHeaders authenticate addStyleTag addScriptTag',
  'Failure conditions': 'failOnHttpStatus failOnResourceError failOnConsoleError failOnWarning',
  Result:
    'tagged outline conformance forms invoice metadata password letterhead watermark images attachments signature compress layout',
};
