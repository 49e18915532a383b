/**
 * Moves the animations of a document to their end. The functions below run in the page, sent as text, so they may use only each
 * other.
 */
import type { selectIn as SelectIn, withShadows as WithShadows } from './page-frames.ts';

/** A script that calls `finishAnimations(document)` must contain these and `FRAMES`. */
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
/** The methods of the prototype are used, because an element whose name is that of a method would hide it. */
declare const Document: Animated;
declare const ShadowRoot: Animated;
declare const selectIn: typeof SelectIn;
declare const withShadows: typeof WithShadows;

/**
 * Moves a finite animation to its end, and an endless one to its first frame. A scroll-driven animation is cancelled, because nobody
 * scrolls, and most of them hide content that has not been scrolled to.
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

/**
 * Stops the animation elements of SVG, whose clock is that of the outermost `svg`. Endless ones begin again when all others have
 * ended.
 */
function stopDrawings(root: object): void {
  for (const drawing of selectIn<Drawing>(root, 'svg:has(animate, animateMotion, animateTransform, set)')) {
    if (drawing.ownerSVGElement) continue;
    drawing.pauseAnimations();
    drawing.setCurrentTime(3_600);
    for (const endless of drawing.querySelectorAll(':is([repeatCount="indefinite"], [repeatDur="indefinite"]):not([end])')) {
      try {
        endless.getStartTime(); // throws if it has not begun
        endless.beginElement();
      } catch {
        // it waits for an event, such as a click
      }
    }
    drawing.setCurrentTime(3_600);
  }
}

/** Takes one root, because a document does not list the animations in its shadow roots. Returns how many it has finished. */
function finishIn(root: object, { getAnimations }: Animated['prototype'], timeline: unknown): number {
  let finished = 0;
  for (const animation of getAnimations.call(root)) {
    if (animation.playState !== 'running') continue;
    try {
      bringToEnd(animation, timeline);
      finished++;
    } catch {
      // its playback rate is zero or negative
    }
  }
  stopDrawings(root);
  return finished;
}

/** Returns the number of animations. Those that the document has paused stay as they are. `looks` is as for `withShadows`. */
export function finishAnimations(page: AnimatedPage, looks = false): number {
  let finished = 0;
  try {
    const timeline = Object.getOwnPropertyDescriptor(Document.prototype, 'timeline')?.get?.call(page);
    for (const root of withShadows(page, looks))
      finished += finishIn(root, root === page ? Document.prototype : ShadowRoot.prototype, timeline);
  } catch {
    // a document that breaks the functions used here keeps its animations as they are
  }
  return finished;
}
