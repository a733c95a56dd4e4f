import { sameJson } from '../../../kernel/canonical/same-json.js';
import type { Decision, DecisionEffects } from '../step/decisions.js';
import type { RolloutFacts } from '../step/facts.js';
import type { RolloutStatus } from '../step/rollout-state.js';
import { begins, type RolloutRow } from '../step/row.js';
import { type StepResult, stepRollout } from '../step/step.js';
import { intentParts } from './intent-parts.js';
import type { RolloutRecord } from './rollout-record.js';
import { isEvent, isWrittenFirst, type RowChange } from './row-change.js';
import type { StoredRow } from './stored-rows.js';

/** A step, and the decision that it carries out. */
export type MadeStep<D> = Readonly<{
  result: StepResult;
  changes: readonly RowChange[];
  decided: D | undefined;
  /** True if no further step follows. */
  isLast: boolean;
}>;

/** A decision and its effects, or the reason why it has none. */
export type JudgedDecision<D> = Readonly<{ decision: D; effects: DecisionEffects }>;

/** The status of a rollout before the steps of a write and after them. A new rollout has none before. */
type MovedStatus = Readonly<{ before: RolloutStatus | undefined; after: RolloutStatus }>;

/** The state of a rollout. */
export type RolloutWrite<D> = Readonly<{
  kind: 'Rollout';
  /** The status that the next pass continues from. For a part of a decision: the one before it. */
  status: RolloutStatus;
  moved: MovedStatus;
  /** Rows that follow in the next write. */
  intent: readonly StoredRow[];
  decided: JudgedDecision<D> | undefined;
  /** True if more rows of an effective decision follow. */
  isPart: boolean;
}>;

/**
 * A write of a pass to the hub API. `Rows`: rows in the assignments of clusters, as the record has them. They
 * do not depend on each other. `Events` follow a rollout once all of it is written.
 */
export type PassWrite<D> =
  | Readonly<{ kind: 'Rows'; clusters: readonly string[] }>
  | RolloutWrite<D>
  | Readonly<{ kind: 'Events'; moved: MovedStatus }>
  | (Readonly<{ kind: 'Outcome' }> & JudgedDecision<D>);

type Pass<D> = Readonly<{
  /** Open decisions, the older ones first. A step takes at most one. */
  decisions: readonly D[];
  decisionOf: (open: D) => Decision;
  /** True if a pass that was killed has written a part of the decision. */
  hasBegun: (open: D) => boolean;
  /** Clusters that the first step examines. */
  examined: Iterable<string>;
  /** Returns every cluster that has a row, or may get one. */
  all: () => Iterable<string>;
  now: number;
  most: number;
  /** Called with each step, before it is in the record. */
  noteStep: (made: MadeStep<D>) => void;
}>;

/**
 * Makes the steps of a rollout until it rests, and returns their writes in order. The caller performs each
 * write before it asks for the next one. It may stop at any of them: the next pass continues from the hub.
 */
export function* rolloutPass<D>(
  { record, facts }: Readonly<{ record: RolloutRecord; facts: RolloutFacts }>,
  { decisions, decisionOf, hasBegun, examined: first, all, now, most, noteStep }: Pass<D>,
): Generator<PassWrite<D>> {
  const open = [...decisions];
  const unwritten = new UnwrittenChanges(record);
  let examined = first;
  let isReplaced = false;
  for (let left = most; left > 0; left--) {
    // A decision needs the rows that it names. With a new rollout in view the others are made later.
    const decided = record.isNew || isReplaced ? undefined : open.shift();
    const decision = decided === undefined ? undefined : decisionOf(decided);
    const result = stepRollout(record, facts, decision, examined, now);
    const changes = [...result.rows.values()].map((after) => ({ before: record.rows.get(after.cluster), after }));
    const moved = changes.filter(isEvent).map(({ after }) => after.cluster);
    const hasStatus = result.status !== record.status || record.isNew;
    const isLast = decided === undefined && !hasStatus && moved.length === 0;
    noteStep({ result, changes, decided, isLast });
    unwritten.note(changes);
    store(record, result);
    if (isLast) break;
    if (decided !== undefined) {
      // A decision has its effect once: it is in the rollout before anything else follows.
      const effects = effectsOf(result, hasBegun(decided));
      yield* unwritten.write({ decision: decided, effects });
      yield { kind: 'Outcome', decision: decided, effects };
    }
    isReplaced ||= result.decision?.isNewRollout === true;
    examined = hasStatus ? all() : moved;
  }
  yield* unwritten.write<D>(undefined);
}

