import { counted } from '#core/kernel/text/counted';
import type { Clock } from '#platform/clock/clock.port';
import { type Freshness, freshnessCheck, type HealthCheck } from '#platform/telemetry/health-check';

type Watched = Readonly<{ freshness: () => Freshness }>;

export type WatchChecksDeps = Readonly<{
  clock: Clock;
  /** Watches without a sign of life for longer are stale. */
  staleAfterMs: number;
  /** Names of all clusters of the process. */
  clusters: () => readonly string[];
  /** True if the cluster is left to OLM, and so is not watched. */
  isHeld: (cluster: string) => boolean;
  /** Returns the watches in the cluster. Undefined until it has joined. */
  of: (cluster: string) => Readonly<{ classic: Watched; v1: Watched }> | undefined;
  /** Returns the reason why the cluster could not join yet. */
  problemOf: (cluster: string) => string | undefined;
}>;

/** Checks the freshness of the watches of OLM Classic's kinds: part of readiness. */
export function classicWatchesCheck({
  clock,
  staleAfterMs,
  clusters,
  isHeld,
  of,
  problemOf,
}: WatchChecksDeps): HealthCheck {
  const freshness = (cluster: string) => of(cluster)?.classic.freshness();
  const watched = () => clusters().filter((cluster) => !isHeld(cluster));
  const seen = () => new Map(watched().map((cluster) => [cluster, lastSeen(freshness(cluster))]));
  const why = (cluster: string) => problemOf(cluster) ?? problemOfKinds(freshness(cluster));
  return freshnessCheck('watches', clock, staleAfterMs, seen, why, () => clusters().filter(isHeld));
}

/**
 * Checks the freshness of the watches of OLM v1's kinds. If one of them is refused, that degrades the service
 * and no more.
 */
export function v1WatchesCheck({ clock, staleAfterMs, clusters, of }: WatchChecksDeps): HealthCheck {
  const freshness = (cluster: string) => of(cluster)?.v1.freshness();
  const joined = () => clusters().filter((cluster) => of(cluster) !== undefined);
  const seen = () => new Map(joined().map((cluster) => [cluster, lastSeen(freshness(cluster))]));
  const { name, check } = freshnessCheck('extensions', clock, staleAfterMs, seen, (cluster) =>
    problemOfKinds(freshness(cluster)),
  );
  return {
    name,
    check: async () => {
      const { away: _, ...health } = await check();
      return { ...health, up: true };
    },
  };
}

/** The problem of the first kind, and how many other kinds have one. */
function problemOfKinds(freshness: Freshness | undefined): string | undefined {
  const [first, ...others] = freshness?.problems ?? [];
  return first === undefined || others.length === 0 ? first : `${first}, and ${counted(others.length, 'more kind')}`;
}

const lastSeen = (freshness: Freshness | undefined): Date | undefined =>
  freshness?.synced ? freshness.lastSeen : undefined;
