import type { ClusterServiceVersion, CsvCondition, CsvStatus } from '../../../kernel/api/cluster-service-version.js';
import { leftOf } from '../../../kernel/durations/left-of.js';

const FIRST_PAUSE_MS = 5_000;
const LONGEST_PAUSE_MS = 5 * 60_000;
/** Longest pause after a failure that may pass at once, for example if a webhook answers again. */
const LONGEST_PAUSE_OF_THE_MOMENT_MS = 30_000;
const WINDOW_MS = 60_000;
const INSTALLS_PER_WINDOW = 5;

const history = (csv: ClusterServiceVersion): readonly CsvCondition[] => csv.status?.conditions ?? [];

const timeOf = (text: string | null | undefined): number => Date.parse(text ?? '') || 0;

const REFUSED = 'InstallComponentFailed';

/** Entries of the history since the last success that it still shows. */
function sinceSuccess(status: CsvStatus | undefined): readonly CsvCondition[] {
  const entries = status?.conditions ?? [];
  return entries.slice(entries.findLastIndex(({ phase }) => phase === 'Succeeded') + 1);
}

/** Returns the last entry about a refused install, if none has succeeded since. */
export const lastRefusal = (status: CsvStatus | undefined): CsvCondition | undefined =>
  sinceSuccess(status).findLast(({ phase, reason }) => phase === 'Failed' && reason === REFUSED);

/** True if the API server failed to process the request, rather than refused it. */
const isOfTheMoment = (message = ''): boolean => /Internal error occurred|did not complete within/.test(message);

/**
 * Milliseconds until a CSV in Failed retries a refused install, counted from now; 0 if it may retry at once.
 * The pause doubles with each refusal since the last success in the history. OLM's queue does the same with
 * its back-off, but here only the CSV itself remembers across restarts.
 */
export function pauseAfterRefusal(csv: ClusterServiceVersion, now: Date): number {
  if (csv.status?.reason !== REFUSED) return 0;
  const refusals = Math.max(1, sinceSuccess(csv.status).filter(({ reason }) => reason === REFUSED).length);
  const longest = isOfTheMoment(csv.status.message) ? LONGEST_PAUSE_OF_THE_MOMENT_MS : LONGEST_PAUSE_MS;
  const pause = Math.min(longest, FIRST_PAUSE_MS * 2 ** (refusals - 1));
  return leftOf(pause, timeOf(csv.status.lastTransitionTime), now.getTime());
}

/**
 * Milliseconds until the next install may be written; 0 if it may be written at once. If another controller
 * keeps reverting an installed label or annotation, the CSV would loop between InstallReady and Installing.
 */
export function pauseBeforeInstall(csv: ClusterServiceVersion, now: Date): number {
  const recent = history(csv)
    .filter(
      ({ phase, lastUpdateTime }) => phase === 'InstallReady' && timeOf(lastUpdateTime) > now.getTime() - WINDOW_MS,
    )
    .map(({ lastUpdateTime }) => timeOf(lastUpdateTime));
  if (recent.length <= INSTALLS_PER_WINDOW) return 0;
  return leftOf(WINDOW_MS, Math.min(...recent), now.getTime());
}
