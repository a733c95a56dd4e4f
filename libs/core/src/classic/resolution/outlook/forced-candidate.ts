import type { Entry } from '../../../catalog/model/entry.js';
import { ConstraintBuilder } from '../constraints/build-constraints.js';
import type { Constraint, ConstraintSystem } from '../constraints/constraint-system.js';
import type { Snapshot } from '../constraints/snapshot.js';
import { explain } from '../explain/explain.js';
import { minimalCore } from '../explain/minimal-core.js';
import { candidateWords } from '../explain/render-explanation.js';
import type { DesiredSubscription } from '../problem/resolution-problem.js';
import { search } from '../search/preference-search.js';

/** Effort to find the hindrance of one candidate; it is spent for every candidate. */
const BUDGET = { conflicts: 2_000, work: 10_000_000 };

/**
 * Returns the hindrance of a Subscription's candidate: the problem is solved again with it as the only
 * candidate. `asking`: the Subscriptions of the namespace that can be satisfied, this one among them.
 */
export function hindranceOfCandidate(
  candidate: Entry,
  desired: DesiredSubscription,
  asking: readonly DesiredSubscription[],
  snapshot: Snapshot,
): Readonly<{ hindrance: 'requirements' | 'outranked'; because: string }> {
  const builder = new ConstraintBuilder(snapshot);
  builder.addInstalled();
  for (const subscription of asking) builder.addSubscription(subscription);
  const system = withOnly(candidate, desired, builder.build());
  const found = search(system, BUDGET);
  if (found.verdict !== 'unsatisfiable') {
    const because = 'the choices for other Subscriptions and installed operators exclude it';
    return { hindrance: 'outranked', because };
  }
  const { explanation } = explain(system, minimalCore(system, found), snapshot);
  return { hindrance: 'requirements', because: candidateWords(explanation, candidate.id) };
}

function withOnly(candidate: Entry, desired: DesiredSubscription, system: ConstraintSystem): ConstraintSystem {
  const indexOf = (test: (variable: ConstraintSystem['variables'][number]) => boolean) =>
    system.variables.findIndex(test);
  const subject = indexOf(
    (variable) => variable.kind === 'subscription' && variable.subscription.name === desired.name,
  );
  const only = indexOf((variable) => variable.kind === 'entry' && variable.entry.id === candidate.id);
  const constraints = system.constraints.map((rule): Constraint => {
    const isRequirement = rule.kind === 'requires' && rule.subject === subject;
    return isRequirement ? { ...rule, candidates: [only] } : rule;
  });
  return { ...system, constraints };
}
