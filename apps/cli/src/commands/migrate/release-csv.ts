import { setTimeout } from 'node:timers/promises';
import { COPIED_FROM_LABEL } from '#core/classic/csv/copies/copy-content';
import { componentLabel, operatorName } from '#core/classic/operators/component-label';
import { CSV_API, CSV_CLEANUP_FINALIZER } from '#core/kernel/api/cluster-service-version';
import { KIND } from '#core/kernel/api/kinds';
import { type KubernetesObject, type ObjectRef, refOf } from '#core/kernel/api/kubernetes-object';
import { MANAGED_LABEL, ownerLabels } from '#core/kernel/api/owner-labels';
import { KubeApiError, type KubeClient } from '#platform/kube/client/kube-client.port';
import type { MigrationRecord } from './migration-record.js';

const POLL_MS = 200;
const RBAC_KINDS = [KIND.RoleBinding, KIND.ClusterRoleBinding, KIND.Role, KIND.ClusterRole] as const;

/** Waits until `holds` is true. If the time ends, names the awaited state. */
export async function until(what: string, timeoutMs: number, holds: () => Promise<boolean>): Promise<void> {
  const end = performance.now() + timeoutMs;
  while (!(await holds())) {
    if (performance.now() >= end) throw new Error(`waited too long for ${what}; run the same command to continue`);
    await setTimeout(POLL_MS);
  }
}

/**
 * Deletes an object and leaves the objects that it owns. `finalizer` is removed first, as it would clean up.
 */
export function deleteAlone(client: KubeClient, ref: ObjectRef, timeoutMs: number, finalizer?: string): Promise<void> {
  return until(`the end of ${ref.kind} ${ref.name}`, timeoutMs, async () => {
    const live = await client.get<KubernetesObject>(ref);
    if (live === undefined) return true;
    const { finalizers = [], resourceVersion = '', uid = '', deletionTimestamp } = live.metadata;
    try {
      if (finalizer !== undefined && finalizers.includes(finalizer)) {
        const left = finalizers.filter((one) => one !== finalizer);
        const { object } = await client.patch(ref, { metadata: { resourceVersion, finalizers: left } });
        if (deletionTimestamp === undefined) {
          // Locked: a controller that has put the finalizer back wins, and the next round takes it off.
          const { resourceVersion: seen = '' } = object.metadata;
          await client.delete(ref, { propagation: 'Orphan', uid, resourceVersion: seen });
        }
      } else if (deletionTimestamp === undefined) {
        await client.delete(ref, { propagation: 'Orphan', uid, resourceVersion });
      }
    } catch (error) {
      if (!KubeApiError.is(error, 'Conflict', 'NotFound')) throw error;
    }
    return false;
  });
}

/** Takes OLM Classic's hold of an operator away: its ClusterServiceVersion, copies, roles, labels. */
export async function releaseFromClassic(
  client: KubeClient,
  record: MigrationRecord,
  timeoutMs: number,
): Promise<void> {
  const { name = '', namespace = '' } = record.csv.metadata;
  await deleteAlone(client, { ...CSV_API, name, namespace }, timeoutMs, CSV_CLEANUP_FINALIZER);
  const copies = (await client.list(CSV_API, { labelSelector: `${COPIED_FROM_LABEL}=${namespace}` }))?.items ?? [];
  for (const { metadata } of copies.filter((copy) => copy.metadata.name === name)) {
    await client.delete({ ...CSV_API, name, namespace: metadata.namespace ?? '' });
  }
  await deleteClassicRoles(client, record);
  const { name: packageName } = record.subscription.spec;
  const labels = Object.fromEntries(classicLabelsOf(record).map((key) => [key, null]));
  for (const ref of record.objects) await patchIfThere(client, ref, { metadata: { labels } });
  await client.delete({
    ...KIND.Operator,
    name: operatorName(packageName, namespace),
  });
}

/** Labels that OLM Classic puts on the parts of the operator. */
export function classicLabelsOf({ csv, subscription }: Pick<MigrationRecord, 'csv' | 'subscription'>): string[] {
  const component = componentLabel(subscription.spec.name, csv.metadata.namespace ?? '');
  return [...Object.keys(ownerLabels('', '', '')), MANAGED_LABEL, component];
}

/** Roles and bindings that OLM Classic has made for a ClusterServiceVersion and no controller has. */
export async function classicRoles(client: KubeClient, csv: KubernetesObject): Promise<KubernetesObject[]> {
  const { name = '', namespace = '' } = csv.metadata;
  const labelSelector = `olm.owner=${name},olm.owner.namespace=${namespace}`;
  const lists = await Promise.all(
    RBAC_KINDS.map(async (kind) =>
      ((await client.list(kind, { labelSelector }))?.items ?? []).map((item) => ({ ...item, ...kind })),
    ),
  );
  return lists.flat().filter(({ metadata }) => !metadata.ownerReferences?.some((owner) => owner.controller === true));
}

/**
 * Deletes the roles of OLM Classic. The bundle's own, as OLM v1 renders them, are there already and grant the
 * same.
 */
async function deleteClassicRoles(client: KubeClient, { csv }: MigrationRecord): Promise<void> {
  for (const role of await classicRoles(client, csv)) await client.delete(refOf(role));
}

/** Deletes the roles that only OLM v1 has made of the bundle: OLM Classic has its own. */
export async function deleteRenderedRoles(client: KubeClient, { objects }: MigrationRecord): Promise<void> {
  for (const wanted of RBAC_KINDS) {
    for (const ref of objects.filter(
      ({ kind, apiVersion }) => kind === wanted.kind && apiVersion === wanted.apiVersion,
    )) {
      const live = await client.get<KubernetesObject>(ref);
      if (live !== undefined && live.metadata.labels?.['olm.owner'] === undefined) await client.delete(ref);
    }
  }
}

export async function patchIfThere(
  client: KubeClient,
  ref: ObjectRef,
  patch: Readonly<Record<string, unknown>>,
): Promise<void> {
  try {
    await client.patch(ref, patch);
  } catch (error) {
    if (!KubeApiError.is(error, 'NotFound')) throw error;
  }
}
