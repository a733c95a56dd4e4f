import { requirementText } from '../../../catalog/model/requirement-text.js';
import { byCodeUnit } from '../../../kernel/canonical/canonical-json.js';
import type { Constraint, ConstraintSystem } from './constraint-system.js';

/** Returns the constraint in OLM's words, exactly as in its messages (spec: classic-resolution.md §4). */
export function constraintText(constraint: Constraint, system: ConstraintSystem): string {
  const name = (index: number) => variableName(index, system);
  const id = (index: number) => variableId(index, system);
  switch (constraint.kind) {
    case 'mandatory':
      if (constraint.left)
        return `clusterserviceversion ${name(constraint.subject)} exists and its subscription is left out`;
      return isSubscription(constraint.subject, system)
        ? `subscription ${name(constraint.subject)} exists`
        : `clusterserviceversion ${name(constraint.subject)} exists and is not referenced by a subscription`;
    case 'prohibited':
      return 'deprecated' in constraint.why ? `bundle ${id(constraint.subject)} is deprecated` : constraint.why.text;
    case 'requires':
      return constraint.requirement === undefined
        ? subscriptionText(name(constraint.subject), constraint.candidates.map(id))
        : `bundle ${name(constraint.subject)} requires an operator ${requirementText(constraint.requirement)}`;
    case 'conflict':
      return `${id(constraint.subject)} conflicts with ${id(constraint.other)}`;
    case 'at-most-one': {
      const members = listed(constraint.members.map(id).sort(byCodeUnit), 'and');
      return constraint.shared === 'api'
        ? `${members} provide ${constraint.of}`
        : `${members} originate from package ${constraint.of}`;
    }
  }
}

const subscriptionText = (subscription: string, ids: readonly string[]): string =>
  ids.length === 1
    ? `subscription ${subscription} requires ${ids[0]}`
    : `subscription ${subscription} requires at least one of ${listed(ids, 'or')}`;

const isSubscription = (index: number, system: ConstraintSystem): boolean =>
  system.variables[index]?.kind === 'subscription';

/** Name of the CSV or Subscription behind a variable. */
export function variableName(index: number, { variables }: ConstraintSystem): string {
  const variable = variables[index];
  if (variable === undefined) return '';
  return variable.kind === 'entry' ? variable.entry.name : variable.subscription.name;
}

/** Identifier of a variable in OLM's messages (spec: classic-resolution.md §4). */
export function variableId(index: number, { variables }: ConstraintSystem): string {
  const variable = variables[index];
  if (variable === undefined) return '';
  return variable.kind === 'entry' ? variable.entry.id : `subscription:${variable.subscription.name}`;
}

/** `a`, `a or b`, `a, b or c`. */
export function listed(items: readonly string[], word: 'and' | 'or'): string {
  const last = items.at(-1) ?? '';
  return items.length < 2 ? last : `${items.slice(0, -1).join(', ')} ${word} ${last}`;
}
