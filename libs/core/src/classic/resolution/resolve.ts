import type { PackageRecord } from '../../catalog/model/package-record.js';
import { ConstraintBuilder } from './constraints/build-constraints.js';
import { clashOf, pickedEntries } from './constraints/picked-entries.js';
import { badRequirement, snapshotOf, tooHard } from './constraints/prepare.js';
import { Snapshot } from './constraints/snapshot.js';
import { explain } from './explain/explain.js';
import { minimalCore } from './explain/minimal-core.js';
import { resolveIsolated } from './isolation/resolve-isolated.js';
import { resolutionOf } from './problem/resolution-of.js';
import type { DesiredNamespace, Resolution, ResolutionProblem } from './problem/resolution-problem.js';
import { DEFAULT_BUDGET, type SearchBudget, search } from './search/preference-search.js';

/**
 * Answers one problem as OLM would for a fixed order of Subscriptions and orphans by name
 * (spec: classic-resolution.md; order of checks: §8). Pure: equal problems give equal answers. `record` gives
 * the package record of a hash.
 */
export function resolve(
  problem: ResolutionProblem,
  record: (hash: string) => PackageRecord,
  budget: SearchBudget = DEFAULT_BUDGET,
): Resolution {
  const snapshot = snapshotOf(problem, record);
  if (!(snapshot instanceof Snapshot)) return snapshot;
  const { wishes: desiredNamespace } = problem;
  return desiredNamespace.operatorGroups[0]?.isolate === true
    ? resolveIsolated(desiredNamespace, snapshot, budget)
    : resolveTogether(desiredNamespace, snapshot, budget);
}

/** OLM's way: one answer for the whole namespace. */
function resolveTogether(desiredNamespace: DesiredNamespace, snapshot: Snapshot, budget: SearchBudget): Resolution {
  const builder = new ConstraintBuilder(snapshot);
  builder.addInstalled();
  const errors = desiredNamespace.subscriptions.flatMap((desired) => builder.addSubscription(desired));
  if (errors.length > 0) return badRequirement(errors);
  const system = builder.build();
  const found = search(system, budget);
  switch (found.verdict) {
    case 'exhausted':
      return tooHard(found.conflicts);
    case 'unsatisfiable':
      return explain(system, minimalCore(system, found), snapshot);
    case 'satisfiable':
      return (
        clashOf(builder, found.picked) ?? resolutionOf(pickedEntries(system, found.picked), desiredNamespace, builder)
      );
  }
}
