import { availableParallelism, loadavg } from 'node:os';

/**
 * Factor of all waiting times of tests, which are all here. A wait ends when its outcome is there, so these
 * times cost nothing if all is well: they only limit a test that fails. `FLOTILLA_TEST_PATIENCE=3` makes all
 * of them three times as long, for slow or busy machines.
 */
const FACTOR = Math.max(Number(process.env['FLOTILLA_TEST_PATIENCE'] ?? '') || 1, 1);

const forMs = (ms: number): number => Math.round(ms * FACTOR);

/** After how many milliseconds a wait is given up. */
export const PATIENCE_MS = forMs(90_000);
/**
 * Limit for things that Flotilla does only after a pause of its own: retries, deadlines, the time after a
 * crash.
 */
export const LONG_PATIENCE_MS = forMs(240_000);

/** For `expect.poll` and `vi.waitFor`: the outcome comes as soon as the work is done. */
export const PATIENCE = { timeout: PATIENCE_MS, interval: 50 };
/** For `expect.poll` and `vi.waitFor`: the outcome comes after a pause of Flotilla's own. */
export const LONG_PATIENCE = { timeout: LONG_PATIENCE_MS, interval: 500 };
/** For `expect.poll` of a function that itself moves a virtual clock: the next check follows at once. */
export const DRIVEN = { timeout: LONG_PATIENCE_MS, interval: 1 };

/**
 * For `expect.poll` and `vi.waitFor`: users are promised the outcome within this time, if the processors keep
 * up. If more work waits for them, as when tests run in parallel, it takes as many times longer.
 */
export const promised = (ms: number) => ({ timeout: forMs(ms * overload()), interval: 50 });

const overload = (): number => Math.max(1, (loadavg()[0] ?? 0) / availableParallelism());

/** Limits that end a whole test or hook that hangs: each may wait several times. */
export const LIMITS = {
  test: forMs(300_000),
  hook: forMs(300_000),
  /** One recording of OLM; several are played at once. */
  recording: forMs(600_000),
  e2eTest: forMs(600_000),
  /** Kubernetes may have to be built first. */
  e2eHook: forMs(1_800_000),
  /** A scenario played again and again, with a service killed at one write after the other. */
  walk: forMs(3_600_000),
};

/**
 * The event loop of a test is idle if it worked for less than `belowMs` in each of so many intervals in a
 * row. Waiting for a processor counts as work.
 */
export const IDLE = { checks: 30, intervalMs: 100, belowMs: 5 };

/**
 * Between two checks of a loop, or for as long as a fault lasts. An outcome is waited for with
 * {@link PATIENCE} instead.
 */
export const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/**
 * Waits so that a forbidden event has the time to happen. A slow machine can only make the check after it
 * weaker, never fail it.
 */
export const aWhile = (): Promise<void> => pause(100);
