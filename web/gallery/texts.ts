/** The texts of the gallery by the paths of their files. */

export const TEMPLATES = import.meta.glob<string>('./*/template.html', { eager: true, import: 'default', query: '?raw' });
export const DATA_SETS = import.meta.glob<string>('./*/data-*.json', { eager: true, import: 'default', query: '?raw' });
/** What a data set needs beside the options of its template. */
export const OPTIONS = import.meta.glob<Record<string, unknown>>('./*/options-*.json', { eager: true, import: 'default' });
