import type { PackageRecord } from '#core/catalog/model/package-record';
import type { ResolutionProblem } from '#core/classic/resolution/problem/resolution-problem';
import { withDeprecations } from '#core/classic/subscription/deprecation-conditions';
import type { Subscription } from '#core/kernel/api/subscription';
import { AT_REST } from '../../engine/passes/stage.js';
import type { NamespaceStage } from '../namespaces/namespace-stage.js';
import type { ObservedProblems } from '../namespaces/observed-problems.js';
import { writeSubscriptions } from '../namespaces/write-subscriptions.js';

/**
 * Writes to each Subscription whether its package, channel or installed bundle is deprecated in its catalog.
 */
export const deprecationStage =
  (observed: ObservedProblems): NamespaceStage =>
  async (input) => {
    const installed = input.read.subscriptions.filter(({ status }) => status?.installedCSV);
    if (installed.length === 0) return AT_REST;
    const known = await observed.of(input);
    if (known === undefined) return AT_REST;
    const now = input.now.toISOString();
    const changes = await Promise.all(
      installed.map(async (one) => withDeprecations(one, await recordOf(observed, known.problem, one), now)),
    );
    return writeSubscriptions(input, changes);
  };

/** The Subscription's package in its own catalog, as it was when the namespace was last observed. */
async function recordOf(
  observed: ObservedProblems,
  { catalogs }: ResolutionProblem,
  { spec }: Subscription,
): Promise<PackageRecord | undefined> {
  const slice = catalogs.find(({ key }) => key.name === spec.source && key.namespace === spec.sourceNamespace);
  const reference = slice?.packages.find(({ name }) => name === spec.name);
  return reference === undefined ? undefined : observed.record(reference.record);
}
