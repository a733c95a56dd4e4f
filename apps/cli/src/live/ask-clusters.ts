import type { KubeClient } from '#platform/kube/kube-client.port';
import { inParallel } from '../in-parallel.js';
import type { Io } from '../io.js';

/** A fleet is asked in parallel, but not all of a large one at the same moment. */
const AT_ONCE = 32;

export type Answer<T> = Readonly<{ client: KubeClient; cluster: string; value: T }>;

/** A cluster that is away, or refuses, and why, in one line. */
export type Away = Readonly<{ cluster: string; because: string }>;

/**
 * What each cluster answers, in their order; by default one that is away, or refuses, is a line on standard error. `allAway`
 * says that not one answered.
 */
export async function askClusters<T>(
  clients: readonly KubeClient[],
  io: Io,
  ask: (client: KubeClient) => Promise<T>,
  onAway: (away: Away) => void = ({ cluster, because }) => io.err(`${cluster}: ${because}\n`),
): Promise<Readonly<{ answers: readonly Answer<T>[]; allAway: boolean }>> {
  const asked = await inParallel(clients, AT_ONCE, async (client) => {
    try {
      return { client, cluster: client.cluster, value: await ask(client) };
    } catch (error) {
      onAway({ cluster: client.cluster, because: lineOf(error) });
      return undefined;
    }
  });
  const answers = asked.filter((answer) => answer !== undefined);
  return { answers, allAway: answers.length === 0 };
}

/** An error in one line. */
export const lineOf = (error: unknown): string =>
  (error instanceof Error ? error.message : String(error)).replaceAll(/\s*\n\s*/g, '; ');
