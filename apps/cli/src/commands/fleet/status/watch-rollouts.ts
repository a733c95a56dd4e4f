import { type EventFacts, EventLog, type FleetEvent } from '#core/rollout/controller/record/event-log';
import type { RowChange } from '#core/rollout/controller/record/row-change';
import { stepEvents } from '#core/rollout/controller/record/step-events';
import { isFinal } from '#core/rollout/controller/step/phases';
import type { RolloutRow } from '#core/rollout/controller/step/row';
import { durationMs } from '#core/rollout/placement/waves';
import type { LiveFleet, LiveRollout } from '#lifecycle/rollouts/controller/state/live-fleet';
import type { KubeClient } from '#platform/kube/client/kube-client.port';
import { ExitCode, type Io } from '../../../terminal/io.js';
import { meantRollout, readFleet } from '../hub/read-fleet.js';
import { eventLine } from '../picture/event-text.js';
import { LivePicture, type WaveTimes } from '../picture/live-picture.js';
import { RedrawnPicture } from '../picture/redrawn-picture.js';
import type { RolloutsAsked } from './show-rollouts.js';

/** Four pictures a second; the hub is asked less often, the larger the fleet is. */
const FRAME_MS = 250;
const ASKED_EVERY_MS = 1_000;
const PER_CLUSTER_MS = 1;

/** The last seen state of a rollout. */
type Seen = Readonly<{ rollout: LiveRollout; rows: ReadonlyMap<string, RolloutRow> }>;

/** Collects the changes between two readings of the fleet, as events. Seconds count from `start`. */
export class RolloutWatch {
  readonly #seen = new Map<string, Seen>();
  readonly #log: EventLog;
  #events: FleetEvent[] = [];

  constructor(readonly start: number) {
    this.#log = new EventLog(start, (event) => this.#events.push(event));
  }

  /** Events since the last reading. For a new rollout, the events describe its whole state. */
  read(fleet: LiveFleet, rollouts: readonly LiveRollout[]): readonly FleetEvent[] {
    this.#events = [];
    for (const rollout of rollouts) {
      const { record } = rollout;
      const before = this.#seen.get(record.spec.name);
      const changes: RowChange[] = [...record.rows.values()].map((after) => ({
        before: before?.rows.get(after.cluster),
        after,
      }));
      const past = before?.rollout.record;
      const facts = stepEvents(past ?? record, past?.status, changes, record);
      // If all of it is new, waves come before their clusters: a picture is made from them in this order.
      const inOrder = past === undefined ? facts.toSorted((a, b) => turnOf(a.kind) - turnOf(b.kind)) : facts;
      for (const one of inOrder) {
        const at = past === undefined ? beganAt(rollout, one) : undefined;
        this.#log.add((at ?? fleet.now) - this.start, one);
      }
      this.#seen.set(record.spec.name, { rollout, rows: new Map(record.rows) });
    }
    return this.#events;
  }

  /** Durations of a wave in seconds. */
  timesOf(name: string, wave: string): WaveTimes | undefined {
    const rules = this.#seen.get(name)?.rollout.record.spec.waves.find((one) => one.name === wave)?.spec;
    if (rules === undefined) return undefined;
    return { soak: durationMs(rules.soak) / 1_000, progressDeadline: durationMs(rules.progressDeadline) / 1_000 };
  }

  /** True if every watched rollout has ended. */
  get isOver(): boolean {
    const all = [...this.#seen.values()];
    return all.length > 0 && all.every(({ rollout }) => isFinal(rollout.record.status.phase));
  }
}

/**
 * Runs `flotilla fleet status --watch` until all watched rollouts have ended, or `stop`. It is a live
 * picture on a terminal, elsewhere one line a change.
 */
export async function watchRollouts(
  hub: KubeClient,
  io: Io,
  asked: RolloutsAsked,
  stop: Promise<unknown>,
): Promise<void> {
  let isStopped = false;
  const stopped = stop.then(() => {
    isStopped = true;
  });
  const pause = (ms: number) => Promise.race([stopped, new Promise((resolve) => setTimeout(resolve, ms))]);
  const first = await readFleet(hub, new Date());
  const chosen = choice(first, asked);
  const watched = chosen(first);
  const start = Math.min(first.now, ...watched.map(({ record }) => record.status.startedAt));
  const watch = new RolloutWatch(start);
  const picture = new LivePicture((name, wave) => watch.timesOf(name, wave));
  const isDrawn = asked.output !== 'json' && io.isTerminal === true;
  const show = isDrawn ? drawer(io, picture, start) : printer(io, asked);
  const begun = watch.read(first, watched);
  for (const event of begun) picture.watch(event, false);
  show(isDrawn ? [] : begun.filter(({ kind }) => kind !== 'cluster'));
  let askedAt = first.now;
  const askEvery = Math.max(ASKED_EVERY_MS, first.clusters.size * PER_CLUSTER_MS);
  while (!isStopped && !watch.isOver) {
    await pause(isDrawn ? FRAME_MS : askEvery);
    let events: readonly FleetEvent[] = [];
    if (!isStopped && Date.now() - askedAt >= askEvery) {
      const fleet = await readFleet(hub, new Date());
      askedAt = fleet.now;
      events = watch.read(fleet, chosen(fleet));
      for (const event of events) picture.watch(event);
    }
    show(events);
  }
  io.exit(ExitCode.done);
}

const turnOf = (kind: string): number => (kind === 'cluster' ? 1 : 0);

/** Returns the start time of a wave or cluster that is there already, as far as it is known. */
function beganAt({ record }: LiveRollout, { kind, cluster, wave }: EventFacts): number | undefined {
  const at = record.spec.waves.findIndex(({ name }) => name === wave);
  if (kind === 'wave') return record.status.waves[at]?.openedAt;
  const row = kind === 'cluster' ? record.rows.get(cluster ?? '') : undefined;
  if (row?.deadlineAt === undefined) return row?.doneAt;
  return row.doneAt ?? row.deadlineAt - durationMs(record.spec.waves[at]?.spec.progressDeadline ?? '30m');
}

type Choice = (fleet: LiveFleet) => readonly LiveRollout[];

/** Returns a choice of rollouts: the named one, otherwise all active ones. */
function choice(first: LiveFleet, { rollout, namespace }: RolloutsAsked): Choice {
  if (rollout !== undefined) {
    const { name } = meantRollout(first, rollout, namespace).record.spec;
    return (fleet) => fleet.rollouts.filter(({ record }) => record.spec.name === name);
  }
  const seen = new Set<string>();
  return (fleet) =>
    fleet.rollouts.filter(({ record }) => {
      const { name } = record.spec;
      if (namespace !== undefined && !name.startsWith(`${namespace}/`)) return false;
      if (!isFinal(record.status.phase)) seen.add(name);
      return seen.has(name);
    });
}

function drawer(io: Io, picture: LivePicture, start: number): (events: readonly FleetEvent[]) => void {
  const screen = new RedrawnPicture(io);
  return () => screen.draw(picture, (Date.now() - start) / 1_000);
}

const printer =
  (io: Io, { output }: RolloutsAsked): ((events: readonly FleetEvent[]) => void) =>
  (events) => {
    for (const event of events) io.out(output === 'json' ? `${JSON.stringify(event)}\n` : `${eventLine(event)}\n`);
  };
