import { isTargetOf } from '../controller/record/targets.js';
import { isFinal } from '../controller/step/phases.js';
import { ROLLBACK_CLASS } from '../controller/step/returns.js';
import { type Counts, sumOf } from '../controller/step/tally.js';
import { lastSuccess } from '../controller/step/wave-moves.js';
import { placesOf } from '../placement/waves.js';
import type { FleetScenario } from './scenario.js';
import type { VirtualCluster } from './virtual-cluster.js';
import type { FleetRun } from './virtual-hub.js';
import type { VirtualRollout } from './virtual-rollout.js';

type WaveSummary = Readonly<{
  name: string;
  index: number;
  phase: string;
  members: number;
  limit: number;
  maxInFlight: number;
  counts: Counts;
  openedAt: number | null;
  lastSuccessAt: number | null;
  completedAt: number | null;
}>;

type Violation = Readonly<{ id: string; seq: number; message: string }>;

/** The last line of a run. Its keys are a contract: all are present, in this order. */
export type RunSummary = Readonly<{
  type: 'summary';
  version: 1;
  seed: string;
  start: string;
  end: string;
  seconds: number;
  steps: number;
  events: number;
  writes: Readonly<{ hub: number; clusters: number }>;
  rollouts: readonly Readonly<{
    name: string;
    subject: string;
    target: string;
    phase: string;
    reason: string;
    counts: Counts;
    starts: number;
    returns: number;
    startedAt: number;
    finishedAt: number | null;
    waves: readonly WaveSummary[];
    classes: readonly Readonly<{ name: string; clusters: number; changes: readonly string[]; approval: string }>[];
  }>[];
  clusters: readonly Readonly<{
    name: string;
    online: boolean;
    installed: Readonly<Record<string, string>>;
    denied: readonly string[];
    rows: readonly Readonly<{
      subject: string;
      rollout: string;
      wave: string;
      phase: string;
      reason: string;
      attempt: number;
    }>[];
  }>[];
  invariants: Readonly<{ checked: number; violations: readonly Violation[] }>;
}>;

/** Seconds from the start of a run to an instant. */
type SecondsTo = (time: number | undefined) => number | null;

/** Summarises a run. The watchers of its events fill in the invariants. */
export function summaryOf({ seed }: FleetScenario, run: FleetRun): RunSummary {
  const { hub, world, end } = run;
  const { log } = world.options;
  const subjects = [...hub.files.subjects.values()];
  const denied = new Map(subjects.map(({ key }) => [key, hub.deniedFor(key)]));
  const seconds: SecondsTo = (time) => (time === undefined ? null : (time - log.start) / 1000);
  return {
    type: 'summary',
    version: 1,
    seed,
    start: new Date(log.start).toISOString(),
    end: new Date(end).toISOString(),
    seconds: (end - log.start) / 1000,
    steps: hub.steps,
    events: log.count,
    writes: { hub: hub.writer.writes + world.hubWrites, clusters: world.clusterWrites },
    rollouts: hub.records.map((record) => rolloutSummary(record, seconds)),
    clusters: [...world.clusters.values()].map((cluster) => clusterSummary(cluster, run, denied)),
    invariants: { checked: 0, violations: [] },
  };
}

function rolloutSummary(record: VirtualRollout, seconds: SecondsTo): RunSummary['rollouts'][number] {
  const { spec, status, tallies } = record;
  const { phase, reason, startedAt, finishedAt } = status;
  const byClass = new Map<string, number>();
  for (const { class: name, goBack } of record.rows.values()) {
    const classes = [...(name === null ? [] : [name]), ...(goBack === undefined ? [] : [ROLLBACK_CLASS])];
    for (const one of classes) byClass.set(one, (byClass.get(one) ?? 0) + 1);
  }
  return {
    name: spec.name,
    subject: spec.subject,
    target: spec.target,
    phase,
    reason,
    counts: sumOf(tallies).counts,
    starts: record.starts,
    returns: record.returns,
    startedAt: seconds(startedAt) ?? 0,
    finishedAt: isFinal(phase) ? seconds(finishedAt) : null,
    waves: spec.waves.map((_, index) => waveSummary(record, index, seconds)),
    classes: status.classes.map(({ name, changes, state }) => ({
      name,
      clusters: byClass.get(name) ?? 0,
      changes,
      approval: state.phase,
    })),
  };
}

function waveSummary(
  { spec, status, tallies, maxInFlight }: VirtualRollout,
  index: number,
  seconds: SecondsTo,
): WaveSummary {
  const [wave, tally, state] = [spec.waves[index], tallies[index], status.waves[index]];
  if (wave === undefined || tally === undefined || state === undefined)
    throw new RangeError(`there is no wave ${index}`);
  return {
    name: wave.name,
    index,
    phase: state.phase,
    members: tally.targets,
    limit: placesOf(wave.spec.maxConcurrent, tally.targets),
    maxInFlight: maxInFlight[index] ?? 0,
    counts: tally.counts,
    openedAt: seconds(state.openedAt),
    lastSuccessAt: seconds(lastSuccess(state, tally)),
    completedAt: seconds(state.completedAt),
  };
}

function clusterSummary(
  cluster: VirtualCluster,
  { hub, world }: FleetRun,
  deniedFor: ReadonlyMap<string, ReadonlySet<string>>,
): RunSummary['clusters'][number] {
  const subjects = [...hub.files.subjects.values()];
  const installed: Record<string, string> = {};
  for (const subject of subjects) {
    const bundle = world.installed(cluster, subject);
    if (bundle !== null) installed[subject.key] = bundle;
  }
  const denied = new Set(
    subjects.flatMap((subject) => {
      const forAll = isTargetOf(subject, cluster) ? (deniedFor.get(subject.key) ?? []) : [];
      return [...(cluster.denied.get(subject.key)?.keys() ?? []), ...forAll];
    }),
  );
  const rows: RunSummary['clusters'][number]['rows'][number][] = [];
  for (const { key } of subjects) {
    const record = hub.rolloutsOf(key).records.findLast(({ rows: all }) => all.has(cluster.name));
    const row = record?.rows.get(cluster.name);
    if (record === undefined || row === undefined) continue;
    const wave = record.spec.waves[row.wave]?.name ?? '';
    rows.push({
      subject: key,
      rollout: record.spec.name,
      wave,
      phase: row.phase,
      reason: row.reason,
      attempt: row.attempt,
    });
  }
  return { name: cluster.name, online: cluster.isOnline, installed, denied: [...denied].sort(), rows };
}
