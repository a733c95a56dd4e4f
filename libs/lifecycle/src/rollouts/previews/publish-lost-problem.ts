import { needsResolution } from '#core/classic/subscription/bookkeep-subscription';
import type { NamespaceProblems } from '#platform/store/problem-store.port';
import { type NamespaceSnapshot, problemOf } from '../../classic/observation/observe-namespace.js';
import { type PublishDeps, publishPreview } from '../../engine/publishing/publish-problem.js';
import { recordHashIn } from './classic-previews.js';
import type { WantedOperator } from './wanted-operators.js';

/**
 * Publishes the problem of a namespace in which all plans wait, if Redis has lost it or its packages. Nothing
 * needs resolving there and no event would republish the problem. But fleet orders still need its catalogs'
 * offers and deprecations (why: fleet-rollouts.md "Inputs that come later are requested again").
 */
export async function publishLostProblem(
  deps: PublishDeps<NamespaceProblems>,
  cluster: string,
  snapshot: NamespaceSnapshot,
  wanted: readonly WantedOperator[],
): Promise<void> {
  const { namespace, subscriptions } = snapshot;
  if (wanted.length === 0 || needsResolution(subscriptions)) return;
  if (await isKnown(deps, { cluster, namespace }, wanted)) return;
  const problem = problemOf(snapshot);
  if (problem !== undefined) await publishPreview(deps, { cluster, namespace }, namespace, problem);
}

async function isKnown(
  { store }: Pick<PublishDeps<NamespaceProblems>, 'store'>,
  { cluster, namespace }: Readonly<{ cluster: string; namespace: string }>,
  wanted: readonly WantedOperator[],
): Promise<boolean> {
  const observation = await store.getObservation(cluster, namespace);
  const problem = observation && (await store.getProblem(observation.problem));
  if (problem === undefined) return false;
  for (const { desired } of wanted) {
    const record = recordHashIn(problem, desired.subscription.spec);
    if (record !== undefined && (await store.getRecord(record)) === undefined) return false;
  }
  return true;
}
