/** Animations of a document brought to their end. The functions below run in the page, sent as text, so they may use nothing but each other. */
import type { selectIn as SelectIn, withShadows as WithShadows } from './page-frames.ts';

/** To be sent, with `FRAMES`, with what calls `finishAnimations(document)`. */
export const FINISH_ANIMATIONS = [bringToEnd, stopDrawings, finishIn, finishAnimations];

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
  querySelectorAll(selector: string): Iterable<{ getStartTime(): number; beginElement(): void }>;
  pauseAnimations(): void;
  setCurrentTime(seconds: number): void;
}
export type AnimatedPage = object;
interface Animated {
  prototype: { getAnimations(): Animation[] };
}
/** Its own: an element of a document may bear the name of one of these, and hide it. */
declare const Document: Animated;
declare const ShadowRoot: Animated;
declare const selectIn: typeof SelectIn;
declare const withShadows: typeof WithShadows;

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

/** Those of SVG itself, whose clock is that of the drawing. What has no end begins anew where all else has come to its end. */
function stopDrawings(root: object): void {
  for (const drawing of selectIn<Drawing>(root, 'svg:has(animate, animateMotion, animateTransform, set)')) {
    if (drawing.ownerSVGElement) continue;
    drawing.pauseAnimations();
    drawing.setCurrentTime(3_600);
    for (const endless of drawing.querySelectorAll(':is([repeatCount="indefinite"], [repeatDur="indefinite"]):not([end])')) {
      try {
        endless.getStartTime(); // throws where nothing has begun it
        endless.beginElement();
      } catch {
        // it waits for a click
      }
    }
    drawing.setCurrentTime(3_600);
  }
}

/** A document tells of none that is in a shadow root. */
function finishIn(root: object, { getAnimations }: Animated['prototype'], timeline: unknown): number {
  let finished = 0;
  for (const animation of getAnimations.call(root)) {
    if (animation.playState !== 'running') continue;
    try {
      bringToEnd(animation, timeline);
      finished++;
    } catch {
      // it goes backwards, or not at all
    }
  }
  stopDrawings(root);
  return finished;
}

/** How many there were. Those the document itself has paused stay where they are. `looks` is as for `withShadows`. */
export function finishAnimations(page: AnimatedPage, looks = false): number {
  let finished = 0;
  try {
    const timeline = Object.getOwnPropertyDescriptor(Document.prototype, 'timeline')?.get?.call(page);
    for (const root of withShadows(page, looks))
      finished += finishIn(root, root === page ? Document.prototype : ShadowRoot.prototype, timeline);
  } catch {
    // a document that hides its parts keeps them as they are
  }
  return finished;
}
