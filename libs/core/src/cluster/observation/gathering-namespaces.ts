import {
  labelOfOperator,
  mayBeCut,
  namespaceOfOperator,
  operatorOfLabel,
} from '../../classic/operators/component-label.js';

/** Facts about a cluster's Operators and the namespaces that keep them. */
export type OperatorHomes = Readonly<{
  /** The namespace that keeps the Operators that users created without a namespace in their name. */
  globalCatalogNamespace: string;
  /** True if the cluster has a Namespace of that name. */
  hasNamespace: (name: string) => boolean;
  /** Namespaces, of all or of that one, with a Subscription to a package with that component label. */
  subscribedTo: (label: string, namespace?: string) => ReadonlySet<string>;
  /** Names of Operators with that component label. */
  operatorsOf: (label: string) => readonly string[];
}>;

/**
 * Returns the namespaces with passes that keep the Operator of the component label. A label that was cut ends
 * before the namespace, and users choose names of their own. The end of a name therefore counts only if such
 * a namespace exists.
 */
export function gatheringNamespaces(label: string, homes: OperatorHomes): readonly string[] {
  const named = homeOf(operatorOfLabel(label), homes);
  if (!mayBeCut(label)) return [named];
  const found = new Set(homes.subscribedTo(label));
  for (const name of homes.operatorsOf(label)) found.add(homeOf(name, homes));
  return found.size === 0 ? [named] : [...found];
}

/** Returns the namespace with the passes that keep the Operator of that name. */
export function homeOf(
  name: string,
  { hasNamespace, globalCatalogNamespace }: Pick<OperatorHomes, 'hasNamespace' | 'globalCatalogNamespace'>,
): string {
  const namespace = namespaceOfOperator(name);
  return namespace !== undefined && hasNamespace(namespace) ? namespace : globalCatalogNamespace;
}

/**
 * Returns the namespaces that need a pass for the Operator. Passes keep the Operators of Subscriptions
 * anyway. Their writes cause no further pass; only the loss of an Operator does.
 */
export function namespacesOfOperator(name: string, isGone: boolean, homes: OperatorHomes): readonly string[] {
  const home = homeOf(name, homes);
  return !isGone && homes.subscribedTo(labelOfOperator(name), home).has(home) ? [] : [home];
}
