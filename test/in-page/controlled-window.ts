/** A bundle for tests: controls the time of its window, and keeps the clock where the test finds it. */
import { controlTime } from '../../src/in-page/window/clock/control-time.ts';

Object.assign(globalThis, { clock: controlTime() });
