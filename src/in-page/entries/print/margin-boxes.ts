/** The boxes around the content of a page. */
const MARGIN_BOXES = [
  ...['top', 'bottom'].flatMap((edge) => ['left-corner', 'left', 'center', 'right', 'right-corner'].map((at) => `${edge}-${at}`)),
  ...['left', 'right'].flatMap((edge) => ['top', 'middle', 'bottom'].map((at) => `${edge}-${at}`)),
];

/** What a rule for pages needs so that its boxes are empty. */
export const NO_MARGIN_BOXES = MARGIN_BOXES.map((box) => `@${box} { content: none !important }`).join(' ');
