import type { ClusterServiceVersion } from '../../kernel/api/cluster-service-version.js';
import { csvName, isCopied } from '../../kernel/api/csv-facts.js';
import type { OperatorGroup } from '../../kernel/api/operator-group.js';
import type { Subscription } from '../../kernel/api/subscription.js';
import { isTrue } from '../../kernel/conditions/condition-list.js';

export type NamespaceObjects = Readonly<{
  subscriptions: readonly Subscription[];
  operatorGroups: readonly OperatorGroup[];
  csvs: readonly ClusterServiceVersion[];
}>;

/**
 * True if nothing was in progress in the namespace when it was last reconciled. Every Subscription has its
 * desired bundle, and every ClusterServiceVersion has Succeeded. A pass would find nothing to do there,
 * unless an object changed while no poller watched. A namespace without Subscriptions never counts as at
 * rest.
 */
export function isNamespaceAtRest({ subscriptions, operatorGroups, csvs }: NamespaceObjects): boolean {
  if (subscriptions.length === 0 || operatorGroups.length !== 1) return false;
  const own = csvs.filter((csv) => !isCopied(csv));
  const names = new Set(own.map(csvName));
  return own.every((csv) => isSettled(csv, names)) && subscriptions.every((one) => isSatisfied(one, names));
}

const isSettled = ({ spec, status }: ClusterServiceVersion, names: ReadonlySet<string>): boolean =>
  status?.phase === 'Succeeded' && !names.has(spec.replaces ?? '');

function isSatisfied({ status }: Subscription, names: ReadonlySet<string>): boolean {
  if (status?.state !== 'AtLatestKnown') return false;
  const { installedCSV = '', currentCSV, conditions = [] } = status;
  const fails = isTrue(conditions, 'ResolutionFailed');
  return installedCSV === currentCSV && names.has(installedCSV) && !fails;
}
