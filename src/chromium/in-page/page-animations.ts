/** Animations of a document brought to their end. The functions below run in the page, sent as text, so they may use nothing but each other. */

/** To be sent with what calls `finishAnimations(document)`. */
export const FINISH_ANIMATIONS = [bringToEnd, stopDrawings, finishAnimations];

// Typed loosely: this project's code runs in Node and has no DOM types.
interface Animation {
  playState: string;
  timeline: unknown;
  currentTime: number;
  effect: { getComputedTiming(): { endTime: number; delay: number } } | null;
  finish(): void;
  pause(): void;
  cancel(): void;
}
interface Drawing {
  ownerSVGElement: unknown;
  querySelector(selector: string): unknown;
  pauseAnimations(): void;
  setCurrentTime(seconds: number): void;
}
export type AnimatedPage = object;
/** Its own: an element of a document may bear the name of one of these, and hide it. */
declare const Document: {
  prototype: { getAnimations(): Animation[]; querySelectorAll(selector: string): Iterable<Drawing> };
};

/**
 * What has an end is there, what has none is at its first frame. One that follows the way of scrolling is taken away: nobody scrolls,
 * and mostly it hides what has not been scrolled to.
 */
function bringToEnd(animation: Animation, timeline: unknown): void {
  const { endTime, delay } = animation.effect?.getComputedTiming() ?? { endTime: 0, delay: 0 };
  if (animation.timeline && animation.timeline !== timeline) animation.cancel();
  else if (Number.isFinite(endTime)) animation.finish();
  else {
    animation.pause();
    animation.currentTime = Math.max(0, delay);
  }
}

/** Those of SVG itself, whose clock is that of the drawing. */
function stopDrawings(page: AnimatedPage): void {
  for (const drawing of Document.prototype.querySelectorAll.call(
    page,
    'svg:has(animate, animateMotion, animateTransform, set)',
  )) {
    if (drawing.ownerSVGElement) continue;
    const isEndless = drawing.querySelector('[repeatCount="indefinite"], [repeatDur="indefinite"]');
    drawing.pauseAnimations();
    drawing.setCurrentTime(isEndless ? 0 : 3_600);
  }
}

/** How many there were. Those the document itself has paused stay where they are. */
export function finishAnimations(page: AnimatedPage): number {
  let finished = 0;
  try {
    const timeline = Object.getOwnPropertyDescriptor(Document.prototype, 'timeline')?.get?.call(page);
    for (const animation of Document.prototype.getAnimations.call(page)) {
      if (animation.playState !== 'running') continue;
      try {
        bringToEnd(animation, timeline);
        finished++;
      } catch {
        // it goes backwards, or not at all
      }
    }
    stopDrawings(page);
  } catch {
    // a document that hides its parts keeps them as they are
  }
  return finished;
}
