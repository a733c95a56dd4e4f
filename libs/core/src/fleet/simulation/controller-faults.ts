import { durationMs } from '../placement/waves.js';
import type { Controller } from './controller.js';
import type { PlacedFault } from './faults.js';
import { forgetStatus, rebuildRows } from './rebuild.js';
import type { VirtualCluster } from './virtual-cluster.js';
import type { VirtualWorld } from './world.js';

/**
 * Notes the faults that begin at a time. Returns what happens when the controller has made its last write.
 */
export function playFaults(world: VirtualWorld, controller: Controller): () => void {
  const { faults } = world.options;
  for (const fault of faults.all('offline')) playOffline(fault, world);
  for (const fault of faults.all('clusterReplaced')) {
    world.at(fault.from, () => {
      for (const cluster of selected(fault, world)) world.replace(cluster);
      controller.changedAll();
    });
  }
  for (const { fault, from } of faults.all('wakesLost')) {
    world.at(from, () => {
      note('WakesLost', world);
      const time = fault.wakesLost?.for;
      world.loseWakes(time === undefined ? Number.POSITIVE_INFINITY : world.now + durationMs(time));
    });
  }
  for (const { from } of faults.all('statusLost')) {
    world.at(from, () => {
      note('StatusLost', world);
      for (const record of controller.records) forgetStatus(record);
    });
  }
  for (const { from } of faults.all('assignmentsLost')) {
    world.at(from, () => {
      note('AssignmentsLost', world);
      for (const record of controller.records) rebuildRows(record, world, controller);
    });
  }
  // A second leader finds that what it would write was written since, and writes nothing.
  for (const { from } of faults.all('secondLeader')) world.at(from, () => note('SecondLeader', world));
  return playKills(world, controller);
}

const note = (phase: string, world: VirtualWorld): void =>
  world.options.log.add(world.now, { kind: 'controller', phase });

function selected({ fault, index }: PlacedFault, world: VirtualWorld): VirtualCluster[] {
  return [...world.clusters.values()].filter((cluster) => world.options.faults.selects(fault.clusters, index, cluster));
}

function playOffline(placed: PlacedFault, world: VirtualWorld): void {
  world.at(placed.from, () => {
    for (const cluster of selected(placed, world)) {
      world.goOffline(cluster);
      const time = placed.fault.offline?.for;
      if (time === undefined) continue;
      const isLive = (): boolean => world.clusters.get(cluster.name) === cluster;
      world.at(world.now + durationMs(time), () => (isLive() ? world.goOnline(cluster) : undefined), isLive);
    }
  });
}

function playKills(world: VirtualWorld, controller: Controller): () => void {
  const kills = world.options.faults.all('controllerKilled');
  const byWrites = kills.find(({ fault }) => fault.controllerKilled?.everyWrites !== undefined);
  const every = byWrites?.fault.controllerKilled?.everyWrites ?? Number.POSITIVE_INFINITY;
  const down = durationMs(byWrites?.fault.controllerKilled?.down ?? '0s');
  const kill = (time: number): void => {
    if (controller.isDown) return;
    note('Killed', world);
    controller.isDown = true;
    world.at(world.now + time, () => {
      note('Started', world);
      controller.isDown = false;
      controller.writesLeft = every;
      for (const record of controller.records) record.recount();
    });
  };
  if (byWrites !== undefined)
    world.at(byWrites.from, () => {
      controller.writesLeft = every;
    });
  for (const { fault, from } of kills) {
    const given = fault.controllerKilled;
    if (given !== undefined && given.everyWrites === undefined) world.at(from, () => kill(durationMs(given.down)));
  }
  return () => kill(down);
}
