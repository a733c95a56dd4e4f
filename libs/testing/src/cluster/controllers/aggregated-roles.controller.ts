import { byCodeUnit, canonicalJson } from '#core/kernel/canonical/canonical-json';
import { perObject } from '#core/kernel/memo/per-object';
import { type ApiObject, keyOf } from '../objects/api-object.js';
import { arrayAt, equal, isObject, objectAt, stringAt } from '../objects/json.js';
import type { Change } from '../objects/storage.js';
import type { ClusterState } from '../state/cluster-state.js';

const CLUSTER_ROLES = 'clusterroles.rbac.authorization.k8s.io';

/** Keeps the rules of ClusterRoles with an aggregationRule equal to the sum of the roles it selects. */
export class AggregatedRolesController {
  /** Keys of the roles with an aggregationRule; undefined until the first change. */
  #aggregating: Set<string> | undefined;
  readonly #due = new Set<string>();
  constructor(readonly cluster: ClusterState) {
    cluster.storage.onChangeOf(CLUSTER_ROLES, (change) => this.#onChange(change));
  }

  #onChange({ object, previous = object }: Change): void {
    this.#aggregating ??= new Set(this.cluster.storage.list(CLUSTER_ROLES).filter(aggregates).map(keyOf));
    if (aggregates(object)) this.#aggregating.add(keyOf(object));
    const isFirst = this.#due.size === 0;
    for (const key of this.#aggregating) {
      const role = this.cluster.storage.get(CLUSTER_ROLES, key);
      if (role === undefined) this.#aggregating.delete(key);
      else if (key === keyOf(object) || selects(role, object) || selects(role, previous)) this.#due.add(key);
    }
    if (isFirst && this.#due.size > 0) this.cluster.after(0, () => this.#sync());
  }

  #sync(): void {
    const due = [...this.#due].sort(byCodeUnit);
    this.#due.clear();
    for (const key of due) {
      const role = this.cluster.storage.get(CLUSTER_ROLES, key);
      const selectors = selectorsOf(role);
      if (role === undefined || selectors.length === 0) continue;
      const rules = aggregated(role, this.cluster.storage.list(CLUSTER_ROLES), selectors);
      if (!equal(rules, arrayAt(role, 'rules'))) this.cluster.storage.put(CLUSTER_ROLES, { ...role, rules });
    }
  }
}

const selectorsOf = (role: ApiObject | undefined): readonly unknown[] =>
  arrayAt(role, 'aggregationRule', 'clusterRoleSelectors');
const aggregates = (role: ApiObject): boolean => selectorsOf(role).length > 0;
const selects = (role: ApiObject, other: ApiObject): boolean =>
  selectorsOf(role).some((selector) => matches(other, selector));

/**
 * The rules of the roles that each selector selects, selector by selector and in the order
 * of names, each rule once.
 */
function aggregated(role: ApiObject, roles: readonly ApiObject[], selectors: readonly unknown[]): unknown[] {
  const others = roles.filter((other) => other !== role);
  const chosen = selectors.flatMap((selector) => others.filter((other) => matches(other, selector)));
  const rules = new Map<string, unknown>();
  for (const rule of chosen.flatMap((other) => arrayAt(other, 'rules').filter(isObject))) {
    const text = textOf(rule);
    if (!rules.has(text)) rules.set(text, rule);
  }
  return [...rules.values()];
}

/** Text of a rule, equal for equal rules; a cluster with many operators has thousands of unchanging rules. */
const textOf = perObject((rule: object) => canonicalJson(rule));

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
