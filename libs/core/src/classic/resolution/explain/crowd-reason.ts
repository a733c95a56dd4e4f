import type { Constraint, ConstraintSystem } from '../constraints/constraint-system.js';
import { constraintText, listed, variableName } from '../constraints/constraint-text.js';
import type { Reason } from '../problem/resolution-problem.js';

/** Number of names listed one by one; the rest is counted. */
const NAMED = 4;
/** Below this number, rivals are explained one by one. */
const LEAST = 3;

/**
 * Returns the single reason behind a core that is a pigeonhole conflict and nothing else: n + 1 requirements
 * compete for n places. It is one reason because each requirement by itself has enough places. Undefined if
 * the core holds anything more.
 */
export function crowdReason(system: ConstraintSystem, core: readonly Constraint[]): Reason | undefined {
  const needs = core.flatMap((rule) => (rule.kind === 'requires' ? [rule] : []));
  const seats = core.flatMap((rule) => (rule.kind === 'at-most-one' ? [rule] : []));
  const must = core.filter(({ kind }) => kind === 'mandatory');
  const isCrowd = needs.length >= LEAST && needs.length === seats.length + 1 && must.length === needs.length;
  if (!isCrowd || needs.length + seats.length + must.length !== core.length) return undefined;
  const names = needs.map(({ subject }) => variableName(subject, system));
  const allSubscriptions = needs.every(({ subject }) => system.variables[subject]?.kind === 'subscription');
  return {
    kind: 'crowd',
    subject: names.join(', '),
    text: core.map((rule) => constraintText(rule, system)).join(', '),
    facts: {
      who: `${allSubscriptions ? 'Subscriptions ' : ''}${shortList(names)}`,
      count: String(needs.length),
      places: shortList(seats.map(({ of }) => of)),
      room: String(seats.length),
    },
    because: [],
  };
}

function shortList(names: readonly string[]): string {
  if (names.length <= NAMED + 1) return listed(names, 'and');
  return listed([...names.slice(0, NAMED), `${names.length - NAMED} more`], 'and');
}
