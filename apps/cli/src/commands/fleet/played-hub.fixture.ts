import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PlayedFleet } from '#lifecycle/rollouts/controller/rollouts.fixture';
import { serveClusters } from '#lifecycle/rollouts/controller/served-clusters.fixture';
import { type CommandResult, runFlotilla } from '../../run-flotilla.fixture.js';

export const OLD = 'kafka-operator.v2.3.0';
export const NEW = 'kafka-operator.v2.4.0';
const OPERATOR = {
  package: 'kafka-operator',
  namespace: 'kafka-system',
  catalog: { name: 'c', namespace: 'olm' },
  strategyRef: { name: 's' },
  adopt: true,
};

/** A hub that the command reaches over HTTPS. A simulation plays OLM in its clusters. */
export type PlayedHub = Readonly<{
  fleet: PlayedFleet;
  kubeconfig: string;
  /** Runs `flotilla fleet …` on this hub. */
  flotilla: (...args: readonly string[]) => Promise<CommandResult>;
  /**
   * Runs a command as {@link flotilla} does, while controller and clusters work, so that a decision takes
   * effect.
   */
  decide: (...args: readonly string[]) => Promise<CommandResult>;
  stop: () => Promise<void>;
}>;

/** Begins a fleet. Its clusters of tier `lab` have names that begin so. */
export async function startPlayedHub(names: readonly string[], strategy: object): Promise<PlayedHub> {
  const folder = await mkdtemp(join(tmpdir(), 'flotilla-hub-'));
  const served = await serveClusters(['hub', ...names]);
  const kubeconfig = join(folder, 'kubeconfig');
  await writeFile(kubeconfig, served.kubeconfig, { mode: 0o600 });
  const labels = (name: string) => ({ tier: name.startsWith('lab') ? 'lab' : 'shop' });
  const fleet = await PlayedFleet.begin(names, labels, { open: served.open, start: new Date().toISOString() });
  await fleet.apply('FleetStrategy', 's', strategy);
  await fleet.apply('FleetOperator', 'kafka', OPERATOR);
  await fleet.settle();
  const flotilla = (...args: readonly string[]) =>
    runFlotilla(['fleet', ...args, '--fleet', 'hub', '--kubeconfig', kubeconfig]);
  const decide = async (...args: readonly string[]) => {
    let isDone = false;
    const answer = flotilla(...args).finally(() => {
      isDone = true;
    });
    while (!isDone) {
      await fleet.controller.pass();
      await new Promise((resolve) => setImmediate(resolve));
    }
    await fleet.settle();
    return answer;
  };
  const stop = async () => {
    await fleet.stop();
    await served.stop();
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  };
  return { fleet, kubeconfig, flotilla, decide, stop };
}

/** Every cluster finds an update. */
export async function offerAll({ fleet }: PlayedHub, rights?: (name: string) => string): Promise<void> {
  for (const cluster of fleet.clusters) await cluster.offer(NEW, rights?.(cluster.name));
  await fleet.settle();
}
