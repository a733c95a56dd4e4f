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

/** The CSVs that a CRD says it came with, one per annotation, sorted. Spec: install-plans.md §7.3. */
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

/** Of the CSVs that a CRD came with: those of other namespaces, as `<namespace>/<csv>`. */
export const ownersElsewhere = (kept: readonly { csv: ObjectRef }[], namespace: string): string[] =>
  kept.filter(({ csv }) => csv.namespace !== namespace).map(({ csv }) => `${csv.namespace}/${csv.name}`);

/**
 * The lists of custom resources that an upgrade of `live` to `next` is judged by, per version. A step that
 * changes nothing of the CRD is not checked against objects: what they lack, they lack already.
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

/** What a CRD step reads beyond the CRD itself: nothing for a new one, much for one that is there. */
export function crdReads(step: InstallPlanStep, world: StepWorld): StepRead[] {
  const manifest = manifestOf(step);
  if (step.status === 'WaitingForApi' || 'fail' in manifest) return [];
  const { apiVersion, kind, metadata } = manifest.object;
  const live = objectIn(world, { apiVersion, kind, name: metadata.name ?? '' });
  if (live === undefined) return [];
  const csvs = alongside(live).map(({ csv }): StepRead => ({ read: 'get', ref: csv }));
  return [...csvs, ...instanceReads(live, manifest.object).values()];
}
