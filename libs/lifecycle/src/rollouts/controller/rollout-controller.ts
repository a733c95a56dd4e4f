import type { FleetDecision } from '#core/kernel/api/fleet/fleet-decision';
import { FLEET_API } from '#core/kernel/api/fleet/fleet-fields';
import type { HubCluster } from '#core/rollout/controller/facts/hub-cluster';
import { orderOfRow } from '#core/rollout/controller/facts/order-of-row';
import {
  type JudgedDecision,
  type PassWrite,
  type RolloutWrite,
  rolloutPass,
} from '#core/rollout/controller/record/rollout-pass';
import { inTurn } from '#core/rollout/controller/record/rollout-roles';
import type { FleetSubject } from '#core/rollout/controller/record/subjects';
import type { DecisionEffects } from '#core/rollout/controller/step/decisions';
import { isFinal } from '#core/rollout/controller/step/phases';
import { cutsOf, wavesOf } from '#core/rollout/placement/waves';
import { nextStallAt } from '#core/rollout/status/rollout-conditions';
import { movedEvents } from '#core/rollout/status/rollout-events';
import type { StoredRolloutStatus } from '#core/rollout/status/rollout-status';
import { nextChange } from '#core/rollout/windows/window-rules';
import type { Clock } from '#platform/clock/clock.port';
import { inParallel } from '#platform/fairness/in-parallel';
import type { KubeClient } from '#platform/kube/client/kube-client.port';
import type { Log } from '#platform/telemetry/log.port';
import type { RolloutFigures } from '#platform/telemetry/metrics/rollout-metrics';
import { allOf, ExaminedBefore } from './examined-before.js';
import type { AskedGates } from './state/asked-gates.js';
import { type FleetSource, FleetStateReader, listedFrom } from './state/fleet-state.js';
import { LiveFleet, type LiveRollout, type NewTarget } from './state/live-fleet.js';
import { LiveMemory } from './state/live-memory.js';
import { decisionOf, hasBegun, keptOf, keptWith, openDecisions } from './state/open-decisions.js';
import { isStop, restsWhileHeld, startsNoMore } from './state/stops-while-held.js';
import { StaleViewError, writeRollout, writeRolloutStatus, writeRow } from './writes/hub-objects.js';
import { keepUntilRemoved, leavingOrder, previewOrder, withdrawOrders } from './writes/leaving-orders.js';
import { RolloutEvents } from './writes/rollout-events.js';
import { rolloutFigures } from './writes/rollout-figures.js';
import { dropHistory } from './writes/rollout-history.js';
import { StatusPace } from './writes/status-pace.js';
import { problemOf, writeStatuses } from './writes/subject-status.js';
import { concludeUnknown } from './writes/unknown-rollouts.js';
import { UnreadableLog, writeReadability } from './writes/unreadable-statuses.js';
import { writeHold } from './writes/write-hold.js';
import { writeWithdrawal } from './writes/write-withdrawal.js';

/** Steps of one rollout in one pass; the next pass continues. */
const MOST_STEPS = 100;
/**
 * Rows are independent of each other: after a crash between two of them, the next pass completes the rest.
 */
const ROWS_AT_ONCE = 16;

/**
 * Decides about rollouts from the objects of the hub API, and writes the orders for clusters. It has no
 * access to clusters. A pass depends on stored objects alone: any controller may run it at any time.
 */
