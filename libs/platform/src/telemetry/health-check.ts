import type { Clock } from '../clock/clock.port.js';

/** `degraded`: it works in part. A degraded service is ready. */
export type Health = Readonly<{
  up: boolean;
  degraded?: boolean;
  detail: string;
  /** Names of all clusters that the check is about: those that the service manages. */
  clusters?: readonly string[];
  /** Unreachable clusters of `clusters`. Absent if the check does not find that out. */
  away?: readonly string[];
  /** The trouble of the service in each cluster that has one, in one line. */
  troubles?: ClusterFaults;
}>;

/** One line for each cluster, by its name. */
type ClusterFaults = Readonly<Record<string, string>>;

/** A dependency of a service. If `check` throws, it is down, with the error's text. */
export type HealthCheck = Readonly<{ name: string; check: () => Promise<Health> }>;

/**
 * Freshness of one cluster's watches: `synced` once everything was seen; `problems`: the reasons why they are
 * not up to date.
 */
export type Freshness = Readonly<{ synced: boolean; problems: readonly string[]; lastSeen: Date }>;

/**
 * Checks that the view of the clusters is fresh. `lastSeen` gives, for each watched cluster, the last sign of
 * life of its watches. One unreachable cluster degrades the service. Only if all are unreachable is it not
 * ready: most likely the service is then cut off. A cluster that is left to OLM counts as reached.
 */
export const freshnessCheck = (
  name: string,
  clock: Clock,
  maxAgeMs: number,
  lastSeen: () => ReadonlyMap<string, Date | undefined>,
  /** Returns the known reason why a cluster is unreachable. */
  whyAway: (cluster: string) => string | undefined = () => undefined,
  /** Clusters that are managed and not watched, because they are left to OLM. */
  leftToOlm: () => readonly string[] = () => [],
): HealthCheck => ({
  name,
  check: async () => {
    const now = clock.now().getTime();
    const all = [...lastSeen()];
    const stale = all.filter(([, seen]) => isStale(now, maxAgeMs, seen));
    const clusters = [...all.map(([cluster]) => cluster), ...leftToOlm()].sort();
    if (stale.length === 0) {
      return { up: true, detail: `${all.length} of ${all.length} clusters are watched`, clusters, away: [] };
    }
    // Clusters with a known reason are named first.
    const reasons = stale.map(([cluster, seen]) => ({ cluster, seen, why: whyAway(cluster) }));
    const shown = reasons
      .toSorted((a, b) => Number(a.why === undefined) - Number(b.why === undefined))
      .slice(0, 10)
      .map(({ cluster, seen, why }) => `${cluster} (${age(now, seen)}${because(why)})`);
    const more = stale.length > shown.length ? ` and ${stale.length - shown.length} more` : '';
    const detail = `no sign of life from ${stale.length} of ${clusters.length} clusters: ${shown.join(', ')}${more}`;
    const away = stale.map(([cluster]) => cluster);
    const troubles = Object.fromEntries(
      reasons.map(({ cluster, seen, why }) => [cluster, staleText(age(now, seen), why)]),
    );
    return { up: stale.length < clusters.length, degraded: true, detail, clusters, away, troubles };
  },
});

/** True if there was no sign of life for too long, or none at all. */
const isStale = (nowMs: number, maxAgeMs: number, seen: Date | undefined): boolean =>
  seen === undefined || nowMs - seen.getTime() > maxAgeMs;

const age = (now: number, seen: Date | undefined): string =>
  seen === undefined ? 'never seen' : `for ${Math.round((now - seen.getTime()) / 1_000)} s`;

const staleText = (age: string, why: string | undefined): string =>
  why === undefined ? `no sign of life from its watches (${age})` : why.slice(0, LONGEST_REASON);

/** The advice stands at the end. */
const LONGEST_REASON = 400;
const because = (why: string | undefined): string => (why === undefined ? '' : `: ${why.slice(0, LONGEST_REASON)}`);
