import type { FleetEvent } from '#core/rollout/controller/record/event-log';
import { durationMs } from '#core/rollout/placement/waves';
import type { FleetScenario } from '#core/rollout/simulation/scenario';
import { checkedByInstants } from '#core/rollout/simulation/simulate-checked';
import type { RunSummary } from '#core/rollout/simulation/summary';
import type { Io } from '../../../terminal/io.js';
import { summaryText } from '../picture/event-text.js';
import { LivePicture, type WaveTimes } from '../picture/live-picture.js';
import { type PlayedEvents, playLive } from './play-live.js';
import { NotesAfter } from './simulation-notes.js';

/** The events of a scenario, computed on request: a large one is soon shown. */
class ComputedEvents implements PlayedEvents {
  readonly #instants: Generator<undefined, RunSummary>;
  #ahead: FleetEvent[] = [];
  #summary: RunSummary | undefined;
  timesOf: (rollout: string, wave: string) => WaveTimes | undefined = () => undefined;
  end = 0;

  constructor(
    scenario: FleetScenario,
    readonly seen: (event: FleetEvent) => void,
  ) {
    this.#instants = checkedByInstants(
      scenario,
      (event) => {
        this.#ahead.push(event);
        this.end = event.t;
      },
      ({ hub }) => {
        this.timesOf = (rollout, name) => {
          const record = hub.records.find(({ spec }) => spec.name === rollout);
          const rules = record?.spec.waves.find((wave) => wave.name === name)?.spec;
          if (rules === undefined) return undefined;
          return { soak: durationMs(rules.soak) / 1000, progressDeadline: durationMs(rules.progressDeadline) / 1000 };
        };
      },
    );
  }

  get isComplete(): boolean {
    return this.#summary !== undefined;
  }

  /** @throws RangeError before the scenario has ended */
  get summary(): RunSummary {
    if (this.#summary === undefined) throw new RangeError('the scenario has not ended yet');
    return this.#summary;
  }

  upTo(now: number): readonly FleetEvent[] {
    while (this.#summary === undefined && this.end <= now) {
      const { done, value } = this.#instants.next();
      if (done === true) this.#summary = value;
    }
    const later = this.#ahead.findIndex(({ t }) => t > now);
    const due = later < 0 ? this.#ahead : this.#ahead.slice(0, later);
    this.#ahead = later < 0 ? [] : this.#ahead.slice(later);
    for (const event of due) this.seen(event);
    return due;
  }
}

/** Plays a scenario, and shows its progress. */
export async function watchSimulation(scenario: FleetScenario, speed: number, io: Io): Promise<RunSummary> {
  const after = new NotesAfter();
  const events = new ComputedEvents(scenario, (event) => after.watch(event));
  await playLive(events, new LivePicture((rollout, wave) => events.timesOf(rollout, wave)), io, speed);
  const { summary } = events;
  for (const note of after.notes(summary)) io.err(`note: ${note}\n`);
  io.out(summaryText(summary));
  return summary;
}
