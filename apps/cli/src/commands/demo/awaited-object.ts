import type { KubernetesObject } from '#core/kernel/api/kubernetes-object';
import { objectName, shortState } from './motion/object-sighting.js';
import type { Seen } from './seen-objects.js';

/**
 * Returns the object that stands between a package and a version, with its state: catalog, Subscription,
 * InstallPlan, ClusterServiceVersion, or the predecessor that goes. Undefined if none does.
 */
export function awaitedObject(seen: Seen, packageName: string, version: string): string | undefined {
  const name = `${packageName}.${version}`;
  const catalog = seen.catalogs.find((one) => shortState(one) !== 'READY');
  if (catalog !== undefined) return described(catalog);
  if (seen.catalogs.length === 0) return 'the CatalogSource';
  const subscription = seen.subscriptions.find(({ spec }) => spec.name === packageName);
  const csv = seen.csvs.find(({ metadata }) => metadata.name === name);
  if (csv === undefined) {
    const plan = seen.plans.find(({ spec }) => spec.clusterServiceVersionNames.includes(name));
    if (plan !== undefined && shortState(plan) !== 'Complete') return described(plan);
    return subscription === undefined
      ? `the Subscription to ${packageName}`
      : `Subscription to ${packageName} (${shortState(subscription)})`;
  }
  if (shortState(csv) !== 'Succeeded') return described(csv);
  const predecessor = seen.csvs.find(
    ({ metadata }) => metadata.name !== name && metadata.name?.startsWith(`${packageName}.`),
  );
  if (predecessor !== undefined) return described(predecessor);
  if (subscription?.status?.installedCSV === name) return undefined;
  return subscription === undefined
    ? `the Subscription to ${packageName}`
    : `Subscription to ${packageName} (${shortState(subscription)})`;
}

const described = (object: KubernetesObject): string => `${objectName(object)} (${shortState(object)})`;
