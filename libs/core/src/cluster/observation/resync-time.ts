import { createHash } from 'node:crypto';

const HASHES = 2 ** 32;

/**
 * The time within each period at which a subject is checked anew, in milliseconds from its beginning on. It
 * depends on the name alone: subjects are spread evenly, and a restart moves none of them.
 */
export function resyncPhaseMs(name: string, periodMs: number): number {
  const hash = createHash('sha256').update(name).digest().readUInt32BE(0);
  return Math.floor((hash / HASHES) * periodMs);
}

/** The first time from `fromMs` on at which the subject is checked anew; within a period from there. */
export function nextResyncMs(name: string, periodMs: number, fromMs: number): number {
  const ahead = (resyncPhaseMs(name, periodMs) - fromMs) % periodMs;
  return fromMs + (ahead < 0 ? ahead + periodMs : ahead);
}
