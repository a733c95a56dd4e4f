import type { LiveFleet, LiveRollout } from '#lifecycle/rollouts/controller/state/live-fleet';
import type { Sighting } from '../motion/motion.js';

/** Returns the state of a fleet: reachable clusters, phases of rollouts, waves, plan classes and rows. */
export const fleetSightings = (fleet: LiveFleet): readonly Sighting[] => [
  ...[...fleet.clusters].map(([name, { isReachable }]) => ({
    name: `FleetCluster ${name}`,
    state: isReachable ? 'reachable' : 'unreachable',
  })),
  ...fleet.rollouts.flatMap(rolloutSightings),
];

function rolloutSightings({ record }: LiveRollout): readonly Sighting[] {
  const { name, waves: planned } = record.spec;
  const { phase, reason, waves, classes } = record.status;
  const of = (what: string, ...state: readonly string[]): Sighting => ({
    name: `FleetRollout ${name}${what}`,
    state: state.filter((one) => one !== '').join(' '),
  });
  return [
    of('', phase, reason),
    ...waves.map((wave, at) => of(`, wave ${planned[at]?.name ?? at}`, wave.phase, wave.reason)),
    ...classes.map((one) => of(`, class ${one.name}`, one.state.phase)),
    ...[...record.rows.values()].map((row) => of(`, cluster ${row.cluster}`, row.phase, row.reason, `hop ${row.hop}`)),
  ];
}
