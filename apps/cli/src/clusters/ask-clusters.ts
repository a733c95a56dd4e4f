import { inParallel } from '#platform/fairness/in-parallel';
import { KubeApiError, type KubeClient } from '#platform/kube/client/kube-client.port';
import { troubleOf } from '#platform/kube/errors/api-server-trouble';
import type { Verdict } from '../output/verdict.js';
import type { Io } from '../terminal/io.js';
import type { ClusterOptions } from './cluster-options.js';
import { commandAccess } from './command-access.js';
import { type Narrowing, withNextStep } from './withheld.js';

/** A fleet is asked in parallel, but not all of a large one at the same moment. */
const AT_ONCE = 32;

type ClusterAnswer<T> = Readonly<{ client: KubeClient; cluster: string; value: T }>;

/** A cluster that did not answer, or refused, and why, in one line. */
export type Away = Readonly<{
  cluster: string;
  because: string;
  /** The cluster answered, but its API server does not allow this login to read the objects. */
  refused?: true;
}>;

/** A question about one namespace, or about all, in clusters that `options` name. */
type FleetNarrowing = Omit<Narrowing, 'access'> & Readonly<{ options: ClusterOptions }>;

/** The answers of the clusters, and the clusters without an answer. Both are in the order of the clusters. */
export type FleetAnswer<T> = Readonly<{ answers: readonly ClusterAnswer<T>[]; away: readonly Away[] }>;

/**
 * Asks each cluster and collects the answers. If a login is refused, `narrowing` says what to do, for verbs
 * with -n.
 */
export async function askClusters<T>(
  clients: readonly KubeClient[],
  ask: (client: KubeClient) => Promise<T>,
  narrowing?: FleetNarrowing,
): Promise<FleetAnswer<T>> {
  const asked = await inParallel(clients, AT_ONCE, async (client): Promise<ClusterAnswer<T> | Away> => {
    const { cluster } = client;
    try {
      return { client, cluster, value: await ask(client) };
    } catch (error) {
      if (!KubeApiError.is(error, 'Forbidden')) return { cluster, because: lineOf(error) };
      const access = narrowing && commandAccess(client, narrowing.options);
      const told = access === undefined ? error : withNextStep(error, { ...narrowing, access });
      return { cluster, because: lineOf(told), refused: true };
    }
  });
  return {
    answers: asked.flatMap((one) => ('value' in one ? [one] : [])),
    away: asked.flatMap((one) => ('because' in one ? [one] : [])),
  };
}

/** One line on standard error for each cluster that did not answer. */
export function reportAway(away: readonly Away[], io: Io): void {
  for (const { cluster, because } of away) io.err(`${cluster}: ${because}\n`);
}

/** One line on standard error for each cluster that gives the identity of another one. */
export function reportSame(same: ReadonlyMap<string, string>, io: Io): void {
  for (const [cluster, line] of same) io.err(`${cluster}: ${line}\n`);
}

/**
 * Returns the verdict over a fleet. It is `incomplete` if a cluster did not answer, since its state is
 * unknown. With `allowMissing` the clusters that answered decide alone; if none did, the verdict stays
 * `incomplete`.
 */
export function fleetVerdict(
  isYes: boolean,
  { answers, away }: FleetAnswer<unknown>,
  { allowMissing = false }: Readonly<{ allowMissing?: boolean }> = {},
): Verdict {
  if (away.length > 0 && (!allowMissing || answers.length === 0)) return 'incomplete';
  return isYes ? 'yes' : 'no';
}

/** An error in one line. */
export const lineOf = (error: unknown): string => troubleOf(error).replaceAll(/\s*\n\s*/g, '; ');
