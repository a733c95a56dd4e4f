import { type SubjectProblem, subjectProblem } from '#core/fleet/placement/subject-problem';
import type { FleetSubject } from '#core/fleet/simulation/subjects';
import { type FoundCondition, mergedConditions, type StoredCondition } from '#core/fleet/status/conditions';
import { windowTimes } from '#core/fleet/windows/window-answer';
import type { WindowRules } from '#core/fleet/windows/window-rules';
import type { FleetOperator } from '#core/kernel/api/fleet/fleet-operator';
import type { FleetWindow } from '#core/kernel/api/fleet/fleet-window';
import type { KubernetesObject } from '#core/kernel/api/kubernetes-object';
import { sameJson } from '#core/kernel/canonical/same-json';
import { counted } from '#core/kernel/text/counted';
import { KubeApiError, type KubeClient } from '#platform/kube/client/kube-client.port';
import type { LiveFleet } from './live-fleet.js';
import { RESOLUTION_FAILED } from './order-place.js';

/** Clusters that a message names; the rest is counted. */
const MOST_NAMED = 5;

type WithConditions = Readonly<{ conditions?: readonly StoredCondition[] }>;

/** Why no roll-out of a subject begins; undefined where one may. */
export function problemOf(subject: FleetSubject, { operators, state }: LiveFleet): SubjectProblem | undefined {
  const operator = operators.get(subject.key);
  if (operator === undefined) return undefined;
  const names = (objects: readonly Readonly<{ metadata: Readonly<{ name: string; namespace: string }> }>[]) =>
    new Set(objects.map(({ metadata }) => `${metadata.namespace}/${metadata.name}`));
  return subjectProblem(operator, { strategies: names(state.strategies), catalogs: names(state.catalogs) });
}

/** Writes the conditions of FleetOperators and the times of FleetWindows, as far as they have changed. */
export async function writeStatuses(hub: KubeClient, fleet: LiveFleet): Promise<void> {
  const at = new Date(fleet.now).toISOString();
  for (const subject of fleet.files.subjects.values()) {
    const operator = fleet.operators.get(subject.key);
    if (operator === undefined) continue;
    const before = (operator.status ?? {}) as WithConditions;
    const conditions = mergedConditions(before.conditions ?? [], operatorConditions(subject, fleet), at);
    if (conditions !== before.conditions && conditions.length > 0) {
      await writeStatus(hub, operator, { ...before, conditions });
    }
  }
  for (const window of fleet.state.windows) {
    const rules = fleet.files.windows.find(({ name }) => name === window.metadata.name);
    if (rules === undefined) continue;
    const before = (window.status ?? {}) as WithConditions;
    const status = windowStatus(before, rules, fleet, at);
    if (!sameJson(status, before)) await writeStatus(hub, window, status);
  }
}

function operatorConditions(subject: FleetSubject, fleet: LiveFleet): FoundCondition[] {
  const targets = fleet.targetsOf(subject);
  const drifted = targets.filter((cluster) => cluster.report(subject.key)?.drift === true);
  return [
    resolved(subject, fleet),
    drifted.length === 0
      ? { type: 'Drifted', status: 'False', reason: 'AsApplied', message: '' }
      : { type: 'Drifted', status: 'True', reason: 'ChangedByOthers', message: named(drifted) },
  ];
}

function resolved(subject: FleetSubject, fleet: LiveFleet): FoundCondition {
  const unresolved = (reason: string, message: string): FoundCondition => ({
    ...{ type: 'Resolved', status: 'False', reason, message },
  });
  const problem = problemOf(subject, fleet);
  if (problem !== undefined) return unresolved(problem.reason, problem.message);
  const targets = fleet.targetsOf(subject);
  if (targets.length === 0) return unresolved('NothingSelected', 'no cluster is selected: nothing is rolled out');
  const failed = targets.filter((cluster) => cluster.report(subject.key)?.reason === RESOLUTION_FAILED);
  const [first] = failed;
  if (first === undefined) return { type: 'Resolved', status: 'True', reason: 'Planned', message: '' };
  return unresolved(RESOLUTION_FAILED, `${named(failed)}: ${first.report(subject.key)?.message ?? ''}`);
}

/** `2 clusters (shop-1, shop-2)`. */
function named(clusters: readonly Readonly<{ name: string }>[]): string {
  const names = clusters.slice(0, MOST_NAMED).map(({ name }) => name);
  const more = clusters.length > MOST_NAMED ? ', …' : '';
  return `${counted(clusters.length, 'cluster')} (${names.join(', ')}${more})`;
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
          message: `${rules.problem}; until then it holds what it may concern`,
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
    // It has changed in between, or is gone: the next pass sees that.
    if (!KubeApiError.is(error, 'Conflict', 'NotFound')) throw error;
  }
}
