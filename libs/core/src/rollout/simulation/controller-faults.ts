import { durationMs } from '../placement/waves.js';
import type { PlacedFault } from './faults.js';
import type { VirtualCluster } from './virtual-cluster.js';
import type { VirtualHub } from './virtual-hub.js';
import type { VirtualRollout } from './virtual-rollout.js';
import type { VirtualWorld } from './world.js';

/** Schedules the faults that begin at a time. Returns the action for the controller's last write. */
export function playFaults(world: VirtualWorld, hub: VirtualHub): () => void {
  const { faults } = world.options;
  playClusterFaults(world, () => hub.changedAll());
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
      // Counts are found out again from rows; all else is in annotations (decision 0181).
      for (const record of hub.records) record.recount();
    });
  }
  for (const { from } of faults.all('assignmentsLost')) {
    world.at(from, () => {
      note('AssignmentsLost', world);
      for (const record of hub.records) {
        withdrawOrders(record, world);
        hub.whenUp(() => loseRows(record, hub));
      }
    });
  }
  for (const placed of faults.all('secondLeader')) playSecondLeader(placed, world, hub);
  return playKills(world, hub);
}

/** Notes the faults of clusters that begin at a time. */
export function playClusterFaults(world: VirtualWorld, changedAll: () => void): void {
  const { faults } = world.options;
  for (const fault of faults.all('offline')) playOffline(fault, world);
  for (const fault of faults.all('clusterReplaced')) {
    world.at(fault.from, () => {
      for (const cluster of selected(fault, world)) world.replace(cluster);
      changedAll();
    });
  }
}

/** Removes the rows of a rollout after assignments were deleted. Its next step recreates them. */
function loseRows(record: VirtualRollout, hub: VirtualHub): void {
  const rollouts = hub.rolloutsOf(record.subject.key);
  const isKept = rollouts.roleOf(record) === 'frozen' && record !== rollouts.newest;
  if (isKept || record.isQueued || record.isNew) return;
  record.loseRows(hub.now);
  for (const cluster of hub.world.clusters.values()) cluster.orders.delete(record.spec.name);
}

/** Orders that no applier has read yet are gone with the assignments. */
function withdrawOrders({ subject }: VirtualRollout, world: VirtualWorld): void {
  for (const cluster of world.clusters.values()) world.withdraw(cluster, subject.key);
}

const note = (phase: string, world: VirtualWorld): void =>
  world.options.log.add(world.now, { kind: 'controller', phase });

function selected({ fault, index }: PlacedFault, world: VirtualWorld): VirtualCluster[] {
  return [...world.clusters.values()].filter((cluster) => world.options.faults.selects(fault.clusters, index, cluster));
}

function playOffline(placed: PlacedFault, world: VirtualWorld): void {
  const time = placed.fault.offline?.for;
  const until = time === undefined ? Number.POSITIVE_INFINITY : placed.from + durationMs(time);
  const take = (cluster: VirtualCluster): void => {
    world.goOffline(cluster);
    if (!Number.isFinite(until)) return;
    const isLive = (): boolean => world.clusters.get(cluster.name) === cluster;
    world.at(until, () => (isLive() ? world.goOnline(cluster) : undefined), isLive);
  };
  world.at(placed.from, () => {
    for (const cluster of selected(placed, world)) take(cluster);
  });
  // One that joins while the fault holds was never reached.
  world.onJoined.push((cluster) => {
    const holds = world.now >= placed.from && world.now < until;
    if (holds && world.options.faults.selects(placed.fault.clusters, placed.index, cluster)) take(cluster);
  });
}

/**
 * Adds a controller that believes to be the active one, with a view of some time ago. It makes the steps of
 * the active one if nothing was written since that view. Otherwise its step is not made, and counts as
 * refused. The guard of versions itself is tried with the live controller, in broken-passes.spec.ts.
 */
function playSecondLeader({ fault, from }: PlacedFault, world: VirtualWorld, hub: VirtualHub): void {
  const { for: time, staleBy = '0s' } = fault.secondLeader ?? {};
  const until = time === undefined ? Number.POSITIVE_INFINITY : from + durationMs(time);
  const leader = { refused: 0, settle: () => (world.now < until ? hub.records.forEach(attend) : undefined) };
  const attend = (record: VirtualRollout): void => {
    // A decision is read together with the rollout that it concerns.
    if (hub.writer.isDown || record.isNew || record.isQueued || record.decisions.length > 0) return;
    if (record.isWrittenAfter(world.now - durationMs(staleBy))) {
      leader.refused++;
      return;
    }
    record.due.note(null);
    hub.attend(record);
  };
  world.at(from, () => {
    note('SecondLeader', world);
    hub.others.push(leader);
  });
}

function playKills(world: VirtualWorld, hub: VirtualHub): () => void {
  const kills = world.options.faults.all('controllerKilled');
  const byWrites = kills.find(({ fault }) => fault.controllerKilled?.everyWrites !== undefined);
  const every = byWrites?.fault.controllerKilled?.everyWrites ?? Number.POSITIVE_INFINITY;
  const down = durationMs(byWrites?.fault.controllerKilled?.down ?? '0s');
  const kill = (time: number): void => {
    const { writer } = hub;
    if (writer.isDown) return;
    note('Killed', world);
    writer.isDown = true;
    world.at(world.now + time, () => {
      note('Started', world);
      writer.writesLeft = every;
      hub.restart();
    });
  };
  if (byWrites !== undefined)
    world.at(byWrites.from, () => {
      hub.writer.writesLeft = every;
    });
  for (const { fault, from } of kills) {
    const given = fault.controllerKilled;
    if (given !== undefined && given.everyWrites === undefined) world.at(from, () => kill(durationMs(given.down)));
  }
  return () => kill(down);
}
