import { fleetKey } from '#core/kernel/api/fleet/fleet-kinds';
import type { FleetOperator } from '#core/kernel/api/fleet/fleet-operator';
import type { FleetWindow } from '#core/kernel/api/fleet/fleet-window';
import type { KubernetesObject } from '#core/kernel/api/kubernetes-object';
import { sameJson } from '#core/kernel/canonical/same-json';
import { type FoundCondition, mergedConditions, type StoredCondition } from '#core/kernel/conditions/condition-list';
import { RESOLUTION_FAILED } from '#core/rollout/controller/facts/report-reasons';
import type { FleetSubject } from '#core/rollout/controller/record/subjects';
import type { SubjectProblem } from '#core/rollout/placement/subject-problem';
import { namedClusters } from '#core/rollout/status/operator-conditions';
import { selectorFailureText } from '#core/rollout/status/selector-failures';
import { windowTimes } from '#core/rollout/windows/window-answer';
import type { WindowRules } from '#core/rollout/windows/window-rules';
import { KubeApiError, type KubeClient } from '#platform/kube/client/kube-client.port';
import type { LiveFleet } from '../state/live-fleet.js';
import { writeCatalogStatus } from './catalog-status.js';
import { type OperatorFigures, operatorFigures } from './operator-status.js';

type WithConditions = Readonly<{ conditions?: readonly StoredCondition[] }>;

/** Returns the reason why no rollout of a subject begins. Undefined if one may. */
export const problemOf = ({ key }: FleetSubject, { files, held }: LiveFleet): SubjectProblem | undefined =>
  held.holdOf(key) ?? files.problemOf(key);

/** Interval for writing a status if numbers alone change. */
const FIGURES_EVERY_MS = 2_000;

/**
 * Writes the state of FleetOperators and the times of FleetWindows, if they have changed. `written`: the time
 * of the last write of each FleetOperator. Returns the time at which waiting numbers are due.
 */
export async function writeStatuses(
  hub: KubeClient,
  fleet: LiveFleet,
  written: Map<string, number>,
): Promise<number | undefined> {
  const at = new Date(fleet.now).toISOString();
  let dueAt: number | undefined;
  for (const subject of fleet.files.subjects.values()) {
    const next = (written.get(subject.key) ?? Number.NEGATIVE_INFINITY) + FIGURES_EVERY_MS;
    const outcome = await writeSubject(hub, subject, fleet, { at, mayWriteNumbers: next <= fleet.now });
    if (outcome === 'written') written.set(subject.key, fleet.now);
    else if (outcome === 'owed') dueAt = Math.min(dueAt ?? next, next);
  }
  await writeWindows(hub, fleet, at);
  return dueAt;
}

async function writeSubject(
  hub: KubeClient,
  subject: FleetSubject,
  fleet: LiveFleet,
  { at, mayWriteNumbers }: Readonly<{ at: string; mayWriteNumbers: boolean }>,
): Promise<'same' | 'written' | 'owed'> {
  const operator = fleet.operators.get(subject.key);
  if (operator === undefined) {
    const catalog = fleet.state.catalogs.find((one) => fleetKey(one) === subject.key);
    return catalog === undefined
      ? 'same'
      : writeCatalogStatus(hub, subject, catalog, fleet, {
          mayWriteNumbers,
          problem: problemOf(subject, fleet),
        });
  }
  const { before, after, isUrgent } = operatorStatus(subject, operator, fleet, at);
  if (sameJson(after, before)) return 'same';
  if (!isUrgent && !mayWriteNumbers) return 'owed';
  await writeStatus(hub, operator, after);
  return 'written';
}

async function writeWindows(hub: KubeClient, fleet: LiveFleet, at: string): Promise<void> {
  const unreadable = fleet.state.unreadable.filter(({ kind }) => kind === 'FleetWindow');
  for (const window of [...fleet.state.windows, ...unreadable.map(({ object }) => object as unknown as FleetWindow)]) {
    const rules = fleet.files.windows.find(({ name }) => name === window.metadata.name);
    if (rules === undefined) continue;
    const before = (window.status ?? {}) as WithConditions;
    const status = windowStatus(before, rules, fleet, at);
    if (!sameJson(status, before)) await writeStatus(hub, window, status);
  }
}

