import { changeJoinedCluster, joinedClusters } from '#platform/clusters/joined-clusters';
import { commandSettings } from '../../hub/command-settings.js';
import { ExitCode, type Io, UsageError } from '../../terminal/io.js';
import type { AcceptOptions } from '../fleet/hub/accept-cluster.js';

/**
 * Runs `flotilla clusters accept` for a context of the clusters file: writes that the context is meant to
 * lead to the cluster with this UID. Returns false if the file has no such context and `hasFleet` is true.
 * @throws UsageError if the UID is missing, or if neither the file has the context nor a fleet is named
 */
export async function acceptJoined(io: Io, options: AcceptOptions, hasFleet: boolean): Promise<boolean> {
  const { name, uid, dryRun } = options;
  const file = commandSettings(process.env).clustersFile;
  const access = (await joinedClusters(file)).find(({ context }) => context === name);
  if (access === undefined) {
    if (hasFleet) return false;
    const mark = `{name: flotilla, extension: {identity: ${uid ?? 'UID'}, accepted: ${uid ?? 'UID'}}}`;
    const todo = `a context of another kubeconfig of the hub needs this entry in its extensions: ${mark}`;
    throw new UsageError(`no cluster "${name}" in ${file}, and --fleet is not set; ${todo}`);
  }
  if (uid === undefined)
    throw new UsageError(`name the cluster with --uid: the UID of its namespace kube-system, for "${name}" in ${file}`);
  if (!dryRun) await changeJoinedCluster(file, name, { identity: uid, accepted: uid });
  const before = access.identity === undefined ? '' : ` (before: ${access.identity})`;
  io.out(`the cluster with UID ${uid} ${dryRun ? 'would replace' : 'replaces'} ${name}${before}, in ${file}\n`);
  io.exit(ExitCode.done);
  return true;
}
