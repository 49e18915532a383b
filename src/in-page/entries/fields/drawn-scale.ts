/** Returns how much larger than it is laid out an element is drawn. 0 if it is mirrored, turned, or not scaled alike in both directions. */
export function drawnScale({ transform, scale }: CSSStyleDeclaration): number {
  const { a, b, c, d, is2D } = new DOMMatrix(transform);
  const [x = '1', y = x] = scale === 'none' ? [] : scale.split(' ');
  return is2D && a > 0 && a === d && b === 0 && c === 0 && Number(x) > 0 && x === y ? a * Number(x) : 0;
}