/** `isUrgent`: more than numbers and texts has changed. */
function operatorStatus(subject: FleetSubject, { status }: FleetOperator, fleet: LiveFleet, at: string) {
  const before = (status ?? {}) as WithConditions & Partial<OperatorFigures>;
  const { conditions: found, figures } = operatorFigures(subject, fleet);
  const conditions = mergedConditions(before.conditions ?? [], [resolved(subject, fleet), ...found], at);
  // As stored: unknown values are left out.
  const after = JSON.parse(JSON.stringify({ ...before, ...figures, conditions })) as typeof before;
  const isUrgent = !sameJson(urgentOf(before), urgentOf(after));
  return { before, after, isUrgent };
}

const urgentOf = ({
  active,
  standing,
  denied,
  conditions = [],
}: WithConditions & Partial<OperatorFigures>): unknown => ({
  ...{ active: active ?? null, standing: standing ?? null, denied: denied ?? [] },
  conditions: conditions.map(({ type, status, reason }) => `${type} ${status} ${reason}`),
});

function resolved(subject: FleetSubject, fleet: LiveFleet): FoundCondition {
  const unresolved = (reason: string, message: string): FoundCondition => ({
    ...{ type: 'Resolved', status: 'False', reason, message },
  });
  const problem = problemOf(subject, fleet);
  if (problem !== undefined) return unresolved(problem.reason, problem.message);
  const targets = fleet.targetsOf(subject);
  const failing = selectorFailureText(fleet.selectorFailures(subject));
  if (targets.length === 0) {
    if (failing !== undefined) return unresolved('SelectorFails', `nothing is rolled out: ${failing}`);
    return unresolved('NothingSelected', 'no cluster is selected: nothing is rolled out');
  }
  const failed = targets.filter((cluster) => cluster.report(subject.key)?.reason === RESOLUTION_FAILED);
  const [first] = failed;
  if (first === undefined) return { type: 'Resolved', status: 'True', reason: 'Planned', message: failing ?? '' };
  return unresolved(
    RESOLUTION_FAILED,
    `${namedClusters(failed.map(({ name }) => name))}: ${first.report(subject.key)?.message ?? ''}`,
  );
}

function windowStatus(before: WithConditions, rules: WindowRules, fleet: LiveFleet, at: string): object {
  const { isActive, start, end } = windowTimes(rules, fleet.now);
  const next = isActive ? (end === undefined ? undefined : windowTimes(rules, end).start) : start;
  const time = (ms: number | undefined) => (ms === undefined ? undefined : new Date(ms).toISOString());
  const valid: FoundCondition =
    rules.problem === undefined
      ? { type: 'Valid', status: 'True', reason: 'Read', message: '' }
      : {
          type: 'Valid',
          status: 'False',
          reason: 'Unreadable',
          message: `${rules.problem}; until then it blocks all changes that it may concern`,
        };
  return {
    active: isActive,
    nextStart: time(next),
    nextEnd: time(end),
    clusters: [...fleet.clusters.values()].filter((cluster) => rules.selects(cluster)).length,
    conditions: mergedConditions(before.conditions ?? [], [valid], at),
  };
}

async function writeStatus(hub: KubeClient, object: FleetOperator | FleetWindow, status: object): Promise<void> {
  try {
    await hub.updateStatus(JSON.parse(JSON.stringify({ ...object, status })) as KubernetesObject);
  } catch (error) {
    // It has changed in between, or is gone: the next pass sees that. An older API server refuses each write
    // to an object that does not follow its schema.
    if (!KubeApiError.is(error, 'Conflict', 'NotFound', 'Invalid')) throw error;
  }
}
