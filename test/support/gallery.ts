/** Reads the gallery from `web/gallery`: its templates, each with the options of its print and its data sets. */
import { readdir, readFile } from 'node:fs/promises';

export interface GalleryTemplate {
  /** The name of its folder. */
  folder: string;
  html: string;
  /** In the order of `about.json`, each with the options of its print. */
  samples: Array<{ name: string; data: Record<string, unknown>; options: Record<string, unknown> }>;
}

export const GALLERY = new URL('../../web/gallery/', import.meta.url);

/** In the order of the names of their folders. */
export async function readGallery(): Promise<GalleryTemplate[]> {
  const entries = await readdir(GALLERY, { withFileTypes: true });
  const folders = entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
  return Promise.all(folders.sort().map(readTemplate));
}

async function readTemplate(folder: string): Promise<GalleryTemplate> {
  const place = new URL(`${folder}/`, GALLERY);
  const readJson = async (name: string) => JSON.parse(await readFile(new URL(name, place), 'utf8')) as Record<string, unknown>;
  const files = await readdir(place);
  const about = (await readJson('about.json')) as { samples: string[]; options?: Record<string, unknown> };
  const samples = about.samples.map(async (name) => {
    const own = files.includes(`options-${name}.json`) ? await readJson(`options-${name}.json`) : {};
    return { name, data: await readJson(`data-${name}.json`), options: { ...about.options, ...own } };
  });
  return { folder, html: await readFile(new URL('template.html', place), 'utf8'), samples: await Promise.all(samples) };
}
