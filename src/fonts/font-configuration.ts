/** Configures fontconfig: folders of fonts in, the path of a configuration file out. */
import { createHash } from 'node:crypto';
import { mkdir, readdir, rename, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { OPTIONAL_FAMILIES } from './optional-fonts.ts';

/** The folder of fontconfig's own cache. Its name must change with the rules for scanning fonts. */
const CACHE_FOLDER = 'fontconfig-3';
const SYSTEM_FOLDERS = ['/usr/share/fonts', '/usr/local/share/fonts'];
/**
 * Fonts, each with the families that it replaces and that have the same metrics, and with generic families. For sans-serif and serif,
 * Chromium itself requests Arial and Times New Roman:
 * https://source.chromium.org/chromium/chromium/src/+/main:third_party/blink/common/web_preferences/web_preferences.cc
 */
const COMPATIBLE: Record<string, string[]> = {
  Arimo: ['Arial', 'Helvetica', 'Liberation Sans', 'sans-serif'],
  Tinos: ['Times New Roman', 'Times', 'Liberation Serif', 'serif'],
  Cousine: ['Courier New', 'Courier', 'Liberation Mono', 'monospace'],
  Carlito: ['Calibri'],
  Caladea: ['Cambria'],
};
/**
 * Fonts that replace families with which Chromium does not know them to be compatible. It uses them only if they precede the family,
 * so this applies only to families that no font file is named after. The default font of formulas is Latin Modern Math. Chromium
 * knows those in `kFontEquivMap`:
 * https://source.chromium.org/chromium/chromium/src/+/main:third_party/skia/src/ports/SkFontConfigInterface_direct.cpp
 */
const SUBSTITUTES: Record<string, string[]> = {
  Gelasio: ['Georgia'],
  'Noto Sans Math': ['Latin Modern Math', 'Cambria Math', 'STIX Two Math'],
};
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
/** Fonts with the languages whose shapes of Chinese characters they have. The last that matches has the highest priority. */
const OF_LANGUAGES: Record<string, string[]> = {
  'Noto Sans SC': ['zh', 'zh-cn', 'zh-sg', 'zh-hans'],
  'Noto Sans TC': ['zh-hant', 'zh-tw', 'zh-hk', 'zh-mo'],
  'Noto Sans JP': ['ja', 'ja-jp'],
  'Noto Sans KR': ['ko', 'ko-kr'],
  'Noto Color Emoji': ['und-zsye'],
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
  return pairs(SUBSTITUTES).filter(([family]) => !files.some((file) => file.startsWith(toLetters(family))));
}

/** Returns the names in each list with the font that it belongs to. */
function pairs(table: Record<string, string[]>): [name: string, font: string][] {
  return Object.entries(table).flatMap(([font, names]) => names.map((name): [string, string] => [name, font]));
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
${pairs(COMPATIBLE).map(alias).join('\n')}
${replaced.map(([family, ours]) => addFamilies([ours], 'prepend', 'strong', isNamed('family', family))).join('\n')}
${addFamilies([...own, ...FALLBACK_ORDER], 'append_last', 'strong')}
  <include ignore_missing="yes">/etc/fonts/conf.d</include>
${pairs(OF_LANGUAGES)
  .map(([language, ours]) => addFamilies([ours], 'prepend_first', 'strong', isNamed('lang', language)))
  .join('\n')}
${addFamilies(LAST_RESORT, 'append_last', 'weak')}
</fontconfig>
`;
}

function toFamilyMatch(folder: string, family: string): string {
  return `  <match target="scan">
    <test name="file" compare="contains"><string>${escapeXml(join(folder, '/'))}</string></test>
    <edit name="family" mode="append_last"><string>${family}</string></edit>
  </match>`;
}

function alias([family, ours]: [string, string]): string {
  return `  <alias binding="same"><family>${family}</family><accept><family>${ours}</family></accept></alias>`;
}

/** Adds fonts to each request for a font, or to those that pass the test. */
function addFamilies(families: string[], mode: string, binding: string, test = ''): string {
  return `  <match target="pattern">
    ${test}<edit name="family" mode="${mode}" binding="${binding}">${families.map((family) => `<string>${family}</string>`).join('')}</edit>
  </match>`;
}

function isNamed(property: 'family' | 'lang', name: string): string {
  return `<test name="${property}"><string>${name}</string></test>`;
}

function escapeXml(text: string): string {
  return text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;');
}
