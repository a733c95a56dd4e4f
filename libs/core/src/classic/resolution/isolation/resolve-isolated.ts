import type { Entry } from '../../../catalog/model/entry.js';
import { byCodeUnit } from '../../../kernel/canonical/canonical-json.js';
import { ConstraintBuilder } from '../constraints/build-constraints.js';
import { clashOf, pickedEntries } from '../constraints/picked-entries.js';
import { badRequirement, tooHard } from '../constraints/prepare.js';
import type { Snapshot } from '../constraints/snapshot.js';
import { explain } from '../explain/explain.js';
import { minimalCore } from '../explain/minimal-core.js';
import { resolutionOf } from '../problem/resolution-of.js';
import type { DesiredNamespace, DesiredSubscription, Resolution, Unresolved } from '../problem/resolution-problem.js';
import { type SearchBudget, search } from '../search/preference-search.js';
import { concessionFor } from './concession.js';
import { partsOf } from './resolution-parts.js';

/**
 * Returns the answer for a namespace if its OperatorGroup asks for isolation. Subscriptions that cannot be
 * satisfied are left out one by one, each with its own explanation, until the rest has a solution. If all can
 * be satisfied the solution is OLM's.
 */
export function resolveIsolated(
  desiredNamespace: DesiredNamespace,
  snapshot: Snapshot,
  budget: SearchBudget,
): Resolution {
  const { builder, unread } = understoodSubscriptions(desiredNamespace.subscriptions, snapshot);
  const unresolved: Unresolved[] = [...unread];
  let system = builder.build();
  for (;;) {
    const found = search(system, budget);
    if (found.verdict === 'exhausted') return tooHard(found.conflicts);
    if (found.verdict === 'satisfiable') {
      const clash = clashOf(builder, found.picked);
      return clash ?? isolatedResolution(pickedEntries(system, found.picked), builder, desiredNamespace, unresolved);
    }
    const core = minimalCore(system, found);
    const explained = explain(system, core, snapshot);
    const concession = concessionFor(system, core);
    if (concession === undefined) return explained;
    const { kind, name, constraints } = concession;
    const { message, explanation, advice } = explained;
    unresolved.push({ kind, name, reason: 'ConstraintsNotSatisfiable', message, explanation, advice });
    system = { ...system, constraints };
  }
}

/**
 * Leaves out the Subscriptions that lead to bundles with unreadable requirements, before any others. Leaving
 * one out may reveal the next.
 */
export function understoodSubscriptions(
  subscriptions: readonly DesiredSubscription[],
  snapshot: Snapshot,
): Readonly<{ builder: ConstraintBuilder; unread: readonly Unresolved[] }> {
  const unread: Unresolved[] = [];
  for (let desired = subscriptions; ; ) {
    const builder = new ConstraintBuilder(snapshot);
    builder.addInstalled();
    const good = desired.filter((subscription) => {
      const errors = builder.addSubscription(subscription);
      if (errors.length === 0) return true;
      const { message, advice } = badRequirement(errors);
      const reason = 'ErrorPreventedResolution';
      unread.push({ kind: 'subscription', name: subscription.name, reason, message, explanation: [], advice });
      return false;
    });
    if (good.length === desired.length) return { builder, unread };
    desired = good;
  }
}

/** Returns the answer of a namespace with isolation, with the parts that were left out. */
export function isolatedResolution(
  solution: readonly Entry[],
  builder: ConstraintBuilder,
  desiredNamespace: DesiredNamespace,
  unresolved: readonly Unresolved[],
): Resolution {
  const resolution = resolutionOf(solution, desiredNamespace, builder);
  if (resolution.result !== 'resolved') return resolution;
  return {
    ...resolution,
    unresolved: unresolved.toSorted((a, b) => byCodeUnit(a.kind, b.kind) || byCodeUnit(a.name, b.name)),
    parts: partsOf(resolution, solution, desiredNamespace),
  };
}