function store(record: RolloutRecord, { rows, tallies, status }: StepResult): void {
  for (const row of rows.values()) record.store(row);
  Object.assign(record, { tallies, status, isNew: false, attendedUntil: Number.POSITIVE_INFINITY });
}

/**
 * Returns the effects of a decision, in this pass or in an earlier one that was killed in the middle of it.
 * The effects of the earlier pass are not repeated, and the decision still counts as effective.
 */
export function effectsOf({ decision }: Pick<StepResult, 'decision'>, hasBegun: boolean): DecisionEffects {
  const effects = decision ?? { reason: 'NotApplicable', isNewRollout: false };
  return hasBegun ? { ...effects, reason: 'Effective' } : effects;
}

/** The changes of a rollout since its last write. */
class UnwrittenChanges {
  /** The stored rows of changed clusters. */
  readonly #before = new Map<string, RolloutRow | undefined>();
  #status: RolloutStatus | undefined;

  constructor(private readonly record: RolloutRecord) {
    this.#status = record.isNew ? undefined : record.status;
  }

  /** Notes changes that are not in the record yet. */
  note(changes: readonly RowChange[]): void {
    for (const { before, after } of changes) {
      if (!this.#before.has(after.cluster)) this.#before.set(after.cluster, before);
    }
  }

  /**
   * Writes results of clusters first, then the rollout with the rows that begin, then those rows. If many
   * begin, it writes them in parts that the annotations have room for. A row that is removed is written after
   * the rollout, which keeps the row's part in the report of its wave. A decision and the first step of a
   * rollout are in the rollout as a whole, before any row.
   */
  *write<D>(decided: JudgedDecision<D> | undefined): Generator<PassWrite<D>> {
    const { record } = this;
    const [before, after] = [this.#status, record.status];
    const isWhole = decided !== undefined || before === undefined;
    const { first, later } = isWhole ? { first: [], later: this.#changed() } : this.#inOrder(after);
    if (first.length + later.length === 0 && before === after && decided === undefined) return;
    const step = ++record.version;
    const moved = { before, after };
    if (first.length > 0) yield { kind: 'Rows', clusters: first };
    const kept = decided?.effects.reason === 'Effective' ? before : undefined;
    const rowOf = (name: string) => record.rows.get(name);
    const parts = before === undefined ? [later] : intentParts(later, rowOf);
    for (const clusters of parts) {
      const isPart = kept !== undefined && clusters !== parts.at(-1);
      const status = isPart ? kept : after;
      // The beginnings of a part, and the ones that a crash leaves out, are found out again from the rows.
      const rows = before === undefined ? [] : clusters.flatMap((name) => rowOf(name) ?? []);
      const intent = rows.map((row) => ({ step, row }));
      yield { kind: 'Rollout', status, moved, intent, decided, isPart };
      yield { kind: 'Rows', clusters };
    }
    yield { kind: 'Events', moved };
    this.#before.clear();
    this.#status = record.status;
  }

  /** Returns the changed clusters. A row that two steps have moved back and forth is as it was. */
  #changed(): string[] {
    const { rows } = this.record;
    return [...this.#before].filter(([name, row]) => !sameJson(rows.get(name), row)).map(([name]) => name);
  }

  /** Returns the changed clusters that are written before the rollout, and after it. */
  #inOrder(status: RolloutStatus): Readonly<{ first: readonly string[]; later: readonly string[] }> {
    // A killed pass has written the rollout already: no row has to wait for it.
    const isKept = sameJson(this.#status, status);
    const [first, later]: [string[], string[]] = [[], []];
    for (const name of this.#changed()) {
      const [before, after] = [this.#before.get(name), this.record.rows.get(name)];
      const isFree = isKept && (after === undefined || !begins(before, after));
      if (isFree || isWrittenFirst({ before, after })) first.push(name);
      else later.push(name);
    }
    return { first, later };
  }
}
