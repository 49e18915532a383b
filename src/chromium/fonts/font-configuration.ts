/** What fontconfig is told: folders of fonts in, the path of a configuration file out. */
import { createHash } from 'node:crypto';
import { mkdir, readdir, rename, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { OPTIONAL_FAMILIES } from './optional-fonts.ts';

/** Of fontconfig, in the cache. Its name changes with the rules for what is read of a font. */
const CACHE = 'fontconfig-3';
const SYSTEM = ['/usr/share/fonts', '/usr/local/share/fonts'];
/** Fonts whose letters are as wide as those they stand for. */
const ALIKE: Record<string, string[]> = {
  Arimo: ['Arial', 'Helvetica', 'Liberation Sans'],
  Tinos: ['Times New Roman', 'Times', 'Liberation Serif'],
  Cousine: ['Courier New', 'Courier', 'Liberation Mono'],
  Carlito: ['Calibri'],
  Caladea: ['Cambria'],
};
/**
 * Fonts that stand for others Chromium does not know them to be like: they have to come first to be taken, and so only do where there is
 * no file of that name. Formulas are set in Latin Modern Math where a page does not say in what.
 */
const STAND_INS: Record<string, string[]> = {
  Gelasio: ['Georgia'],
  'Noto Sans Math': ['Latin Modern Math', 'Cambria Math', 'STIX Two Math'],
};
/** What a generic name stands for. Chromium asks for Arial and Times New Roman itself, where a page says sans-serif and serif. */
const GENERIC: Record<string, string> = { 'sans-serif': 'Arimo', serif: 'Tinos', monospace: 'Cousine' };
/** The bundled fonts, and with them the order in which they are tried for a character that the fonts of the page lack. */
const IN_ORDER = [
  ...['Arimo', 'Noto Sans Hebrew', 'Vazirmatn', 'Noto Sans Arabic', 'Noto Sans Devanagari', 'Noto Sans Thai'],
  ...OPTIONAL_FAMILIES,
  ...['Noto Sans SC', 'Noto Sans JP', 'Noto Sans TC', 'Noto Sans KR'],
  ...['Noto Sans Math', 'Noto Sans Symbols', 'Noto Sans Symbols 2'],
];
/** After the fonts of the system, which may have a sign as text: colours are for what asks for them (`und-zsye`). */
const AT_LAST = ['Open Sans', 'Noto Color Emoji'];
/** A second family name that all fonts of the operator's bear. */
const OWN = 'Platen Own Fonts';
/** Whose shapes of Chinese characters a language wants. The order matters: the last that fits comes first. */
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
/** Named by its content, so that services with different settings may share a cache. */
export async function writeFontConfiguration(cacheDir: string, ownFolder: string, folders: string[]): Promise<string> {
  const text = configuration(cacheDir, ownFolder, folders, await standIns([ownFolder, ...SYSTEM].filter(Boolean)));
  const digest = createHash('sha256').update(text).digest('hex').slice(0, 16);
  const path = join(cacheDir, `fonts-${digest}.conf`);
  const unfinished = `${path}.${process.pid}`;
  await mkdir(cacheDir, { recursive: true });
  await writeFile(unfinished, text);
  await rename(unfinished, path);
  return path;
}

/** The families that no font file in these folders is named after, with what stands for them. */
async function standIns(folders: string[]): Promise<[family: string, ours: string][]> {
  const lists = await Promise.all(folders.map((folder) => readdir(folder, { recursive: true }).catch(() => [])));
  const files = lists.flat().map((path) => lettersOf(basename(path)));
  const pairs = Object.entries(STAND_INS).flatMap(([ours, theirs]) => theirs.map((family): [string, string] => [family, ours]));
  return pairs.filter(([family]) => !files.some((file) => file.startsWith(lettersOf(family))));
}

function lettersOf(name: string): string {
  return name.toLowerCase().replace(/[^a-z]/g, '');
}

/**
 * The fonts of the system come with the system's own rules, where it has any, but after what is bundled, so that a document is the
 * same on every machine: a strong binding goes before the languages a font says it is for. The caches of the system are not read:
 * they do not know the rules made here.
 */
function configuration(cacheDir: string, ownFolder: string, folders: string[], replaced: [string, string][]): string {
  const own = ownFolder ? [OWN] : [];
  return `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
${[...own.map(() => ownFolder), ...folders, ...SYSTEM].map((folder) => `  <dir>${escapeXml(folder)}</dir>`).join('\n')}
  <cachedir>${escapeXml(join(cacheDir, CACHE))}</cachedir>
${own.map((name) => nameFontsOf(ownFolder, name)).join('\n')}
${Object.entries(ALIKE)
  .flatMap(([ours, theirs]) => theirs.map((family) => alias(family, ours)))
  .join('\n')}
${Object.entries(GENERIC)
  .map(([name, family]) => alias(name, family))
  .join('\n')}
${replaced.map(([family, ours]) => inPlaceOf(family, ours)).join('\n')}
${append([...own, ...IN_ORDER], 'strong')}
  <include ignore_missing="yes">/etc/fonts/conf.d</include>
${Object.entries(BY_LANGUAGE)
  .map(([language, family]) => forLanguage(language, family))
  .join('\n')}
${append(AT_LAST, 'weak')}
</fontconfig>
`;
}

function nameFontsOf(folder: string, family: string): string {
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

function inPlaceOf(family: string, ours: string): string {
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
