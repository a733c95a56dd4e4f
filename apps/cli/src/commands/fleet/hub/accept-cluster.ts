import { type FleetClusterStatus, replacingUid } from '#core/cluster/membership/cluster-conditions';
import { FLEET_API } from '#core/kernel/api/fleet/fleet-fields';
import { ACCEPTED_UID_ANNOTATION } from '#platform/fleet/secret-clusters';
import type { KubeClient } from '#platform/kube/client/kube-client.port';
import { ExitCode, type Io, UsageError } from '../../../terminal/io.js';

export type AcceptOptions = Readonly<{
  name: string;
  /** UID of the namespace kube-system of the cluster. Default: the UID that the cluster's condition names. */
  uid: string | undefined;
  dryRun: boolean;
}>;

/**
 * Runs `flotilla clusters accept`: the cluster that answers under the name of another one takes its place in
 * the fleet.
 */
export async function acceptCluster(hub: KubeClient, io: Io, { name, uid, dryRun }: AcceptOptions): Promise<void> {
  const ref = { apiVersion: FLEET_API, kind: 'FleetCluster', name };
  const found = await hub.get(ref);
  if (found === undefined) throw new UsageError(`there is no FleetCluster ${name}`);
  const status = (found['status'] ?? {}) as FleetClusterStatus;
  const accepted = uid ?? replacingUid(status);
  if (accepted === undefined) {
    io.err(
      `error: no other cluster answers as ${name}: there is nothing to accept (name a future cluster with --uid)\n`,
    );
    return io.exit(ExitCode.no);
  }
  const annotations = { [ACCEPTED_UID_ANNOTATION]: accepted };
  await hub.patch(ref, { metadata: { annotations } }, { dryRun });
  const before = status.uid === undefined ? '' : ` (before: ${status.uid})`;
  io.out(`the cluster with UID ${accepted} ${dryRun ? 'would replace' : 'replaces'} ${name}${before}\n`);
  io.exit(ExitCode.done);
}
