import type { Counts } from '../step/tally.js';

type EventKind = 'rollout' | 'wave' | 'cluster' | 'class' | 'gate' | 'decision' | 'write' | 'world' | 'controller';

/** One line of the event log. Its keys are a contract: all are present, in this order. */
export type FleetEvent = Readonly<{
  type: 'event';
  seq: number;
  /** Seconds since the start, with at most three decimals. */
  t: number;
  time: string;
  kind: EventKind;
  rollout: string | null;
  subject: string | null;
  wave: string | null;
  cluster: string | null;
  class: string | null;
  attempt: number | null;
  hop: number | null;
  bundle: string | null;
  from: string | null;
  phase: string;
  reason: string;
  message: string;
  by: string | null;
  inFlight: number | null;
  limit: number | null;
  counts: Counts | null;
}>;

/** The facts of an event. The remaining fields are null or empty. */
export type EventFacts = Pick<FleetEvent, 'kind' | 'phase'> & Partial<Omit<FleetEvent, 'type' | 'seq' | 't' | 'time'>>;

/** Numbers the events of a run and gives them their time. */
export class EventLog {
  #seq = 0;

  constructor(
    readonly start: number,
    readonly emit: (event: FleetEvent) => void,
  ) {}

  get count(): number {
    return this.#seq;
  }

  add(now: number, facts: EventFacts): void {
    this.emit({
      type: 'event',
      seq: ++this.#seq,
      t: (now - this.start) / 1000,
      time: new Date(now).toISOString(),
      kind: facts.kind,
      rollout: facts.rollout ?? null,
      subject: facts.subject ?? null,
      wave: facts.wave ?? null,
      cluster: facts.cluster ?? null,
      class: facts.class ?? null,
      attempt: facts.attempt ?? null,
      hop: facts.hop ?? null,
      bundle: facts.bundle ?? null,
      from: facts.from ?? null,
      phase: facts.phase,
      reason: facts.reason ?? '',
      message: facts.message ?? '',
      by: facts.by ?? null,
      inFlight: facts.inFlight ?? null,
      limit: facts.limit ?? null,
      counts: facts.counts ?? null,
    });
  }
}
