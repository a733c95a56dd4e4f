import type { OperatorGroup } from '../../kernel/api/operator-group.js';
import { removeConditions, transitioned } from '../../kernel/conditions/condition-list.js';
import { kubernetesTime } from '../../kernel/durations/kubernetes-time.js';
import type { OperatorGroupWorld } from './group-world.js';
import { SERVICE_ACCOUNT_CONDITION as SERVICE_ACCOUNT, saysNothing } from './select-targets.js';

type Condition = NonNullable<NonNullable<OperatorGroup['status']>['conditions']>[number];

const condition = (type: string, reason: string, message: string) => ({ type, status: 'True', reason, message });

/** The name of a service account that the group asks for and that is not there. */
export function missingServiceAccount(group: OperatorGroup, world: OperatorGroupWorld): string | undefined {
  const name = group.spec?.serviceAccountName || undefined;
  return world.serviceAccount === undefined ? name : undefined;
}

/**
 * A selector without terms, most likely because a typing error in it was pruned: it selects every namespace.
 */
const selectorIsEmpty = ({ spec }: OperatorGroup): boolean =>
  spec?.selector !== undefined && saysNothing(spec.selector) && (spec.targetNamespaces ?? []).length === 0;

export const EMPTY_SELECTOR_CONDITION = 'SelectorEmpty';
export const EMPTY_SELECTOR_MESSAGE =
  'spec.selector has neither matchLabels nor matchExpressions and so selects all namespaces; leave it out if that is wanted';

/** Conditions that hold now; each is True while it holds and absent otherwise (operator-groups.md §2). */
function holding(group: OperatorGroup, world: OperatorGroupWorld) {
  const absent = missingServiceAccount(group, world);
  return [
    ...(world.operatorGroups.length > 1
      ? [
          condition(
            'MultipleOperatorGroup',
            'MultipleOperatorGroupsFound',
            'Multiple OperatorGroup found in the same namespace',
          ),
        ]
      : []),
    ...(absent === undefined
      ? []
      : [condition(SERVICE_ACCOUNT, 'ServiceAccountNotFound', `ServiceAccount ${absent} not found`)]),
    ...(selectorIsEmpty(group) ? [condition(EMPTY_SELECTOR_CONDITION, 'NoSelectorTerms', EMPTY_SELECTOR_MESSAGE)] : []),
  ];
}

/** The conditions that Flotilla sets on an OperatorGroup; those of other writers stay. */
export const OPERATOR_GROUP_CONDITIONS = ['MultipleOperatorGroup', SERVICE_ACCOUNT, EMPTY_SELECTOR_CONDITION];

/**
 * status.conditions of a group: ours as they hold now, those of others kept; times
 * move only with a condition.
 */
export function groupConditions(group: OperatorGroup, world: OperatorGroupWorld): readonly Condition[] {
  const old = group.status?.conditions ?? [];
  const ours = holding(group, world).map((one) => transitioned(one, old, kubernetesTime(world.now)));
  return [...removeConditions(old, OPERATOR_GROUP_CONDITIONS), ...ours];
}
