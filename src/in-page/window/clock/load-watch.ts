/** Finds out whether an image or a script has begun to load from the network. */
import { apply, construct, findGetter } from '../../dom/built-ins.ts';

/** Limits the images created by scripts that are watched. The oldest are dropped first. */
const MAX_IMAGES = 200;

interface Loadable {
  src: string;
  loading?: string;
  complete?: boolean;
}

export type LoadWatch = () => boolean;

/** Collects the images of `new Image()`. The document lists only images that were inserted into it. */
export function collectImages(): Set<Loadable> {
  const made = new Set<Loadable>();
  window.Image = new Proxy(Image, {
    construct(native, args, target) {
      const image: Loadable = construct(native, args, target);
      const [oldest] = made.add(image);
      if (oldest && made.size > MAX_IMAGES) made.delete(oldest);
      return image as object;
    },
  });
  return made;
}

/** Returns a function that tells whether an image or a script has begun to load since. */
export function watchLoads(made: Set<Loadable>): LoadWatch {
  const images = () => new Set([...listElements('images'), ...made]);
  const loading = () => [...images()].filter((each) => !each.complete && each.loading !== 'lazy' && isOfNetwork(each));
  const scripts = () => listElements('scripts').filter(isOfNetwork);
  const known = new Set([...loading(), ...scripts()]);
  return () => [...loading(), ...scripts()].some((each) => !known.has(each));
}

function listElements(name: 'images' | 'scripts'): Loadable[] {
  const list = findGetter(Document.prototype, name);
  return list ? [...(apply(list, document, []) as Iterable<Loadable>)] : [];
}

function isOfNetwork({ src }: Loadable): boolean {
  return /^https?:/.test(src);
}
