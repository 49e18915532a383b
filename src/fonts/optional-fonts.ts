/**
 * Lists fonts for scripts that few documents use. They are used if their package is installed; otherwise warnings name the
 * package.
 */

/** Some letters of each script, by its Unicode name, which is also part of the name of its font. */
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

/** Returns the package to install for a script. Undefined if it is not an optional one. */
export function findFontPackage(script: string): string | undefined {
  return script in OPTIONAL_SCRIPTS ? fontPackage(`Noto Sans ${script}`) : undefined;
}

/** The name of a script as people write it today. Unicode keeps its earlier names. */
export function scriptName(script: string): string {
  return script === 'Oriya' ? 'Odia' : script;
}

/** The package with the TrueType files of a family. */
export function fontPackage(family: string): string {
  return `@expo-google-fonts/${family.toLowerCase().replaceAll(' ', '-')}`;
}
