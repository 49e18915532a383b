/** Fonts for scripts that few documents are written in: used where their package is installed, named where it is not. */

/** Some letters of each script, by the name Unicode gives it, which is that of its font, too. */
export const OPTIONAL_SCRIPTS: Readonly<Record<string, string>> = {
  Armenian: 'աբգ',
  Bengali: 'কখগ',
  Ethiopic: 'ሀለሐ',
  Georgian: 'აბგ',
  Gujarati: 'કખગ',
  Gurmukhi: 'ਕਖਗ',
  Kannada: 'ಕಖಗ',
  Khmer: 'កខគ',
  Malayalam: 'കഖഗ',
  Myanmar: 'ကခဂ',
  Oriya: 'କଖଗ',
  Sinhala: 'කඛග',
  Tamil: 'கஙச',
  Telugu: 'కఖగ',
};

export const OPTIONAL_FAMILIES = Object.keys(OPTIONAL_SCRIPTS).map((script) => `Noto Sans ${script}`);
export const OPTIONAL_PACKAGES = Object.keys(OPTIONAL_SCRIPTS).map((script) => packageOf(script));

/** What to install for a script; undefined where it is none of these. */
export function fontPackageFor(script: string): string | undefined {
  return script in OPTIONAL_SCRIPTS ? packageOf(script) : undefined;
}

function packageOf(script: string): string {
  return `@expo-google-fonts/noto-sans-${script.toLowerCase()}`;
}
