import { type HubIdentity, OWNER_ANNOTATION, ownerMarks } from '#core/cluster/joining/cluster-owner';
import { INSTANCE_ANNOTATION } from '#core/cluster/joining/hub-instance';
import { KIND } from '#core/kernel/api/kinds';
import type { Settings } from '#platform/config/settings';
import { hubIdentity } from '#platform/hub/hub-identity';
import { HubKey } from '#platform/keys/hub-key';
import type { KubeClient } from '#platform/kube/client/kube-client.port';

const SYSTEM = { ...KIND.Namespace, name: 'kube-system' };

/** Which hub manages a cluster, as the cluster says it; `holder` and `instance` are empty where none does. */
export type OwnerRead = Readonly<{ holder: string; instance: string; resourceVersion: string | undefined }>;

/** Rejects where the namespace may not be read. */
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

/** Says in the cluster who manages it; undefined: no hub does. What was read must be there still. */
export async function writeOwner(
  client: KubeClient,
  { resourceVersion }: OwnerRead,
  holder: string | undefined,
): Promise<void> {
  await client.patch(SYSTEM, { metadata: { resourceVersion, annotations: ownerMarks(holder, undefined) } });
}

/** The hub that the settings of this command mean; undefined where it has no identity. */
export async function hubOfSettings(settings: Settings): Promise<HubIdentity | undefined> {
  const { hubKeyFile } = settings;
  return hubIdentity(settings, hubKeyFile === '' ? undefined : await HubKey.open(hubKeyFile));
}
