import { Clock } from './clock.port.js';

/** setTimeout's longest delay; a longer one would fire at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** The machine's clock. Its timers keep no process alive. */
export class SystemClock extends Clock {
  now(): Date {
    return new Date();
  }

  after(delayMs: number, callback: () => void): () => void {
    let timer: NodeJS.Timeout;
    const arm = (left: number) => {
      const step = Math.min(left, LONGEST_TIMER_MS);
      timer = setTimeout(() => (left > step ? arm(left - step) : callback()), step);
      timer.unref();
    };
    arm(Math.max(0, delayMs));
    return () => clearTimeout(timer);
  }
}
