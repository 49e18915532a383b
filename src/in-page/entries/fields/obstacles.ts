/** Finds what keeps a control from becoming a field. */
import { read } from '../../dom/nodes.ts';
import { type Control, isInput } from './control.ts';
import { drawnScale } from './drawn-scale.ts';

/** Whether an element hides its content, or else rotates, scales, mirrors or shapes it. */
export type Obstacle = '' | 'moved' | 'clipped';

export class Obstacles {
  readonly #known = new Map<Element, Obstacle>();

  /** Returns the obstacle of the element or one of its ancestors. Each ancestor is inspected only once. */
  find(element: HTMLElement): Obstacle {
    const known = this.#known.get(element);
    if (known !== undefined) return known;
    const parent = read(element, 'parentElement');
    const obstacles = [ownObstacle(element, parent === null), parent ? this.find(parent) : ''];
    const obstacle = obstacles.includes('clipped') ? 'clipped' : obstacles.includes('moved') ? 'moved' : '';
    this.#known.set(element, obstacle);
    return obstacle;
  }
}

/** A checkbox or radio button may be scaled. */
function ownObstacle(element: Control, isRoot: boolean): Obstacle {
  const style = getComputedStyle(element);
  const isHiding = style.clip !== 'auto' && /^(?:absolute|fixed)$/.test(style.position);
  if (isHiding || /^inset\((?:50|100)%\)$/.test(style.clipPath)) return 'clipped';
  const isNone = (name: string) => /^(?:none|)$/.test(style.getPropertyValue(name));
  const scale = drawnScale(style);
  const isBox = isInput(element) && /^(?:checkbox|radio)$/.test(element.type);
  const isLevel = (scale === 1 || (isBox && scale > 0)) && (style.zoom || '1') === '1';
  const shapes = ['rotate', 'perspective', 'offset-path', 'clip-path'];
  const moves = isRoot ? ['transform', 'translate'] : []; // the root moves the links as well
  return isLevel && [...shapes, ...moves].every(isNone) ? '' : 'moved';
}
