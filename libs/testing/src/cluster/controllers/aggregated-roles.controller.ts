import type { ClusterState } from '../cluster-state.js';
import type { ApiObject } from '../objects/api-object.js';
import { arrayAt, equal, isObject, objectAt, stringAt } from '../objects/json.js';
import type { Change } from '../objects/storage.js';

const CLUSTER_ROLES = 'clusterroles.rbac.authorization.k8s.io';

/** Keeps the rules of ClusterRoles with an aggregationRule equal to the sum of the roles it selects. */
export class AggregatedRolesController {
  #scheduled = false;
  constructor(readonly cluster: ClusterState) {
    cluster.storage.onChange((change) => this.#onChange(change));
  }

  #onChange({ resource }: Change): void {
    if (resource !== CLUSTER_ROLES || this.#scheduled) return;
    this.#scheduled = true;
    this.cluster.after(0, () => {
      this.#scheduled = false;
      this.#sync();
    });
  }

  #sync(): void {
    const roles = this.cluster.storage.list(CLUSTER_ROLES);
    for (const role of roles) {
      const selectors = arrayAt(role, 'aggregationRule', 'clusterRoleSelectors');
      if (selectors.length === 0) continue;
      const rules = aggregated(role, roles, selectors);
      if (!equal(rules, arrayAt(role, 'rules'))) this.cluster.storage.put(CLUSTER_ROLES, { ...role, rules });
    }
  }
}

/**
 * The rules of the roles that each selector selects, selector by selector and in the order
 * of names, each rule once.
 */
function aggregated(role: ApiObject, roles: readonly ApiObject[], selectors: readonly unknown[]): unknown[] {
  const others = roles.filter((other) => other !== role);
  const chosen = selectors.flatMap((selector) => others.filter((other) => matches(other, selector)));
  const rules: unknown[] = [];
  for (const rule of chosen.flatMap((other) => arrayAt(other, 'rules'))) {
    if (!rules.some((known) => equal(known, rule))) rules.push(rule);
  }
  return rules;
}

function matches(role: ApiObject, selector: unknown): boolean {
  const labels = role.metadata.labels ?? {};
  const wanted = Object.entries(objectAt(selector, 'matchLabels') ?? {});
  const expressions = arrayAt(selector, 'matchExpressions').filter(isObject);
  return (
    wanted.every(([key, value]) => labels[key] === value) && expressions.every((one) => expressionHolds(labels, one))
  );
}

function expressionHolds(labels: Readonly<Record<string, string>>, expression: Record<string, unknown>): boolean {
  const value = labels[stringAt(expression, 'key') ?? ''];
  const values = arrayAt(expression, 'values');
  switch (expression.operator) {
    case 'In':
      return value !== undefined && values.includes(value);
    case 'NotIn':
      return value === undefined || !values.includes(value);
    case 'Exists':
      return value !== undefined;
    default:
      return value === undefined;
  }
}
