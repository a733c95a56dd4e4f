import { createHash } from 'node:crypto';

const HASHES = 2 ** 32;

/**
 * Returns the time of a subject's check within each period, in milliseconds from its beginning. It depends on
 * the name alone: subjects are spread evenly, and a restart moves none of them.
 */
export function resyncPhaseMs(name: string, periodMs: number): number {
  const hash = createHash('sha256').update(name).digest().readUInt32BE(0);
  return Math.floor((hash / HASHES) * periodMs);
}

/** Returns the first check of the subject at or after `fromMs`, at most one period later. */
export function nextResyncMs(name: string, periodMs: number, fromMs: number): number {
  const ahead = (resyncPhaseMs(name, periodMs) - fromMs) % periodMs;
  return fromMs + (ahead < 0 ? ahead + periodMs : ahead);
}
