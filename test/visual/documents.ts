/** The documents of the visual set, `documents/<name>.html`, and the options each is rendered with. */

const LINE =
  'margin: 0 22mm; width: 100%; display: flex; justify-content: space-between; font: 8pt Arimo, Arial, sans-serif; color: #55606a';

export const DOCUMENTS: Record<string, object> = {
  'canvas-chart': {},
  certificate: {},
  cjk: {},
  code: {},
  columns: {},
  dark: {},
  emoji: {},
  'flex-grid': {},
  footnotes: {},
  form: {},
  images: {},
  invoice: {},
  label: { width: '102mm', height: '76mm', margin: 0 },
  landscape: {},
  letter: {},
  'long-table': {},
  report: {
    headerTemplate: `<div style="${LINE}"><span class="title"></span><span>Office for Streets</span></div>`,
    footerTemplate: `<div style="${LINE}"><span>Adopted on 3 February 2026</span><span>Page <span class="pageNumber"></span> of <span class="totalPages"></span></span></div>`,
    outline: true,
  },
  'right-to-left': {},
  'svg-chart': {},
  'web-font': {},
};
