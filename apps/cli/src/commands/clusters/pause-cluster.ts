import { changeJoinedCluster, joinedClusters } from '#platform/clusters/joined-clusters';
import { commandSettings } from '../../hub/command-settings.js';
import { NEXT } from '../../output/next-commands.js';
import { ExitCode, type Io } from '../../terminal/io.js';
import { joinedAs } from './joined-cluster.js';

/**
 * Runs `flotilla clusters pause`. Within seconds the hub only observes the cluster, and does not act there.
 */
export async function pauseCluster(io: Io, name: string): Promise<void> {
  const file = commandSettings(process.env).clustersFile;
  const { paused = false } = joinedAs(name, await joinedClusters(file), file);
  if (!paused) await changeJoinedCluster(file, name, { paused: true });
  io.out(`cluster ${name} is ${paused ? 'paused already' : 'paused'}, in ${file}\n`);
  if (!paused) io.err(`A running hub stops its work there within seconds. To resume: ${NEXT.resumeCluster(name)}\n`);
  io.exit(ExitCode.done);
}

/** Runs `flotilla clusters observe`. Within seconds the hub only reports on the cluster; another hub acts. */
export async function observeCluster(io: Io, name: string): Promise<void> {
  const file = commandSettings(process.env).clustersFile;
  const { observed = false } = joinedAs(name, await joinedClusters(file), file);
  if (!observed) await changeJoinedCluster(file, name, { observed: true });
  io.out(`cluster ${name} is ${observed ? 'observed already' : 'only observed'}, in ${file}\n`);
  if (!observed) io.err(`A running hub stops its work there within seconds. To resume: ${NEXT.resumeCluster(name)}\n`);
  io.exit(ExitCode.done);
}

/** Runs `flotilla clusters resume`: ends a pause or the observation, or cancels a removal that was begun. */
export async function resumeCluster(io: Io, name: string): Promise<void> {
  const file = commandSettings(process.env).clustersFile;
  const { paused = false, observed = false, leaving = false } = joinedAs(name, await joinedClusters(file), file);
  const isHeld = paused || observed || leaving;
  if (isHeld) await changeJoinedCluster(file, name, { paused: false, observed: false, leaving: false });
  io.out(`cluster ${name} is ${isHeld ? 'managed again' : 'not paused'}, in ${file}\n`);
  io.exit(ExitCode.done);
}
