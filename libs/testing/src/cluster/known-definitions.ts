import { type KubernetesObject, refOf } from '#core/kernel/api/kubernetes-object';
import type { SimulatedCluster, StoredObject } from './simulated-cluster.js';

const DEFINITIONS = 'customresourcedefinitions.apiextensions.k8s.io';

/** Definitions as the first cluster of this process stored them once it served their kinds. */
const known = new WeakMap<KubernetesObject, StoredObject>();

/**
 * Stores definitions that another cluster of this process has served, without decoding and checking them
 * again: for OLM's definitions that costs more than most tests. Returns the others.
 */
export function restoreKnown(cluster: SimulatedCluster, definitions: readonly KubernetesObject[]): KubernetesObject[] {
  cluster.restore(definitions.flatMap((definition) => known.get(definition) ?? []));
  return definitions.filter((definition) => !known.has(definition));
}

/** Creates the definitions, or restores those that are known. */
export function defineKinds(cluster: SimulatedCluster, definitions: readonly KubernetesObject[]): void {
  for (const definition of restoreKnown(cluster, definitions)) cluster.create(definition);
}

/** Keeps the definitions of a cluster that serves their kinds. */
export function keepKnown(cluster: SimulatedCluster, definitions: readonly KubernetesObject[]): void {
  for (const definition of definitions) {
    if (known.has(definition)) continue;
    const object = cluster.get(refOf(definition));
    if (object !== undefined) known.set(definition, { resource: DEFINITIONS, object });
  }
}
