/** The gallery of templates: what is shown of each, and its texts, which are loaded when somebody chooses one. */

export interface GalleryTemplate {
  /** The name of its folder. */
  folder: string;
  name: string;
  about: string;
  /** The URL of a picture of its first page. */
  picture: string;
  /** The names of its data sets, the one of the picture first. */
  samples: string[];
}

export interface ChosenTemplate {
  name: string;
  /** Liquid. */
  html: string;
  /** The JSON text. */
  data: string;
  options: Record<string, unknown>;
}

interface About {
  name: string;
  about: string;
  samples: string[];
  options?: Record<string, unknown>;
}

const ABOUT = import.meta.glob<About>('./*/about.json', { eager: true, import: 'default' });
const PICTURES = import.meta.glob<string>('./*/page.webp', { eager: true, import: 'default', query: '?url' });

export const GALLERY: GalleryTemplate[] = Object.entries(ABOUT)
  .map(([path, { name, about, samples }]) => {
    const folder = path.split('/')[1] ?? '';
    return { folder, name, about, picture: PICTURES[`./${folder}/page.webp`] ?? '', samples };
  })
  .sort((one, other) => one.name.localeCompare(other.name, 'en'));

/** How a data set is called where people choose it: `two-pages` is "Two pages". */
export function sampleTitle(sample: string): string {
  const words = sample.replaceAll('-', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** Loads the texts of all templates, which are one small file, and returns those of one. Throws `TypeError` without a connection. */
export async function loadTemplate({ folder, name }: GalleryTemplate, sample: string): Promise<ChosenTemplate> {
  const { TEMPLATES, DATA_SETS, OPTIONS } = await import('./texts.ts');
  return {
    name,
    html: TEMPLATES[`./${folder}/template.html`] ?? '',
    data: DATA_SETS[`./${folder}/data-${sample}.json`] ?? '{}',
    options: { ...ABOUT[`./${folder}/about.json`]?.options, ...OPTIONS[`./${folder}/options-${sample}.json`] },
  };
}
