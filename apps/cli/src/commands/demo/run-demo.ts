import { join } from 'node:path';
import { PROJECT_ROOT } from '#platform/files/project-root';
import { ClusterConfigError } from '#platform/kube/access/cluster-config.error';
import { loadClusters } from '#platform/kube/access/load-clusters';
import { ExitCode, type Io, UsageError } from '../../terminal/io.js';
import { type DemoEnvironment, startEnvironment } from './environment/demo-environment.js';
import { afterwards, consoleAtStart, introduction } from './environment/demo-texts.js';
import { startOneProcess } from './environment/one-process.js';
import { ENDING, onceSignalled, type StopSignal, stopsDemo, untilExit } from './environment/stops-demo.js';
import { complain } from './motion/complain.js';
import { StoryStuck } from './motion/story-stuck.js';
import { playScenario, poll } from './scenario.js';
import { renderSummary } from './summary.js';
import { Timeline } from './timeline.js';

export type DemoOptions = Readonly<{
  keep: boolean;
  kubeconfigs: readonly string[];
  /** True if the services are processes of their own, with a Redis between them. */
  distributed: boolean;
}>;

/** Longest time without any motion on a machine that has no other work. */
const PATIENCE_MS = 60_000;

/**
 * Plays the scenario in an environment of its own, prints its steps, and stops the environment. On a
 * signal it stops it at once. Returns true if the scenario came to its end.
 */
export async function runDemo(io: Io, { keep, kubeconfigs, distributed }: DemoOptions): Promise<boolean> {
  await requireUsable(kubeconfigs);
  io.out(introduction(kubeconfigs.length === 0));
  const options = { kubeconfigs, withConsole: keep };
  const say = (line: string) => reportInstallation(io, line);
  const setting = distributed ? startEnvironment({ ...options, say }) : startOneProcess(options);
  const stop = stopsDemo(io, setting);
  const environment = await setting;
  io.out(consoleAtStart(environment.console?.link));
  try {
    await play(io, environment);
    stop.ignore();
    if (keep) await stay(io, environment);
    io.exit(ExitCode.done);
    return true;
  } catch (error) {
    if (stop.signalled()) return untilExit();
    if (!(error instanceof StoryStuck)) throw error;
    await complain(io, error, environment.services, { command: 'flotilla demo', keep });
    stop.ignore();
    if (keep) await stay(io, environment);
    io.exit(ExitCode.remoteFailed);
    return false;
  } finally {
    stop.ignore();
    await environment.stop();
  }
}

/**
 * Checks the kubeconfigs before anything is started.
 * @throws UsageError if one cannot be used
 */
async function requireUsable(kubeconfigs: readonly string[]): Promise<void> {
  if (kubeconfigs.length === 0) return;
  try {
    const clients = await loadClusters({ kubeconfigs, fieldManager: 'flotilla-demo' });
    await Promise.all(clients.map((client) => client.close()));
  } catch (error) {
    throw error instanceof ClusterConfigError ? new UsageError(error.message) : error;
  }
}

async function play(io: Io, environment: DemoEnvironment): Promise<void> {
  const timeline = new Timeline(io.out, io.progress);
  timeline.open(environment.clients.map(({ cluster }) => cluster));
  timeline.log('hub', 'services', `${environment.services.map(({ name }) => name).join(', ')} started`);
  timeline.log('hub', 'work', `waits ${environment.workWaits}`);
  await playScenario({ environment, timeline, examples: join(PROJECT_ROOT, 'examples'), patienceMs: PATIENCE_MS });
  await printSummary(io, environment, timeline);
}

/**
 * Reports the installation of a Redis server. Most machines have one; only a first installation takes time
 * that needs an explanation.
 */
function reportInstallation(io: Io, line: string): void {
  if (line.includes('installing')) io.err(`${line}\n`);
}

async function printSummary(io: Io, environment: DemoEnvironment, timeline: Timeline): Promise<void> {
  const seen = await Promise.all(
    environment.clients.map(async (client) => ({ cluster: client.cluster, seen: await poll(client, timeline) })),
  );
  io.out(`\n${renderSummary(seen, (cluster) => timeline.lastMoment(cluster))}`);
}

/** Leaves everything running until a signal, most likely Ctrl-C. */
async function stay(io: Io, environment: DemoEnvironment): Promise<void> {
  const signalled = new Promise<StopSignal>((resolve) => onceSignalled(resolve));
  const { services, console } = environment;
  const processes = console?.service === undefined ? services : [...services, console.service];
  const addresses = await Promise.all(
    processes.map(async (service) => ({ name: service.name, url: await service.url() })),
  );
  io.out(afterwards(environment, addresses));
  await signalled;
  io.err(`\n${ENDING}`);
}
