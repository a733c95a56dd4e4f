import { type HubIdentity, OWNER_ANNOTATION, ownerMarks } from '#core/cluster/joining/cluster-owner';
import { INSTANCE_ANNOTATION } from '#core/cluster/joining/hub-instance';
import { KIND } from '#core/kernel/api/kinds';
import type { Settings } from '#platform/config/settings';
import { hubIdentity } from '#platform/hub/hub-identity';
import { HubKey } from '#platform/keys/hub-key';
import type { KubeClient } from '#platform/kube/client/kube-client.port';

const SYSTEM = { ...KIND.Namespace, name: 'kube-system' };

/**
 * The hub that manages a cluster, as the cluster says it. `holder` and `instance` are empty if no hub does.
 */
export type OwnerRead = Readonly<{ holder: string; instance: string; resourceVersion: string | undefined }>;

/** Reads the owner of a cluster. Rejects if this login may not read the namespace. */
export async function readOwner(client: KubeClient): Promise<OwnerRead> {
  const system = await client.get(SYSTEM);
  if (system === undefined) throw new Error(`${client.cluster} has no namespace kube-system`);
  const { annotations, resourceVersion } = system.metadata;
  return {
    holder: annotations?.[OWNER_ANNOTATION] ?? '',
    instance: annotations?.[INSTANCE_ANNOTATION] ?? '',
    resourceVersion,
  };
}

/**
 * Writes the owner into the cluster; undefined: no hub manages it. The owner that was read must be unchanged.
 */
export async function writeOwner(
  client: KubeClient,
  { resourceVersion }: OwnerRead,
  holder: string | undefined,
): Promise<void> {
  await client.patch(SYSTEM, { metadata: { resourceVersion, annotations: ownerMarks(holder, undefined) } });
}

/** Returns the hub that the settings of this command mean. Returns undefined if it has no identity. */
export async function hubOfSettings(settings: Settings): Promise<HubIdentity | undefined> {
  const { hubKeyFile } = settings;
  return hubIdentity(settings, hubKeyFile === '' ? undefined : await HubKey.open(hubKeyFile));
}
