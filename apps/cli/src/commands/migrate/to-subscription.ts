import { CLUSTER_EXTENSION_API } from '#core/kernel/api/cluster-extension';
import { CLUSTER_OBJECT_SET_API } from '#core/kernel/api/cluster-object-set';
import { CSV_API } from '#core/kernel/api/cluster-service-version';
import { KIND } from '#core/kernel/api/kinds';
import { type KubernetesObject, refOf } from '#core/kernel/api/kubernetes-object';
import { nonBlockingOwner } from '#core/kernel/api/owner-labels';
import { SUBSCRIPTION_API } from '#core/kernel/api/subscription';
import { asRecord, asText } from '#core/kernel/crd/loose-value';
import { counted } from '#core/kernel/text/counted';
import {
  BUNDLE_VERSION_KEY,
  MANAGED_BY,
  OBJECT_DATA_TYPE,
  OWNER_KIND_LABEL,
  OWNER_NAME_LABEL,
  PACKAGE_NAME_KEY,
  REVISION_KEY,
} from '#core/v1/revision/revision-keys';
import type { KubeClient } from '#platform/kube/client/kube-client.port';
import { commandSettings } from '../../hub/command-settings.js';
import { ExitCode, type Io, NotFound } from '../../terminal/io.js';
import { titleOf } from '../clusters/handover/olm-in-cluster.js';
import { createUnlessThere, type MigrationRecord, recordOfExtension } from './migration-record.js';
import { deleteAlone, deleteRenderedRoles, patchIfThere, until } from './release-csv.js';
import { runningWorkloads, workloadTroubles } from './running-workloads.js';

export type BackOptions = Readonly<{ name: string; dryRun: boolean; timeoutMs: number }>;

const nulls = (...keys: readonly string[]) => Object.fromEntries(keys.map((key) => [key, null]));
/** A patch that removes the marks of OLM v1 from objects of a revision. */
const UNMARKED = {
  metadata: {
    labels: nulls(OWNER_KIND_LABEL, OWNER_NAME_LABEL, MANAGED_BY.key),
    annotations: nulls(REVISION_KEY, BUNDLE_VERSION_KEY, PACKAGE_NAME_KEY),
  },
};

/**
 * Runs `flotilla migrate extension NAME`: rolls a move back to Subscription and ClusterServiceVersion as they
 * were. Like the move, it continues an earlier try (why: extensions.md "From Subscription to
 * ClusterExtension").
 */
export async function migrateExtension(client: KubeClient, io: Io, options: BackOptions): Promise<void> {
  const { name, timeoutMs } = options;
  const { systemNamespace } = commandSettings(process.env);
  const kept = await recordOfExtension(client, systemNamespace, name);
  if (kept === undefined) {
    throw new NotFound(
      `ClusterExtension ${name} of ${client.cluster} was not a Subscription: there is no record of a move`,
    );
  }
  const { record, secret } = kept;
  const extension = await client.get<KubernetesObject>({ ...CLUSTER_EXTENSION_API, name });
  const installed = asText(asRecord(asRecord(asRecord(extension?.['status'])['install'])['bundle'])['name']);
  if (installed !== '' && installed !== record.bundle.name) {
    const way = `first set version ${record.bundle.version} and upgradeConstraintPolicy SelfCertified`;
    io.err(`error: ClusterExtension ${name} has ${installed}, but was moved with ${record.bundle.name}: ${way}\n`);
    return io.exit(ExitCode.no);
  }
  const { namespace = '', name: subscription = '' } = record.subscription.metadata;
  if (options.dryRun) {
    io.out(`Subscription ${namespace}/${subscription} would manage ${record.bundle.name} again\n`);
    io.err('Nothing was changed.\n');
    return io.exit(ExitCode.done);
  }
  await leaveExtension(client, record, systemNamespace, timeoutMs);
  io.out(`ClusterExtension ${name} is deleted; its objects stay\n`);
  await putBack(client, record);
  io.out(`${titleOf(record.csv)} and Subscription ${namespace}/${subscription} are back\n`);
  const csv = refOf(record.csv);
  await until(`phase Succeeded of ${titleOf(record.csv)}`, timeoutMs, async () => {
    const live = await client.get<KubernetesObject>(csv);
    return asRecord(live?.['status'])['phase'] === 'Succeeded';
  });
  await deleteRenderedRoles(client, record);
  const troubles = workloadTroubles(record.workloads, await runningWorkloads(client, record.objects));
  if (troubles.length === 0) io.out(`${counted(record.workloads.length, 'Deployment')} still running\n`);
  for (const trouble of troubles) io.err(`error: ${trouble}\n`);
  await client.delete(refOf(secret));
  io.exit(troubles.length === 0 ? ExitCode.done : ExitCode.no);
}

/** Deletes the extension, its revisions and their Secrets, and none of their objects. */
async function leaveExtension(
  client: KubeClient,
  { extension, objects }: MigrationRecord,
  systemNamespace: string,
  timeoutMs: number,
): Promise<void> {
  const { name = '' } = extension.metadata;
  await deleteAlone(client, { ...CLUSTER_EXTENSION_API, name }, timeoutMs);
  const labelSelector = `${OWNER_NAME_LABEL}=${name}`;
  for (const { metadata } of (await client.list(CLUSTER_OBJECT_SET_API, { labelSelector }))?.items ?? []) {
    await deleteAlone(client, { ...CLUSTER_OBJECT_SET_API, name: metadata.name ?? '' }, timeoutMs);
  }
  const kind = KIND.Secret;
  const secrets = (await client.list(kind, { namespace: systemNamespace, labelSelector }))?.items ?? [];
  for (const { metadata } of secrets.filter(({ type }) => type === OBJECT_DATA_TYPE)) {
    await client.delete({ ...kind, name: metadata.name ?? '', namespace: systemNamespace });
  }
  for (const { classic: _marks, ...ref } of objects) await patchIfThere(client, ref, UNMARKED);
}

/** Puts the ClusterServiceVersion back first: a Subscription without it would install it again. */
async function putBack(client: KubeClient, { csv, subscription, roles, objects }: MigrationRecord): Promise<void> {
  await createUnlessThere(client, { ...csv, ...CSV_API });
  const made = await client.get<KubernetesObject>(refOf({ ...csv, ...CSV_API }));
  const owner = made === undefined ? [] : [nonBlockingOwner({ ...made, ...CSV_API })];
  for (const { object, owned } of roles) {
    const metadata = { ...object.metadata, ...(owned ? { ownerReferences: owner } : {}) };
    await createUnlessThere(client, { ...object, metadata });
  }
  for (const { classic, ...ref } of objects) {
    if (classic === undefined) continue;
    const metadata = { labels: classic.labels, ...(classic.owned ? { ownerReferences: owner } : {}) };
    await patchIfThere(client, ref, { metadata });
  }
  const { status, ...wanted } = subscription;
  await createUnlessThere(client, wanted);
  const { name = '', namespace = '' } = subscription.metadata;
  const live = await client.get<KubernetesObject>({ ...SUBSCRIPTION_API, name, namespace });
  if (asRecord(live?.['status'])['installedCSV'] !== undefined) return;
  const { installedCSV, lastUpdated } = status ?? {};
  const known = { installedCSV, currentCSV: installedCSV, state: 'AtLatestKnown', lastUpdated };
  await client.patch({ ...SUBSCRIPTION_API, name, namespace }, { status: known }, { subresource: 'status' });
}
