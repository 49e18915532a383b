/** What each kind of warning in a report means, in a few words. */
export const WARNING_TITLES: Record<string, string> = {
  resource_failed: 'Could not be loaded',
  resource_refused: 'May not be loaded',
  host_refused: 'Connection refused',
  console_error: 'A script reported an error',
  missing_glyphs: 'Characters without a glyph',
  font_substituted: 'Another font was used',
  content_clipped: 'Content cut off',
  pictures_large: 'Large pictures',
  field_printed: 'Field cannot be filled in',
  content_shrunk: 'Scaled down to fit',
  content_hidden: 'Content not shown',
  content_rasterized: 'Text printed as a picture',
  link_dropped: 'Missing links',
  unsupported_css: 'CSS that has no effect',
  printed_early: 'Printed early',
};
