import type { AtRestMeasures } from './measure-at-rest.js';
import type { FleetStep, UpgradeMeasures } from './measure-upgrade.js';
import { ofAllQueues, waitQuantile, waitsBetween } from './queue-waits.js';

type Spread = Readonly<{ first: number | null; half: number | null; last: number | null }>;
type PerService = Readonly<Record<string, number | null>>;

/** Figures written as JSON: other checks read these fields. Null: not known, or not reached. */
export type FleetFigures = Readonly<{
  clusters: number;
  operators: number;
  joinedSeconds: number | null;
  installSeconds: Spread;
  upgradeSeconds: Spread;
  /** For each operator of each cluster. */
  cpuSecondsPerUpgrade: PerService;
  peakRssMiB: PerService;
  idleRssMiB: PerService;
  /** For each operator of each cluster. */
  requestsPerUpgrade: Readonly<{ reads: number | null; writes: number | null }>;
  idleWritesPerMinute: number | null;
  solves: Readonly<{ distinct: number; total: number }>;
  queueLatencyP99Ms: number | null;
}>;

export function fleetFigures(measures: UpgradeMeasures): FleetFigures {
  const { size, join, install, upgrade, idle, solves } = measures;
  const each = size.clusters * size.operators;
  const waits = waitsBetween(upgrade.before.waits, upgrade.after.waits);
  const p99 = waitQuantile(ofAllQueues(waits), 0.99);
  const perService = (value: (name: string) => number): PerService =>
    Object.fromEntries([...idle.after.services.keys()].map((name) => [name, rounded(value(name))]));
  return {
    clusters: size.clusters,
    operators: size.operators,
    joinedSeconds: complete(join, size.clusters) ? rounded(join.clusterSeconds.at(-1)) : null,
    installSeconds: spread(install, size.clusters),
    upgradeSeconds: spread(upgrade, size.clusters),
    cpuSecondsPerUpgrade: perService((name) => cpuOf(name, upgrade) / each),
    peakRssMiB: perService((name) => idle.after.services.get(name)?.peakMiB ?? Number.NaN),
    idleRssMiB: perService((name) => idle.after.services.get(name)?.residentMiB ?? Number.NaN),
    requestsPerUpgrade: {
      reads: rounded(requestsOf('reads', upgrade) / each),
      writes: rounded(requestsOf('writes', upgrade) / each),
    },
    idleWritesPerMinute: rounded((requestsOf('writes', idle) * 60) / idle.seconds),
    solves,
    queueLatencyP99Ms: rounded(p99 === undefined ? undefined : p99 * 1_000),
  };
}

/** Returns the figures of a fleet that rests from the beginning: nothing is installed or upgraded. */
export function atRestFigures({ size, settle, idle }: AtRestMeasures): FleetFigures {
  const none: Spread = { first: null, half: null, last: null };
  const perService = (value: (name: string) => number | null): PerService =>
    Object.fromEntries([...idle.after.services.keys()].map((name) => [name, value(name)]));
  return {
    clusters: size.clusters,
    operators: size.operators,
    joinedSeconds: rounded(settle.watchedSeconds),
    installSeconds: none,
    upgradeSeconds: none,
    cpuSecondsPerUpgrade: perService(() => null),
    peakRssMiB: perService((name) => rounded(idle.after.services.get(name)?.peakMiB)),
    idleRssMiB: perService((name) => rounded(idle.after.services.get(name)?.residentMiB)),
    requestsPerUpgrade: { reads: null, writes: null },
    idleWritesPerMinute: rounded((requestsOf('writes', idle) * 60) / idle.seconds),
    solves: { distinct: 0, total: 0 },
    queueLatencyP99Ms: null,
  };
}

/** Returns the processor time of a service in a step; its usage before the first reading counts, too. */
export const cpuOf = (name: string, { before, after }: FleetStep): number =>
  (after.services.get(name)?.cpuSeconds ?? Number.NaN) - (before.services.get(name)?.cpuSeconds || 0);

export const requestsOf = (what: 'reads' | 'writes', { before, after }: FleetStep): number =>
  after.requests[what] - before.requests[what];

const complete = ({ clusterSeconds }: FleetStep, clusters: number): boolean => clusterSeconds.length === clusters;

/** The first cluster, half of them, all of them. */
function spread({ clusterSeconds }: FleetStep, clusters: number): Spread {
  const at = (index: number) => rounded(clusterSeconds[index]);
  return { first: at(0), half: at(Math.ceil(clusters / 2) - 1), last: at(clusters - 1) };
}

/** Rounds to three digits after the point; null if there is no number, as JSON has none either. */
const rounded = (value: number | undefined): number | null =>
  value === undefined || !Number.isFinite(value) ? null : Math.round(value * 1_000) / 1_000;
