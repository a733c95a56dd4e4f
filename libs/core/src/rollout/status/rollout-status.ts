import {
  type FleetRolloutStatus,
  MOST_CLASSES_SHOWN,
  MOST_FAILURES,
  MOST_SAMPLED,
} from '../../kernel/api/fleet/fleet-rollout.js';
import { byCodeUnit } from '../../kernel/canonical/canonical-json.js';
import { sameJson } from '../../kernel/canonical/same-json.js';
import { mergedConditions, type StoredCondition } from '../../kernel/conditions/condition-list.js';
import { ROLLBACK_CLASS } from '../controller/step/returns.js';
import type { RolloutView, WaveStatus } from '../controller/step/rollout-state.js';
import { isOfReturns, type RolloutRow } from '../controller/step/row.js';
import { sumOf, WaveTally } from '../controller/step/tally.js';
import { soakEnd } from '../controller/step/wave-moves.js';
import { placesOf } from '../placement/waves.js';
import { currentWave, rolloutConditions } from './rollout-conditions.js';

/** The facts that a status follows from. */
type ReportedRollout = Pick<RolloutView, 'spec' | 'status' | 'rows' | 'tallies'>;
/** A status as it is stored: any part of it may be missing. */
export type StoredRolloutStatus = Partial<Omit<FleetRolloutStatus, 'conditions'>> &
  Readonly<{ conditions?: readonly StoredCondition[] }>;

const LONGEST_CAUSE = 1_024;
const timeOf = (ms: number | undefined): string | undefined =>
  ms === undefined || !Number.isFinite(ms) ? undefined : new Date(ms).toISOString();

/** Returns the status for users (design: fleet.md §1.7). `before`: the stored one. */
export function rolloutStatus(rollout: ReportedRollout, before: StoredRolloutStatus, now: number): FleetRolloutStatus {
  const { spec, status, tallies, rows } = rollout;
  const all = [...rows.values()].filter(({ phase }) => phase !== 'Removed');
  const figures = {
    phase: status.phase,
    reason: status.reason,
    counts: sumOf(tallies).counts,
    waves: spec.waves.map((_, at) => waveStatus(rollout, at)),
    classes: classesOf(rollout, all),
  };
  const isSame = sameJson(movingOf(before), movingOf(figures));
  const movedAt = isSame && before.movedAt !== undefined ? before.movedAt : new Date(now).toISOString();
  const isSamePhase = before.phase === status.phase && before.phaseSince !== undefined;
  const found = rolloutConditions(rollout, { rows: all, movedAt: Date.parse(movedAt), now });
  const message = found.find(({ type }) => type === 'Progressing')?.message;
  const current = currentWave(rollout);
  return {
    ...figures,
    ...(message === undefined || message === '' ? {} : { message }),
    ...(current === undefined ? {} : { wave: `${current.at + 1}/${spec.waves.length} ${current.name}` }),
    failures: failuresOf(all),
    conditions: [...mergedConditions(before.conditions ?? [], found, new Date(now).toISOString())],
    startedAt: timeOf(status.startedAt),
    phaseSince: isSamePhase ? before.phaseSince : new Date(now).toISOString(),
    movedAt,
    finishedAt: timeOf(status.finishedAt),
  };
}

function waveStatus({ spec, status, tallies }: ReportedRollout, at: number): FleetRolloutStatus['waves'][number] {
  const wave = spec.waves[at];
  const state = status.waves[at];
  const tally = tallies[at] ?? new WaveTally();
  if (wave === undefined || state === undefined) throw new RangeError(`rollout ${spec.name} has no wave ${at}`);
  const soaks = state.phase === 'Soaking' && state.reason === 'Soak';
  return {
    name: wave.name,
    phase: state.phase,
    reason: state.reason,
    members: tally.targets,
    limit: placesOf(wave.spec.maxConcurrent, tally.targets),
    counts: tally.counts,
    openedAt: timeOf(state.openedAt),
    soakUntil: soaks ? timeOf(soakEnd(state, tally, wave.spec.soak)) : undefined,
    completedAt: timeOf(state.completedAt),
    redGate: redGateOf(wave, state),
  };
}

/** Returns the name of the first red gate of those that the wave waits for. */
function redGateOf({ spec }: RolloutView['spec']['waves'][number], { phase, reason, gates }: WaveStatus) {
  if (phase !== 'Soaking' && reason !== 'GateBefore') return undefined;
  const when = phase === 'Soaking' ? 'After' : 'Before';
  const own = spec.gates.filter((gate) => gate.scope === 'Wave' && gate.when === when);
  return own.find(({ name }) => gates[name]?.state === 'Red')?.name;
}

function classesOf({ status }: ReportedRollout, rows: readonly RolloutRow[]): FleetRolloutStatus['classes'] {
  const clusters = Map.groupBy(rows, (row) => row.class);
  return status.classes.slice(0, MOST_CLASSES_SHOWN).map(({ name, changes, state }) => ({
    hash: name,
    clusters: name === ROLLBACK_CLASS ? rows.filter(isOfReturns).length : (clusters.get(name)?.length ?? 0),
    changes: [...changes],
    approval: state.phase,
    ...(state.reason === 'Lapsed' ? { reason: state.reason } : {}),
  }));
}

/** Failed clusters, those with the same cause together, the largest group first. */
function failuresOf(rows: readonly RolloutRow[]): FleetRolloutStatus['failures'] {
  const failed = rows.filter(({ phase }) => phase === 'Failed');
  const groups = Map.groupBy(failed, ({ reason, message }) => `${reason}\n${message}`);
  return [...groups]
    .sort(([a, one], [b, other]) => other.length - one.length || byCodeUnit(a, b))
    .slice(0, MOST_FAILURES)
    .flatMap(([, own]) => {
      const [first] = own;
      if (first === undefined) return [];
      const names = own.map(({ cluster }) => cluster).sort(byCodeUnit);
      const cause = first.message.slice(0, LONGEST_CAUSE);
      return [{ reason: first.reason, cause, clusters: own.length, sample: names.slice(0, MOST_SAMPLED) }];
    });
}

/** Returns the parts that change while a rollout progresses: phases, counts and approvals. */
const movingOf = ({ phase, reason, counts, waves = [], classes = [] }: StoredRolloutStatus): unknown => ({
  ...{ phase, reason, counts: counts ?? null },
  waves: waves.map((wave) => `${wave.name} ${wave.phase} ${wave.reason}`),
  classes: classes.map(({ hash, approval }) => `${hash} ${approval}`),
});

/** Returns the parts to write at once. Counts, and the texts with counts, may be written later. */
export const urgentOf = ({
  phase,
  reason,
  waves = [],
  classes = [],
  finishedAt,
  conditions = [],
}: StoredRolloutStatus): unknown => ({
  ...{ phase, reason, finishedAt },
  waves: waves.map(
    (wave) => `${wave.name} ${wave.phase} ${wave.reason} ${wave.openedAt} ${wave.completedAt} ${wave.redGate}`,
  ),
  classes: classes.map(({ hash, approval, changes }) => `${hash} ${approval} ${changes.join()}`),
  conditions: conditions
    .filter(({ type }) => type !== 'Progressing')
    .map((one) => `${one.type} ${one.status} ${one.reason}`),
});
