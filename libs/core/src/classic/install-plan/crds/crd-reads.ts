import { ClusterServiceVersion, CSV_API } from '../../../kernel/api/cluster-service-version.js';
import { isCopied } from '../../../kernel/api/csv-facts.js';
import type { InstallPlanStep } from '../../../kernel/api/install-plan.js';
import type { KubernetesObject, ObjectRef } from '../../../kernel/api/kubernetes-object.js';
import { byCodeUnit } from '../../../kernel/canonical/canonical-json.js';
import { crdGroup, crdKind } from '../../../kernel/crd/crd-versions.js';
import { ALONGSIDE_PREFIX } from '../../../kernel/hashes/object-names.js';
import { versionsToList } from '../../crd-upgrade/check-crd-upgrade.js';
import { changesNothing } from '../../crd-upgrade/crd-unchanged.js';
import { manifestOf } from '../steps/step-manifest.js';
import { listIn, objectIn, type StepRead, type StepWorld } from '../steps/step-world.js';

/**
 * Returns the CSVs that a CRD came with according to its annotations, one each, sorted. Spec:
 * install-plans.md §7.3.
 */
export function alongside(crd: KubernetesObject): { key: string; csv: ObjectRef }[] {
  return Object.entries(crd.metadata.annotations ?? {})
    .filter(([key, value]) => key.startsWith(ALONGSIDE_PREFIX) && value.includes('/'))
    .map(([key, value]) => {
      const [namespace, name] = [value.slice(0, value.indexOf('/')), value.slice(value.indexOf('/') + 1)];
      return { key, csv: { ...CSV_API, namespace, name } };
    })
    .toSorted((a, b) => byCodeUnit(a.key, b.key));
}

/** The annotations of the live CRD that stay: those that point to a CSV that exists and is no copy. */
export function keptAlongside(
  live: KubernetesObject,
  csvAt: (ref: ObjectRef) => KubernetesObject | undefined,
): { key: string; csv: ObjectRef }[] {
  return alongside(live).filter(({ csv }) => {
    const parsed = ClusterServiceVersion.safeParse(csvAt(csv));
    return parsed.success && !isCopied(parsed.data);
  });
}

/** Returns the CSVs of other namespaces that a CRD came with, as `<namespace>/<csv>`. */
export const ownersElsewhere = (kept: readonly { csv: ObjectRef }[], namespace: string): string[] =>
  kept.filter(({ csv }) => csv.namespace !== namespace).map(({ csv }) => `${csv.namespace}/${csv.name}`);

/**
 * Returns the lists of custom resources needed to judge an upgrade of `live` to `next`, per version. A step
 * that does not change the CRD is not checked against objects: their faults are there already.
 */
export const instanceReads = (live: KubernetesObject, next: KubernetesObject): Map<string, StepRead> =>
  new Map(
    (changesNothing(live, next) ? [] : versionsToList(live, next)).map((version) => [
      version,
      { read: 'list', apiVersion: `${crdGroup(live)}/${version}`, kind: crdKind(live) },
    ]),
  );

/** The custom resources that were read, per version. */
export const instancesIn = (
  reads: ReadonlyMap<string, StepRead>,
  world: StepWorld,
): Map<string, readonly KubernetesObject[]> =>
  new Map([...reads].map(([version, read]) => [version, listIn(world, read)]));

/** Returns the reads of a CRD step beyond the CRD itself: none for a new CRD, many for an existing one. */
export function crdReads(step: InstallPlanStep, world: StepWorld): StepRead[] {
  const manifest = manifestOf(step);
  if (step.status === 'WaitingForApi' || 'fail' in manifest) return [];
  const { apiVersion, kind, metadata } = manifest.object;
  const live = objectIn(world, { apiVersion, kind, name: metadata.name ?? '' });
  if (live === undefined) return [];
  const csvs = alongside(live).map(({ csv }): StepRead => ({ read: 'get', ref: csv }));
  return [...csvs, ...instanceReads(live, manifest.object).values()];
}
