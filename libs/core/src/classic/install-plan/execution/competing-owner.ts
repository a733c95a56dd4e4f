import { ClusterServiceVersion } from '../../../kernel/api/cluster-service-version.js';
import { ownedCrds } from '../../../kernel/api/csv-facts.js';
import type { KubernetesObject } from '../../../kernel/api/kubernetes-object.js';

const crdsOwnedBy = (object: KubernetesObject): string[] => {
  const parsed = ClusterServiceVersion.safeParse(object);
  return parsed.success ? ownedCrds(parsed.data).map(({ name }) => name) : [];
};

/**
 * Returns the reason a CSV that the plan does not list may not be made: another CSV of the namespace claims
 * one of its CRDs. Spec: install-plans.md §5, row CSV.
 */
export function competingOwner(
  csv: KubernetesObject,
  namespace: string,
  existing: readonly KubernetesObject[],
): string | undefined {
  const name = csv.metadata.name ?? '';
  for (const crd of crdsOwnedBy(csv)) {
    const owners = existing
      .filter((other) => crdsOwnedBy(other).includes(crd))
      .map(({ metadata }) => metadata.name ?? '');
    if (owners.length > 1) {
      const claim = `Existing CSVs [${owners.join(' ')}] in namespace ${namespace} all claim to own CRD ${crd}`;
      return `error checking crd owners for: ${name}: ${claim}`;
    }
    if (owners.some((owner) => owner !== name)) {
      return `pre-existing CRD owners found for owned CRD(s) of dependent CSV ${name}`;
    }
  }
  return undefined;
}
