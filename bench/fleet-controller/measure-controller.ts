import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pause } from '#testing/patience';
import { ServiceProcess } from '../../apps/cli/src/commands/demo/environment/service-process.js';
import { type Usage, usageOf } from '../fleet/process-usage.js';
import { HUB, type RolloutStatus } from '../fleet-rollout/hub-api.js';
import type { HubReading } from './hub-messages.js';
import { HubProcess } from './hub-process.js';

export type ControllerOptions = Readonly<{
  clusters: number;
  rollouts: number;
  /** `maxConcurrent` of each wave. */
  atOnce: string;
  idleSeconds: number;
  profileFolder?: string | undefined;
  say: (line: string) => void;
}>;

/** A part of the run: the controller's usage and writes at its begin and its end. */
export type ControllerStep = Readonly<{
  name: string;
  status: RolloutStatus;
  seconds: number;
  cpuSeconds: number;
  /** Over HTTP: the controller's alone. */
  writes: number;
  /** Reports that were written in the place of appliers. */
  reports: number;
  /** Since the controller's start. */
  peakMiB: number;
}>;

export type ControllerMeasures = Readonly<{
  steps: readonly ControllerStep[];
  rest: Readonly<{ writes: number; cpuSeconds: number; residentMiB: number }>;
  peakMiB: number;
  writes: Readonly<Record<string, number>>;
}>;

const STUCK_MS = 420_000;
const SETTLED_MS = 5_000;
const ASKED_EVERY_MS = 250;
const FINAL = ['Completed', 'Halted', 'Aborted', 'RolledBack', 'Superseded'];

type Bench = Readonly<{ hub: HubProcess; controller: ServiceProcess }>;

/**
 * Measures the fleet controller alone, as a process: rollouts of one FleetOperator through three waves over
 * FleetClusters. The hub API is simulated, and appliers are played there.
 */
export async function measureController(options: ControllerOptions): Promise<ControllerMeasures> {
  const folder = await mkdtemp(join(tmpdir(), 'flotilla-controller-'));
  const hub = new HubProcess();
  let controller: ServiceProcess | undefined;
  try {
    const kubeconfig = join(folder, 'kubeconfig');
    await writeFile(kubeconfig, await hub.start(options.clusters), { mode: 0o600 });
    options.say(`${options.clusters} FleetClusters are there`);
    controller = controllerOf(options, folder, kubeconfig);
    controller.start();
    return await measure({ hub, controller }, options);
  } finally {
    await controller?.stop();
    await hub.stop();
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

function controllerOf({ profileFolder }: ControllerOptions, folder: string, kubeconfig: string): ServiceProcess {
  const env = {
    FLOTILLA_KUBECONFIG: kubeconfig,
    FLOTILLA_FLEET: `context:${HUB}`,
    FLOTILLA_FLEET_CONTROLLER_PORT: '0',
    FLOTILLA_LOG_LEVEL: 'info',
    ...(profileFolder === undefined ? {} : { NODE_OPTIONS: `--cpu-prof --cpu-prof-dir=${profileFolder}` }),
  };
  return new ServiceProcess('fleet-controller', 'fleet-controller', env, join(folder, 'fleet-controller.log'));
}

async function measure(bench: Bench, options: ControllerOptions): Promise<ControllerMeasures> {
  const { hub } = bench;
  const { clusters, atOnce } = options;
  const steps: ControllerStep[] = [];
  const plans = await step(
    bench,
    options,
    'plans',
    'op-1',
    ({ reported }) => reported === clusters,
    async () => {
      const waves = [
        { name: 'first', percent: 1, maxConcurrent: atOnce },
        { name: 'tenth', percent: 10, maxConcurrent: atOnce },
      ];
      await hub.ask({ do: 'apply', kind: 'FleetStrategy', name: 'three', spec: { waves } });
      const catalog = { name: 'c', namespace: 'olm' };
      const spec = { package: 'op', namespace: 'op', catalog, strategyRef: { name: 'three' }, adopt: true };
      await hub.ask({ do: 'apply', kind: 'FleetOperator', name: 'op', spec });
    },
  );
  steps.push(plans);
  for (let number = 1; number <= options.rollouts; number += 1) {
    const name = `op-${number}`;
    const isOver = ({ status }: HubReading) => FINAL.includes(status.phase ?? '');
    const offer = () => hub.ask({ do: 'offer', bundle: `op.v1.${number}.0` });
    steps.push(await step(bench, options, name, name, isOver, offer));
  }
  await pause(SETTLED_MS);
  const before = await reading(bench, '');
  await pause(options.idleSeconds * 1_000);
  const after = await reading(bench, '');
  const rest = {
    writes: after.writes - before.writes,
    cpuSeconds: after.usage.cpuSeconds - before.usage.cpuSeconds,
    residentMiB: after.usage.residentMiB,
  };
  return { steps, rest, peakMiB: after.usage.peakMiB, writes: after.hub.writes };
}

async function step(
  bench: Bench,
  { say }: ControllerOptions,
  name: string,
  rollout: string,
  isOver: (reading: HubReading) => boolean,
  begin: () => Promise<unknown>,
): Promise<ControllerStep> {
  const before = await reading(bench, rollout);
  const begunAt = Date.now();
  await begin();
  let found = before;
  do {
    if (Date.now() - begunAt > STUCK_MS) throw new Error(`${name}: ${JSON.stringify(found.hub.status)}`);
    await pause(ASKED_EVERY_MS);
    found = await reading(bench, rollout);
  } while (!isOver(found.hub));
  const seconds = (Date.now() - begunAt) / 1_000;
  const { status } = found.hub;
  const peakMiB = found.usage.peakMiB;
  say(`${name}: ${status.phase ?? 'planned'} after ${seconds.toFixed(1)} s; peak ${Math.round(peakMiB)} MiB`);
  return {
    ...{ name, status, seconds, peakMiB },
    cpuSeconds: found.usage.cpuSeconds - before.usage.cpuSeconds,
    writes: found.writes - before.writes,
    reports: found.hub.reports - before.hub.reports,
  };
}

type Reading = Readonly<{ hub: HubReading; usage: Usage; writes: number }>;

async function reading({ hub, controller }: Bench, rollout: string): Promise<Reading> {
  const found = await hub.read(rollout);
  const usage = controller.pid === undefined ? undefined : await usageOf(controller.pid);
  if (usage === undefined) throw new Error(`the fleet controller has ended:\n${await controller.tail()}`);
  const writes = Object.values(found.writes).reduce((sum, count) => sum + count, 0);
  return { hub: found, usage, writes };
}
