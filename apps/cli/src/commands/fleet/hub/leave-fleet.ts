import { setTimeout } from 'node:timers/promises';
import { FORCE_REMOVAL_ANNOTATION } from '#core/cluster/membership/cluster-release';
import { FleetCluster } from '#core/kernel/api/fleet/fleet-cluster';
import type { LoginFormat } from '#core/kernel/api/fleet/fleet-cluster-source';
import { FLEET_API } from '#core/kernel/api/fleet/fleet-fields';
import { KIND } from '#core/kernel/api/kinds';
import type { KubernetesObject } from '#core/kernel/api/kubernetes-object';
import { secretAccess } from '#platform/fleet/secret-access';
import { heldObjects } from '#platform/joining/hub-finalizers';
import { loadClusters } from '#platform/kube/access/load-clusters';
import type { KubeClient } from '#platform/kube/client/kube-client.port';
import { lineOf } from '../../../clusters/ask-clusters.js';
import { commandPlugins } from '../../../clusters/command-plugins.js';
import { reportRelease } from '../../../clusters/report-release.js';
import { commandSettings } from '../../../hub/command-settings.js';
import { NEXT } from '../../../output/next-commands.js';
import { ExitCode, type Io, UsageError } from '../../../terminal/io.js';

type LeaveFleetOptions = Readonly<{
  name: string;
  /** The namespace of the hub, with the Secrets. */
  namespace: string;
  yes: boolean;
  force: boolean;
  /** Longest time for the hub to release the cluster. */
  withinMs: number;
}>;

const FLEET_CLUSTER = { apiVersion: FLEET_API, kind: 'FleetCluster' } as const;
const ASK_EVERY_MS = 500;

/**
 * Runs `flotilla clusters remove` with a hub API: deletes the FleetCluster, whose login is in a Secret, and
 * waits until the hub has released the cluster. Returns false if the fleet has no such cluster.
 */
export async function leaveFleet(io: Io, hub: KubeClient, options: LeaveFleetOptions): Promise<boolean> {
  const { name, namespace, yes, force, withinMs } = options;
  const ref = { ...FLEET_CLUSTER, name };
  const found = FleetCluster.safeParse(await hub.get(ref)).data;
  const login = found?.spec.access.secretRef;
  if (found === undefined || login === undefined) return false;
  const place = { namespace, ...login };
  const secret = await hub.get({ ...KIND.Secret, name: place.name, namespace: place.namespace }).catch(() => undefined);
  if (!yes) {
    await show(io, name, secret, login.format);
    io.err(`Nothing was changed. To remove the cluster: ${NEXT.removeFromFleet(name, hub.cluster)}\n`);
    io.exit(ExitCode.done);
    return true;
  }
  if (force) await hub.patch(ref, { metadata: { annotations: { [FORCE_REMOVAL_ANNOTATION]: 'true' } } });
  await hub.delete(ref);
  const waits = await waitsFor(hub, name, withinMs);
  if (waits !== undefined) {
    io.err(`error: cluster ${name} has not left the fleet of ${hub.cluster} yet: ${waits}\n`);
    io.exit(ExitCode.no);
    return true;
  }
  io.out(`cluster ${name} removed from the fleet of ${hub.cluster}; its operators do not change\n`);
  const isOwned = secret?.metadata.ownerReferences?.some(({ kind }) => kind === FLEET_CLUSTER.kind) === true;
  if (secret !== undefined && !isOwned) io.err(`Secret ${place.namespace}/${place.name} stays: it existed before\n`);
  io.exit(ExitCode.done);
  return true;
}

/** Shows the objects of the cluster that would be released, if its Secret may be read. */
async function show(
  io: Io,
  name: string,
  secret: KubernetesObject | undefined,
  format: LoginFormat | undefined,
): Promise<void> {
  const read = secret === undefined ? undefined : secretAccess(secret, format);
  if (read === undefined || 'fault' in read) {
    const why = read === undefined ? 'its Secret does not exist or cannot be read' : read.fault.message;
    return io.err(`${name}: the hub would release its finalizers there; their number is unknown: ${why}\n`);
  }
  const access = { ...read.access, context: name };
  const [client] = await loadClusters({
    access: [access],
    fieldManager: 'flotilla',
    plugins: commandPlugins(commandSettings(process.env)),
  });
  if (client === undefined) return;
  try {
    reportRelease(io, client, await heldObjects(client), false);
  } catch (error) {
    io.err(`${name} is unreachable, and is removed nevertheless because of --force: ${lineOf(error)}\n`);
  } finally {
    await client.close();
  }
}

/** Returns the remaining blocks of the deletion after that time. Returns undefined if the object is gone. */
async function waitsFor(hub: KubeClient, name: string, withinMs: number): Promise<string | undefined> {
  for (let waited = 0; ; waited += ASK_EVERY_MS) {
    const found = await hub.get({ ...FLEET_CLUSTER, name });
    if (found === undefined || found.metadata.deletionTimestamp === undefined) return undefined;
    if (waited >= withinMs) return leavingText(found);
    await setTimeout(ASK_EVERY_MS);
  }
}

function leavingText({ status }: KubernetesObject): string {
  const { conditions = [] } = (status ?? {}) as { conditions?: readonly Readonly<Record<string, string>>[] };
  const found = conditions.find(({ type, reason }) => type === 'Managed' && reason === 'Leaving');
  return found?.['message'] ?? 'no applier of the hub has released it yet; the cluster leaves after the release';
}

/** @throws UsageError if a cluster of that name cannot be removed from the fleet */
export async function refuseUnknown(hub: KubeClient, name: string): Promise<never> {
  const found = FleetCluster.safeParse(await hub.get({ ...FLEET_CLUSTER, name })).data;
  if (found === undefined) throw new UsageError(`the fleet of ${hub.cluster} has no cluster "${name}"`);
  const way = 'delete its FleetCluster to remove it from the fleet; the hub still manages it';
  throw new UsageError(`cluster "${name}" is a context of a kubeconfig of the hub: ${way}`);
}
