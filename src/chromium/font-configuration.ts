/** What fontconfig is told: folders of fonts in, the path of a configuration file out. */
import { createHash } from 'node:crypto';
import { mkdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

const SYSTEM = ['/usr/share/fonts', '/usr/local/share/fonts'];
/** Fonts whose letters are as wide as those they stand for. */
const ALIKE: Record<string, string[]> = {
  Arimo: ['Arial', 'Helvetica', 'Liberation Sans'],
  Tinos: ['Times New Roman', 'Times', 'Liberation Serif'],
  Cousine: ['Courier New', 'Courier', 'Liberation Mono'],
};
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
/** What is taken where nothing else is named, in this order. */
const AT_LAST = ['Open Sans', 'Noto Sans SC', 'Noto Sans JP', 'Noto Sans TC', 'Noto Sans KR', 'Noto Color Emoji'];

/** Named by its content, so that services with different settings may share a cache. */
export async function writeFontConfiguration(cacheDir: string, folders: string[]): Promise<string> {
  const text = configuration(cacheDir, folders);
  const digest = createHash('sha256').update(text).digest('hex').slice(0, 16);
  const path = join(cacheDir, `fonts-${digest}.conf`);
  const unfinished = `${path}.${process.pid}`;
  await mkdir(cacheDir, { recursive: true });
  await writeFile(unfinished, text);
  await rename(unfinished, path);
  return path;
}

/** The fonts of the system come with the system's own rules, where it has any. */
function configuration(cacheDir: string, folders: string[]): string {
  return `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
${[...folders, ...SYSTEM].map((folder) => `  <dir>${escapeXml(folder)}</dir>`).join('\n')}
  <cachedir>${escapeXml(join(cacheDir, 'fontconfig'))}</cachedir>
  <include ignore_missing="yes">/etc/fonts/fonts.conf</include>
${Object.entries(ALIKE)
  .flatMap(([ours, theirs]) => theirs.map((family) => alias(family, ours)))
  .join('\n')}
${Object.entries(BY_LANGUAGE)
  .map(([language, family]) => forLanguage(language, family))
  .join('\n')}
  <match target="pattern">
    <edit name="family" mode="append_last" binding="weak">${AT_LAST.map((family) => `<string>${family}</string>`).join('')}</edit>
  </match>
</fontconfig>
`;
}

function alias(family: string, ours: string): string {
  return `  <alias binding="same"><family>${family}</family><accept><family>${ours}</family></accept></alias>`;
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
