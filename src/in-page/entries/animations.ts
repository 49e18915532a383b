/** Moves the animations of a document to their end. */
import { call, read } from '../dom/nodes.ts';
import { type Root, selectIn, withShadows } from '../dom/roots.ts';

/** A time by which finite animations of SVG have ended. */
const END_SECONDS = 3_600;

/** Returns the number of animations. Those that the document has paused stay as they are. `looks` is as for `withShadows`. */
export function finishAnimations(page: Document, looks = false): number {
  let finished = 0;
  try {
    const timeline = read(page, 'timeline');
    for (const root of withShadows(page, looks)) finished += finishIn(root, timeline);
  } catch {
    // a document that breaks the functions used here keeps its animations as they are
  }
  return finished;
}

/** Takes one root, because a document does not list the animations in its shadow roots. */
function finishIn(root: Root, timeline: unknown): number {
  let finished = 0;
  for (const animation of call(root, 'getAnimations')) {
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
    animation.currentTime = Math.max(0, delay ?? 0);
  }
}

/**
 * Stops the animation elements of SVG, whose clock is that of the outermost `svg`. Endless ones begin again when all others have
 * ended.
 */
function stopDrawings(root: Root): void {
  for (const drawing of selectIn<SVGSVGElement>(root, 'svg:has(animate, animateMotion, animateTransform, set)')) {
    if (drawing.ownerSVGElement) continue;
    drawing.pauseAnimations();
    drawing.setCurrentTime(END_SECONDS);
    const endless = ':is([repeatCount="indefinite"], [repeatDur="indefinite"]):not([end])';
    for (const animation of drawing.querySelectorAll<SVGAnimationElement>(endless)) {
      try {
        animation.getStartTime(); // throws if it has not begun
        animation.beginElement();
      } catch {
        // it waits for an event, such as a click
      }
    }
    drawing.setCurrentTime(END_SECONDS);
  }
}
