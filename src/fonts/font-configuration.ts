/** Configures fontconfig: folders of fonts in, the path of a configuration file out. */
import { createHash } from 'node:crypto';
import { mkdir, readdir, rename, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { OPTIONAL_FAMILIES } from './optional-fonts.ts';

/** The folder of fontconfig's own cache. Its name must change with the rules for scanning fonts. */
const CACHE_FOLDER = 'fontconfig-3';
const SYSTEM_FOLDERS = ['/usr/share/fonts', '/usr/local/share/fonts'];
/** Fonts, each with the families that it replaces and that have the same metrics. */
const COMPATIBLE: Record<string, string[]> = {
  Arimo: ['Arial', 'Helvetica', 'Liberation Sans'],
  Tinos: ['Times New Roman', 'Times', 'Liberation Serif'],
  Cousine: ['Courier New', 'Courier', 'Liberation Mono'],
  Carlito: ['Calibri'],
  Caladea: ['Cambria'],
};
/**
 * Fonts that replace families with which Chromium does not know them to be compatible. It uses them only if they precede the family,
 * so this applies only to families that no font file is named after. The default font of formulas is Latin Modern Math.
 */
const SUBSTITUTES: Record<string, string[]> = {
  Gelasio: ['Georgia'],
  'Noto Sans Math': ['Latin Modern Math', 'Cambria Math', 'STIX Two Math'],
};
/** The fonts of generic families. For sans-serif and serif, Chromium itself requests Arial and Times New Roman. */
const GENERIC: Record<string, string> = { 'sans-serif': 'Arimo', serif: 'Tinos', monospace: 'Cousine' };
/** Bundled fonts in the order in which they are tried for a character that the fonts of the page lack. */
const FALLBACK_ORDER = [
  ...['Arimo', 'Noto Sans Hebrew', 'Vazirmatn', 'Noto Sans Arabic', 'Noto Sans Devanagari', 'Noto Sans Thai'],
  ...OPTIONAL_FAMILIES,
  ...['Noto Sans SC', 'Noto Sans JP', 'Noto Sans TC', 'Noto Sans KR'],
  ...['Noto Sans Math', 'Noto Sans Symbols', 'Noto Sans Symbols 2'],
];
/** Tried after the system's fonts, which may have a text glyph. Only the language `und-zsye` prefers colours. */
const LAST_RESORT = ['Open Sans', 'Noto Color Emoji'];
/** A second family name that all of the operator's fonts get. */
const OPERATOR_FAMILY = 'Platen Own Fonts';
/** The font with a language's shapes of Chinese characters. The last entry that matches has the highest priority. */
const BY_LANGUAGE: Record<string, string> = {
  zh: 'Noto Sans SC',
  'zh-cn': 'Noto Sans SC',
  'zh-sg': 'Noto Sans SC',
  'zh-hans': 'Noto Sans SC',
  'zh-hant': 'Noto Sans TC',
  'zh-tw': 'Noto Sans TC',
  'zh-hk': 'Noto Sans TC',
  'zh-mo': 'Noto Sans TC',
  ja: 'Noto Sans JP',
  'ja-jp': 'Noto Sans JP',
  ko: 'Noto Sans KR',
  'ko-kr': 'Noto Sans KR',
  'und-zsye': 'Noto Color Emoji',
};

/** The name of the file depends on its content, so that services with different settings may share a cache. */
export async function writeFontConfiguration(cacheDir: string, ownFolder: string, folders: string[]): Promise<string> {
  const text = configuration(cacheDir, ownFolder, folders, await findSubstitutes([ownFolder, ...SYSTEM_FOLDERS].filter(Boolean)));
  const digest = createHash('sha256').update(text).digest('hex').slice(0, 16);
  const path = join(cacheDir, `fonts-${digest}.conf`);
  const unfinished = `${path}.${process.pid}`;
  await mkdir(cacheDir, { recursive: true });
  await writeFile(unfinished, text);
  await rename(unfinished, path);
  return path;
}

/** Returns the families of `SUBSTITUTES` that no font file in these folders is named after, each with its replacement. */
async function findSubstitutes(folders: string[]): Promise<[family: string, ours: string][]> {
  const lists = await Promise.all(folders.map((folder) => readdir(folder, { recursive: true }).catch(() => [])));
  const files = lists.flat().map((path) => toLetters(basename(path)));
  const pairs = Object.entries(SUBSTITUTES).flatMap(([ours, theirs]) => theirs.map((family): [string, string] => [family, ours]));
  return pairs.filter(([family]) => !files.some((file) => file.startsWith(toLetters(family))));
}

function toLetters(name: string): string {
  return name.toLowerCase().replace(/[^a-z]/g, '');
}

/**
 * Includes the fonts and rules of the system after the bundled fonts, so that a document looks the same on every machine. A strong
 * binding has priority over the languages that a font declares. The caches of the system are not used, because they were made
 * without these rules.
 */
function configuration(cacheDir: string, ownFolder: string, folders: string[], replaced: [string, string][]): string {
  const own = ownFolder ? [OPERATOR_FAMILY] : [];
  return `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
${[...own.map(() => ownFolder), ...folders, ...SYSTEM_FOLDERS].map((folder) => `  <dir>${escapeXml(folder)}</dir>`).join('\n')}
  <cachedir>${escapeXml(join(cacheDir, CACHE_FOLDER))}</cachedir>
${own.map((name) => toFamilyMatch(ownFolder, name)).join('\n')}
${Object.entries(COMPATIBLE)
  .flatMap(([ours, theirs]) => theirs.map((family) => alias(family, ours)))
  .join('\n')}
${Object.entries(GENERIC)
  .map(([name, family]) => alias(name, family))
  .join('\n')}
${replaced.map(([family, ours]) => substitute(family, ours)).join('\n')}
${append([...own, ...FALLBACK_ORDER], 'strong')}
  <include ignore_missing="yes">/etc/fonts/conf.d</include>
${Object.entries(BY_LANGUAGE)
  .map(([language, family]) => forLanguage(language, family))
  .join('\n')}
${append(LAST_RESORT, 'weak')}
</fontconfig>
`;
}

function toFamilyMatch(folder: string, family: string): string {
  return `  <match target="scan">
    <test name="file" compare="contains"><string>${escapeXml(join(folder, '/'))}</string></test>
    <edit name="family" mode="append_last"><string>${family}</string></edit>
  </match>`;
}

function append(families: string[], binding: string): string {
  return `  <match target="pattern">
    <edit name="family" mode="append_last" binding="${binding}">${families.map((family) => `<string>${family}</string>`).join('')}</edit>
  </match>`;
}

function alias(family: string, ours: string): string {
  return `  <alias binding="same"><family>${family}</family><accept><family>${ours}</family></accept></alias>`;
}

function substitute(family: string, ours: string): string {
  return `  <match target="pattern">
    <test name="family"><string>${family}</string></test>
    <edit name="family" mode="prepend" binding="strong"><string>${ours}</string></edit>
  </match>`;
}

function forLanguage(language: string, family: string): string {
  return `  <match target="pattern">
    <test name="lang"><string>${language}</string></test>
    <edit name="family" mode="prepend_first" binding="strong"><string>${family}</string></edit>
  </match>`;
}

function escapeXml(text: string): string {
  return text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;');
}
