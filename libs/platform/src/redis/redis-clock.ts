import type { Redis } from 'ioredis';

/** Clocks that are set by NTP differ by less than a second. */
const TOLERATED_SKEW_MS = 120_000;

/** Clock skew between this machine and Redis, with advice. Undefined if negligible. */
export async function clockSkew(redis: Pick<Redis, 'time'>, nowMs: () => number): Promise<string | undefined> {
  const [seconds] = await redis.time().catch(() => []);
  if (seconds === undefined) return undefined;
  const aheadMs = nowMs() - Number(seconds) * 1_000;
  if (Math.abs(aheadMs) < TOLERATED_SKEW_MS) return undefined;
  const minutes = Math.round(Math.abs(aheadMs) / 60_000);
  const which = aheadMs > 0 ? 'ahead of' : 'behind';
  return `the clock of this machine is ${minutes} min ${which} that of Redis: set both clocks by NTP; certificates and tokens depend on them`;
}
