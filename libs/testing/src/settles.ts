import { IDLE, pause } from './patience.js';

/**
 * Returns the outcome of work in this process. Rejects if the event loop is idle while the work is not done:
 * nothing is left that could settle the promise. Slow work does not reject, however busy the machine is.
 */
export async function settles<T>(work: Promise<T>, name: string): Promise<T> {
  const state = { done: false };
  try {
    return await Promise.race([work, idleness(name, state)]);
  } finally {
    state.done = true;
  }
}

async function idleness(name: string, state: Readonly<{ done: boolean }>): Promise<never> {
  let before = performance.eventLoopUtilization();
  for (let idle = 0; idle < IDLE.checks; ) {
    await pause(IDLE.intervalMs);
    if (state.done) return new Promise(() => undefined);
    const now = performance.eventLoopUtilization();
    idle = now.active - before.active < IDLE.belowMs ? idle + 1 : 0;
    before = now;
  }
  throw new Error(`${name} never settles: the event loop was idle for ${IDLE.checks * IDLE.intervalMs} ms`);
}
