import type { FleetEvent } from '../controller/record/event-log.js';
import { InvariantCheck, type InvariantFacts, type LoggedRules } from '../invariants/invariants.js';
import { durationMs } from '../placement/waves.js';
import type { FleetScenario } from './scenario.js';
import { simulateByInstants } from './simulate.js';
import type { RunSummary } from './summary.js';
import type { FleetRun } from './virtual-hub.js';
import type { VirtualRollout } from './virtual-rollout.js';

/** Plays a scenario and holds every event against the invariants. */
export function simulateChecked(...played: Parameters<typeof checkedByInstants>): RunSummary {
  const instants = checkedByInstants(...played);
  for (;;) {
    const { done, value } = instants.next();
    if (done === true) return value;
  }
}

/** Runs {@link simulateChecked} step by step, one instant of the virtual clock a step. */
export function* checkedByInstants(
  scenario: FleetScenario,
  emit: (event: FleetEvent) => void,
  begins: (run: Omit<FleetRun, 'end'>) => void = () => undefined,
): Generator<undefined, RunSummary> {
  const rules = new Map<VirtualRollout, LoggedRules>();
  let handle: Omit<FleetRun, 'end'> | undefined;
  const record = (name: string): VirtualRollout | undefined =>
    handle?.hub.records.find(({ spec }) => spec.name === name);
  const facts: InvariantFacts = {
    rules: (name) => {
      const found = record(name);
      if (found === undefined) return undefined;
      const known = rules.get(found);
      if (known !== undefined && known.waves.size === found.spec.waves.length) return known;
      rules.set(found, rulesOf(found, handle));
      return rules.get(found);
    },
    isByHand: (cluster, subject, bundle) => handle?.world.clusters.get(cluster)?.byHand.get(subject) === bundle,
    isHeld: (name, cluster, isStart) => {
      const found = record(name);
      return found !== undefined && handle?.hub.isHeld(found, cluster, isStart) === true;
    },
  };
  const check = new InvariantCheck(facts);
  const summary = yield* simulateByInstants(
    scenario,
    (event) => {
      check.watch(event);
      emit(event);
    },
    (run) => {
      handle = run;
      begins(run);
    },
  );
  return { ...summary, invariants: { checked: check.checked, violations: check.violations } };
}

function rulesOf(record: VirtualRollout, handle: Omit<FleetRun, 'end'> | undefined): LoggedRules {
  const { spec, subject } = record;
  const waves = spec.waves.map(({ name, spec: wave }) => {
    const { failureThreshold, requireSuccesses, maxConcurrent, soak, offline } = wave;
    const offlineGrace = durationMs(wave.offlineGrace) / 1000;
    const times = { soak: durationMs(soak), offlineGrace };
    return [name, { failureThreshold, requireSuccesses, maxConcurrent, offline, ...times }] as const;
  });
  return {
    subject: spec.subject,
    place: subject.place === undefined ? subject.key : `namespace ${subject.place.namespace}`,
    rollbackConcurrency: spec.strategy.rollbackConcurrency,
    chosen: () => record.chosen,
    returnBlocked: handle?.world.target(spec.subject, spec.target)?.returnBlocked,
    waves: new Map(waves),
  };
}
