import { SeededDraws } from '#testing/seeded-draws';
import { FAULT_KINDS, type FaultKind, type FaultName, type FaultReach } from './fault-kinds.js';

/** One fault: its target and its time, in milliseconds since the faults begin. */
export type PlannedFault = Readonly<{
  fault: FaultName;
  /** Name of a service or cluster; `Redis`, `registry` or `disk`. */
  target: string;
  atMs: number;
  forMs: number;
}>;

export type FaultsWanted = Readonly<{
  seed: number;
  /** For so long faults begin. */
  seconds: number;
  clusters: readonly string[];
  services: readonly string[];
  faults: readonly FaultName[];
}>;

/** Between two faults, in milliseconds. */
const GAP: readonly [least: number, most: number] = [500, 4_000];
/** Time of rest for a target after the end of its fault. */
const REST_MS = 500;

/**
 * The faults of a run, in the order of their times: a function of its arguments alone. Every fault comes once
 * before any comes again. No two are on one target at the same time; on different ones they overlap.
 */
export function planFaults({ seed, seconds, clusters, services, faults }: FaultsWanted): readonly PlannedFault[] {
  const draws = new SeededDraws(seed);
  const targets: Readonly<Record<FaultReach, readonly string[]>> = {
    service: services,
    cluster: clusters,
    Redis: ['Redis'],
    registry: ['registry'],
    disk: ['disk'],
  };
  const freeAt = new Map<string, number>();
  const planned: PlannedFault[] = [];
  let round: FaultName[] = [];
  for (let atMs = draws.between(...GAP); atMs < seconds * 1_000; atMs += draws.between(...GAP)) {
    if (round.length === 0) round = draws.shuffled(faults);
    const now = atMs;
    const fault = round.find((name) => targets[FAULT_KINDS[name].reach].some((one) => (freeAt.get(one) ?? 0) <= now));
    if (fault === undefined) continue;
    round.splice(round.indexOf(fault), 1);
    const { reach, lasts }: FaultKind = FAULT_KINDS[fault];
    const target = draws.oneOf(targets[reach].filter((one) => (freeAt.get(one) ?? 0) <= now));
    const forMs = draws.between(...lasts);
    freeAt.set(target, atMs + forMs + REST_MS);
    planned.push({ fault, target, atMs, forMs });
  }
  return planned;
}
