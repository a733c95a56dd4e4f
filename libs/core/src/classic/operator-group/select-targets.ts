import type { KubernetesObject } from '../../kernel/api/kubernetes-object.js';
import type { OperatorGroup } from '../../kernel/api/operator-group.js';
import { byCodeUnit } from '../../kernel/canonical/canonical-json.js';
import { ALL_NAMESPACES, targetsOf } from './group-facts.js';

type Selector = NonNullable<NonNullable<OperatorGroup['spec']>['selector']>;
type Labels = Readonly<Record<string, string>>;

/** True when a selector has no terms: here, unlike elsewhere in Kubernetes, that selects every namespace. */
export const saysNothing = (selector: Selector | undefined): boolean =>
  Object.keys(selector?.matchLabels ?? {}).length === 0 && (selector?.matchExpressions ?? []).length === 0;

const OPERATORS: ReadonlySet<string> = new Set(['In', 'NotIn', 'Exists', 'DoesNotExist']);

/**
 * Returns the namespaces that a group's spec selects, sorted, or the problem of the spec (operator-groups.md
 * §1).
 */
export function selectTargets(
  group: OperatorGroup,
  namespaces: readonly KubernetesObject[],
): Readonly<{ targets: readonly string[] }> | Readonly<{ problem: string }> {
  const explicit = group.spec?.targetNamespaces ?? [];
  if (explicit.includes(ALL_NAMESPACES)) {
    return { problem: `TargetNamespaces cannot contain NamespaceAll: [${explicit.join(' ')}]` };
  }
  if (explicit.length > 0) return { targets: [...new Set(explicit)].sort(byCodeUnit) };
  const selector = group.spec?.selector;
  if (selector === undefined || saysNothing(selector)) return { targets: [ALL_NAMESPACES] };
  const unknown = (selector.matchExpressions ?? []).find(({ operator }) => !OPERATORS.has(operator));
  if (unknown !== undefined) return { problem: `"${unknown.operator}" is not a valid label selector operator` };
  const chosen = namespaces.filter(({ metadata }) => matches(selector, metadata.labels ?? {}));
  return { targets: chosen.map(({ metadata }) => metadata.name ?? '').sort(byCodeUnit) };
}

/** Condition of a group with a missing service account: its targets are not computed until it exists. */
export const SERVICE_ACCOUNT_CONDITION = 'OperatorGroupServiceAccount';

/** True if the group's selector was evaluated and matched no namespace, according to its status. */
export function selectsNothing(group: OperatorGroup): boolean {
  const { spec, status } = group;
  const bySelector = (spec?.targetNamespaces ?? []).length === 0 && !saysNothing(spec?.selector);
  const found =
    Boolean(status?.lastUpdated) && !(status?.conditions ?? []).some(({ type }) => type === SERVICE_ACCOUNT_CONDITION);
  return bySelector && found && targetsOf(group) === undefined;
}

/** A label selector as Kubernetes reads it; an unknown operator matches nothing. */
export function matches({ matchLabels, matchExpressions }: Selector, labels: Labels): boolean {
  const equal = Object.entries(matchLabels ?? {}).every(([key, value]) => labels[key] === value);
  return equal && (matchExpressions ?? []).every((one) => expressionMatches(one, labels[one.key]));
}

function expressionMatches(
  { operator, values = [] }: Readonly<{ operator: string; values?: readonly string[] | undefined }>,
  label: string | undefined,
): boolean {
  switch (operator) {
    case 'In':
      return label !== undefined && values.includes(label);
    case 'NotIn':
      return label === undefined || !values.includes(label);
    case 'Exists':
      return label !== undefined;
    case 'DoesNotExist':
      return label === undefined;
    default:
      return false;
  }
}
