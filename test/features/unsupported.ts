/** What Platen cannot do, by the name of the feature, and why. A test fails when one of these begins to work. */
export const UNSUPPORTED: Readonly<Record<string, string>> = {
  'a figure at the bottom of the page: `float: bottom`': 'Boxes float to the left and right only',
};
