import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { Clock } from '../clock/clock.port.js';
import { Timers } from '../clock/timers.js';

const CHECK_EVERY_MS = 10_000;
/** Shares of one processor. */
const WORKS = 0.15;
const RESTS = 0.1;
/**
 * Numbers of equal checks in a row after which garbage is collected: once soon, and once a minute after the
 * last pass, with the caches of idle clusters closed (why: speed.md "Garbage is collected at rest, twice").
 */
const COLLECTED_AFTER = [3, 12];

type CollectAtRestOptions = Readonly<{
  clock: Clock;
  /** Processor time that the process has used: milliseconds. */
  cpuMs?: () => number;
  collect?: () => void;
}>;

/**
 * Collects all garbage of the process once it rests after work, and gives free memory back to the system. V8
 * collects when a program allocates, so a process at rest keeps its peak memory (why: speed.md "Garbage is
 * collected at rest, twice"). Collects twice after each burst of work, never during one.
 */
export function collectAtRest({ clock, cpuMs = cpuMsOfProcess, collect = collectAll }: CollectAtRestOptions): void {
  let before = cpuMs();
  // A start is work, too: half of its memory is garbage.
  let collections = 0;
  let rested = 0;
  new Timers(clock).every(CHECK_EVERY_MS, () => {
    const used = (cpuMs() - before) / CHECK_EVERY_MS;
    if (used >= WORKS) collections = 0;
    rested = used < RESTS ? rested + 1 : 0;
    if (rested >= (COLLECTED_AFTER[collections] ?? Number.POSITIVE_INFINITY)) {
      collect();
      collections += 1;
    }
    // The time used to collect is no work.
    before = cpuMs();
  });
}

function cpuMsOfProcess(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}

/** Collects, compacts the rest, and gives free pages back: hundreds of milliseconds for a large heap. */
export function collectAll(): void {
  setFlagsFromString('--expose-gc');
  const gc: unknown = runInNewContext('gc');
  setFlagsFromString('--no-expose-gc');
  if (typeof gc === 'function') gc({ type: 'major', execution: 'sync', flavor: 'last-resort' });
}
