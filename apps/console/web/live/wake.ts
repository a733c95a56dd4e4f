/** The clock is read so often, in milliseconds. */
const EVERY = 500;
/**
 * The clock went on by so many milliseconds between two turns: the computer slept. Browsers hold hidden tabs
 * up for a minute.
 */
const SLEPT = 90_000;

/** Calls when the computer has slept. Timers stand still then: a dead connection would be noticed late. */
export function onWake(call: () => void): void {
  let last = Date.now();
  setInterval(() => {
    const now = Date.now();
    if (now - last > SLEPT) call();
    last = now;
  }, EVERY);
}
