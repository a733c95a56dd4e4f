import { expect } from 'vitest';
import type { FleetDecision } from '#core/kernel/api/fleet/fleet-decision';
import type { FleetRolloutStatus } from '#core/kernel/api/fleet/fleet-rollout';
import type { FleetEvent } from '#core/rollout/controller/record/event-log';
import type { RolloutRecord } from '#core/rollout/controller/record/rollout-record';
import { type DecisionReason, isRetriedAnew } from '#core/rollout/controller/step/decisions';
import type { RolloutFacts } from '#core/rollout/controller/step/facts';
import { isFinal } from '#core/rollout/controller/step/phases';
import type { RolloutStatus } from '#core/rollout/controller/step/rollout-state';
import type { FleetScenario } from '#core/rollout/simulation/scenario';
import { checkedByInstants } from '#core/rollout/simulation/simulate-checked';
import type { RunSummary } from '#core/rollout/simulation/summary';
import type { FleetRun } from '#core/rollout/simulation/virtual-hub';
import {
  decisionEvent,
  lapseEvents,
  phaseEvent,
  type RolloutEvent,
  waveEvents,
} from '#core/rollout/status/rollout-events';
import { rolloutStatus } from '#core/rollout/status/rollout-status';
import { withWithdrawal } from '#core/rollout/status/withdrawn-condition';
import { eventText, rowText, type StoryEnd, statusText } from './story-end.fixture.js';

/** The statuses and Events that a hub would have written in a rehearsal. */
class RehearsedHub {
  readonly statuses = new Map<string, FleetRolloutStatus>();
  readonly events = new Set<string>();
  readonly #before = new Map<RolloutRecord, RolloutStatus>();

  note({ hub, world }: Omit<FleetRun, 'end'>): void {
    for (const record of hub.records) {
      const { spec, status, subject } = record;
      if (record.isNew) continue;
      const name = spec.name.slice(subject.namespace.length + 1);
      const before = this.#before.get(record);
      this.#before.set(record, status);
      const written = rolloutStatus(record, this.statuses.get(name) ?? {}, world.now);
      this.statuses.set(name, withTarget(written, record, hub.factsOf(record), world.now));
      const waves = spec.waves.map((wave) => wave.name);
      // Live, clusters have planned before there is a rollout.
      const moved = phaseEvent(name, before, status);
      const phase = moved?.reason === 'Planning' ? undefined : moved;
      const about = [...waveEvents(before, status, waves), ...lapseEvents(before, status), ...(phase ? [phase] : [])];
      for (const event of about) this.#say(name, event);
      const isThere = subject.kind === 'FleetOperator' && hub.files.subjects.has(subject.key);
      if (phase !== undefined && isThere) this.#say(subject.key.split('/')[2] ?? '', phase);
    }
  }

  decided({ rollout, phase, reason, by: user, message, wave }: FleetEvent): void {
    const spec = { action: phase, by: { user }, reason: message, ...(wave === null ? {} : { wave }) };
    const event = decisionEvent(spec as FleetDecision['spec'], { reason: reason as DecisionReason });
    this.#say(rollout?.split('/')[1] ?? '', event);
  }

  #say(name: string, event: RolloutEvent): void {
    this.events.add(eventText({ ...event, involvedObject: { name } }));
  }
}

/** Says that the target was withdrawn, or is offered again, as the live controller does. */
function withTarget(
  status: FleetRolloutStatus,
  { status: { phase }, spec: { target } }: RolloutRecord,
  facts: RolloutFacts | undefined,
  now: number,
): FleetRolloutStatus {
  if (facts === undefined || (isFinal(phase) && !isRetriedAnew({ phase }, facts))) return status;
  const isWithdrawn = facts.isTargetWithdrawn && !facts.hasQueued;
  const known = { target, isWithdrawn, at: new Date(now).toISOString() };
  return { ...status, conditions: [...withWithdrawal(status.conditions, known)] };
}

/** Returns the end of the same story in a rehearsal. */
export function rehearsed(scenario: FleetScenario): StoryEnd {
  const decided: FleetEvent[] = [];
  const hub = new RehearsedHub();
  const runs: Omit<FleetRun, 'end'>[] = [];
  const noteDecision = (event: FleetEvent) => event.kind === 'decision' && decided.push(event);
  const instants = checkedByInstants(scenario, noteDecision, (run) => runs.push(run));
  let summary: RunSummary | undefined;
  while (summary === undefined) {
    const { done, value } = instants.next();
    for (const run of runs) hub.note(run);
    if (done === true) summary = value;
  }
  expect(summary.invariants.violations).toEqual([]);
  for (const event of decided) hub.decided(event);
  const statuses = [...hub.statuses].map(([name, status]) => [name, statusText(status)]);
  const records = runs.flatMap(({ hub }) => hub.records);
  const subjects = runs.flatMap(({ hub }) => [...hub.files.subjects.keys()]);
  return {
    statuses: JSON.parse(JSON.stringify(Object.fromEntries(statuses))) as StoryEnd['statuses'],
    rows: records.flatMap(({ spec, rows }) => [...rows.values()].map((row) => rowText(spec.name, row))).sort(),
    installed: summary.clusters
      .flatMap(({ name, installed }) => subjects.map((key) => `${name} ${key} ${installed[key] ?? null}`))
      .sort(),
    decisions: decided.map(({ phase, reason }) => `${phase} ${reason}`),
    events: [...hub.events].sort(),
  };
}