export class RolloutController {
  readonly #reader: FleetStateReader;
  readonly #events: RolloutEvents;
  readonly #unreadable: UnreadableLog;
  readonly #pace = new StatusPace();
  readonly #memory = new LiveMemory();
  /** Examined clusters, by rollout. */
  readonly #examined = new Map<string, ExaminedBefore>();
  /** Time at which the status of each FleetOperator was written last. */
  readonly #statusesAt = new Map<string, number>();
  #fleet: LiveFleet | undefined;
  /** Time at which a window opens or closes next. */
  #windowsAt = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly hub: KubeClient,
    private readonly clock: Clock,
    private readonly log: Log,
    /** Default: each kind is read with a request. */
    source: FleetSource = listedFrom(hub),
    private readonly gates?: AskedGates,
  ) {
    this.#reader = new FleetStateReader(source);
    this.#events = new RolloutEvents(hub, clock, log);
    this.#unreadable = new UnreadableLog(log);
  }

  /** Notes news about a rollout that its objects do not show: of one cluster, or of all. */
  noteNews(rollout: string, cluster: string | null): void {
    this.#examined.get(rollout)?.due.note(cluster);
  }

  /** Makes every step that is due. Returns when the clock alone asks for the next pass, in milliseconds. */
  async pass(): Promise<number | undefined> {
    const now = this.clock.now().getTime();
    const fleet = new LiveFleet(await this.#reader.read(), now, this.#memory, this.gates);
    this.#fleet = fleet;
    this.#unreadable.note(fleet.state.unreadable);
    const wakes: number[] = [];
    const areWindowsDue = this.#windowsAt <= now;
    for (const read of fleet.rollouts.toSorted((a, b) => inTurn(a.record, b.record))) {
      try {
        const hold = fleet.held.holdOf(read.record.spec.subject);
        const rollout = await writeHold(this.hub, read, hold, now);
        // No step forward can be right: it rests, as it would without a controller.
        if (restsWhileHeld(rollout, fleet)) {
          this.#examined.delete(read.record.spec.name);
          continue;
        }
        await inParallel(rollout.unordered, ROWS_AT_ONCE, (name) => this.#writeRow(rollout, name, fleet));
        const counted = await writeWithdrawal(this.hub, await this.#withCounts(rollout, now), now);
        wakes.push(
          stallOf(counted),
          await this.#advance(counted, fleet, { areWindowsDue, isHeld: hold !== undefined }),
        );
      } catch (error) {
        // Status that the pass has not written is found out again.
        const { name } = read.record.spec;
        this.#examined.delete(name);
        this.#pace.forget(name);
        if (!(error instanceof StaleViewError)) throw error;
        this.log.warn({ rollout: name }, error.message);
      }
    }
    for (const subject of fleet.files.subjects.values()) {
      if (fleet.held.isHeld(subject.key)) continue;
      await this.#orderPreviews(subject, fleet);
      await this.#release(subject, fleet);
    }
    wakes.push(await concludeUnknown(this.hub, fleet, this.log));
    await withdrawOrders(this.hub, fleet);
    await keepUntilRemoved(this.hub, fleet);
    for (const name of await dropHistory(this.hub, fleet)) {
      this.#examined.delete(name);
      this.#pace.forget(name);
      this.log.info({ rollout: name }, 'deleted a rollout over the historyLimit');
    }
    const statusesAt = await writeStatuses(this.hub, fleet, this.#statusesAt);
    await writeReadability(this.hub, fleet, this.log);
    if (statusesAt !== undefined) wakes.push(statusesAt);
    this.#windowsAt = nextChange(fleet.files.windows, now) ?? Number.POSITIVE_INFINITY;
    const next = Math.min(...wakes.filter((at) => at > now), this.#windowsAt, this.#pace.nextAt);
    return Number.isFinite(next) ? next - now : undefined;
  }

  /** Returns the progress of rollouts, as the last pass has left them. */
  get figures(): RolloutFigures | undefined {
    return this.#fleet && rolloutFigures(this.#fleet, this.clock.now().getTime());
  }

  /**
   * Writes counts that were left for later, and that no step writes any more. The status of a finished
   * rollout stays as it is, once it says so.
   */
  async #withCounts(rollout: LiveRollout, now: number): Promise<LiveRollout> {
    const { record, object } = rollout;
    const { name } = record.spec;
    const isLost = object.status === undefined;
    const isDue = isLost || this.#pace.isDue(name, now) || stallOf(rollout) <= now;
    if (record.isNew || hasSaidItsEnd(rollout) || !isDue) return rollout;
    const written = await writeRolloutStatus(this.hub, object, record, { mayOweCounts: false, now });
    this.#pace.note(name, written.isOwed, now);
    return { ...rollout, object: written.object };
  }

  /** Orders previews: every target reports its plan before there is a rollout. */
  async #orderPreviews(subject: FleetSubject, fleet: LiveFleet): Promise<void> {
    const isOrdered = ({ assignment }: HubCluster) =>
      assignment?.spec.rows.some((row) => row.subject === subject.key) === true;
    const missing = fleet.targetsOf(subject).filter((cluster) => !isOrdered(cluster));
    await inParallel(missing, ROWS_AT_ONCE, ({ name }) => {
      const write = { cluster: name, subject: subject.key, rollout: undefined, step: 0, row: undefined };
      return writeRow(this.hub, { ...write, order: previewOrder(subject.key) });
    });
  }

  /** Creates a rollout if clusters plan a target that none has brought yet, once the one before has ended. */
  async #release(subject: FleetSubject, fleet: LiveFleet): Promise<void> {
    const target = fleet.newTarget(subject);
    const { active } = fleet.rolloutsOf(subject.key);
    if (target === undefined || active !== undefined || problemOf(subject, fleet) !== undefined) return;
    await this.#make(subject, fleet, target, target.isSpecOnly ? 'SpecChange' : 'CatalogChange');
  }

  /**
   * Writes the outcome of a decision. A Retry of an aborted or rolled back rollout creates a new one of the
   * same target. That comes first: after a crash in between, the decision is open and the rollout is there.
   */
  async #carryOut(
    { decision, effects }: JudgedDecision<FleetDecision>,
    rollout: LiveRollout,
    fleet: LiveFleet,
  ): Promise<void> {
    const { subject, spec } = rollout.record;
    const isMade = fleet.rolloutsOf(subject.key).records.some((one) => one.spec.number > spec.number);
    if (effects.isNewRollout && !isMade) await this.#make(subject, fleet, targetAgain(rollout, fleet), 'Retry');
    await this.#conclude(decision, effects, rollout);
  }

  async #make(
    subject: FleetSubject,
    fleet: LiveFleet,
    target: NewTarget,
    trigger: 'SpecChange' | 'CatalogChange' | 'Retry',
  ): Promise<void> {
    const number = fleet.rolloutsOf(subject.key).nextNumber;
    const prefix = subject.rolloutPrefix.slice(subject.namespace.length + 1);
    const name = `${prefix}-${number}`;
    const { strategy } = subject;
    const waves = wavesOf(strategy);
    await this.hub.create({
      apiVersion: FLEET_API,
      kind: 'FleetRollout',
      metadata: { name, namespace: subject.namespace },
      spec: {
        subject: { kind: subject.kind, name: subject.key.split('/')[2] },
        number,
        trigger,
        target: {
          bundle: target.bundle,
          specHash: target.specHash,
          ...(target.isSpecOnly ? { specOnly: true } : {}),
          ...(subject.kind === 'FleetCatalog' ? { catalogDigest: target.bundle } : {}),
        },
        strategy,
        cuts: cutsOf(waves, fleet.targetsOf(subject), fleet.rolloutUid(subject.key, name)),
      },
    });
    this.log.info({ rollout: `${subject.namespace}/${name}`, ...target }, 'started a rollout');
  }

  /**
   * Makes the steps that are due; returns when the clock alone asks for the next one. `isHeld`: it makes the
   * steps of decisions that stop the rollout, and those that end it.
   */
  async #advance(
    rollout: LiveRollout,
    fleet: LiveFleet,
    { areWindowsDue, isHeld }: Readonly<{ areWindowsDue: boolean; isHeld: boolean }>,
  ): Promise<number> {
    const { record } = rollout;
    const { name } = record.spec;
    const decisions = await this.#decisionsFor(rollout, fleet, isHeld);
    const most = isHeld && !startsNoMore(rollout) ? decisions.length : MOST_STEPS;
    const memory = this.#examined.get(name) ?? (await this.#begin(rollout, fleet));
    const attendedUntil = memory.attendedUntil(fleet.now);
    const examined = memory.take(rollout, fleet, areWindowsDue);
    if (examined.size === 0 && decisions.length === 0) return memory.due.nextAt;
    record.attendedUntil = attendedUntil;
    let current = rollout;
    let isAtRest = false;
    const pass = rolloutPass<FleetDecision>(rollout, {
      ...{ decisions, decisionOf: (one) => decisionOf(one, fleet.now), hasBegun: (one) => hasBegun(one, rollout) },
      ...{ examined, all: () => allOf(record, fleet), now: fleet.now, most },
      noteStep: ({ result, isLast }) => {
        memory.due.noteWakes(result);
        isAtRest = isLast;
      },
    });
    for (const write of pass) current = await this.#perform(current, write, fleet);
    // Work that is left after so many steps is done in the next pass.
    if (!isAtRest) return fleet.now + 1;
    memory.note(rollout, fleet);
    return memory.due.nextAt;
  }

  /** Begins to attend to a rollout: the controller before may not have written all of its Events. */
  async #begin({ object, record }: LiveRollout, fleet: LiveFleet): Promise<ExaminedBefore> {
    const memory = new ExaminedBefore();
    await this.#events.again(object, fleet.operators.get(record.spec.subject), fleet.state.decisions);
    this.#examined.set(record.spec.name, memory);
    return memory;
  }

  /** Returns the decisions about a rollout that must be carried out. Other open ones get their outcome. */
  async #decisionsFor(rollout: LiveRollout, fleet: LiveFleet, isHeld: boolean): Promise<FleetDecision[]> {
    const { done, earlier, open } = openDecisions(rollout, fleet.state);
    const isDue = (one: FleetDecision) => !isHeld || isStop(one);
    for (const one of done) if (isDue(one.decision)) await this.#carryOut(one, rollout, fleet);
    for (const one of earlier) await this.#conclude(one, { reason: 'UnknownRollout' }, rollout);
    return open.filter(isDue);
  }

  /** Performs a write of a pass; returns the rollout as it is stored then. */
  async #perform(rollout: LiveRollout, write: PassWrite<FleetDecision>, fleet: LiveFleet): Promise<LiveRollout> {
    const { object, record } = rollout;
    if (write.kind === 'Rollout') return this.#writeRollout(rollout, write, fleet.now);
    if (write.kind === 'Rows') {
      await inParallel(write.clusters, ROWS_AT_ONCE, (name) => this.#writeRow(rollout, name, fleet));
    } else if (write.kind === 'Outcome') {
      await this.#carryOut(write, rollout, fleet);
    } else {
      await this.#events.moved(object, fleet.operators.get(record.spec.subject), eventsOf(rollout, write.moved));
    }
    return rollout;
  }

  async #writeRollout(
    rollout: LiveRollout,
    { status, moved, intent, decided, isPart }: RolloutWrite<FleetDecision>,
    now: number,
  ): Promise<LiveRollout> {
    const { object, record } = rollout;
    const { name } = record.spec;
    const kept = keptWith(rollout, decided, isPart);
    const mayOweCounts = !isFinal(record.status.phase) && this.#pace.mayOwe(name, now);
    const how = { status, intent, events: eventsOf(rollout, moved), mayOweCounts, now };
    const written = await writeRollout(this.hub, object, record, { ...kept, ...how });
    this.#pace.note(name, written.isOwed, now);
    const { taken, refused } = kept;
    return { ...rollout, object: written.object, taken, refused };
  }

  async #writeRow({ record }: LiveRollout, name: string, fleet: LiveFleet): Promise<void> {
    const cluster = fleet.clusters.get(name);
    // The assignment of a cluster that has left goes with it.
    if (cluster === undefined) return;
    const row = record.rows.get(name);
    const { subject, name: rollout } = record.spec;
    const order = row === undefined ? leavingOrder(subject, cluster, fleet) : orderOfRow(record, row, cluster, fleet);
    await writeRow(this.hub, { cluster: name, subject, rollout, step: record.version, row, order });
    if (row !== undefined)
      this.log.info({ rollout, cluster: name, phase: row.phase, reason: row.reason }, 'cluster moved');
  }

  async #conclude(
    decision: FleetDecision,
    outcome: Pick<DecisionEffects, 'reason' | 'message'>,
    { object, record }: LiveRollout,
  ): Promise<void> {
    const { reason, message } = outcome;
    const said = message === undefined ? {} : { message };
    const now = this.clock.now();
    const found = { effective: reason === 'Effective', reason, ...said, at: now.toISOString() };
    const { action, by, reason: why } = decision.spec;
    this.log.info({ rollout: decision.spec.rollout, action, by: by.user, why, ...found }, 'decision');
    const status = { ...found, ...(found.effective ? keptOf(decision, record, now.getTime()) : {}) };
    await this.hub.updateStatus({ ...decision, status });
    await this.#events.decided(object, decision, outcome);
  }
}

/** Returns the target of a rollout for a Retry. For a spec: the spec that is desired now. */
function targetAgain({ object, record }: LiveRollout, fleet: LiveFleet): NewTarget {
  const { bundle, specHash } = object.spec.target;
  if (record.spec.specHash === undefined) return { bundle, specHash, isSpecOnly: false };
  return { bundle, specHash: fleet.askedOf(record.spec.subject) ?? specHash, isSpecOnly: true };
}

/** Returns the Events of a rollout with another status. */
const eventsOf = ({ object, record }: LiveRollout, moved: RolloutWrite<FleetDecision>['moved']) =>
  movedEvents(
    object.metadata.name,
    record.spec.waves.map(({ name }) => name),
    moved,
  );

const hasSaidItsEnd = ({ record: { status }, object }: LiveRollout): boolean =>
  isFinal(status.phase) && (object.status as StoredRolloutStatus | undefined)?.phase === status.phase;

/** Returns the time at which a rollout is stalled if nothing moves in it. Infinite: it cannot be. */
const stallOf = ({ record, object }: LiveRollout): number =>
  nextStallAt(record, (object.status ?? {}) as StoredRolloutStatus) ?? Number.POSITIVE_INFINITY;
