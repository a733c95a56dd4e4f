import { type FoundCondition } from '../../kernel/conditions/condition-list.js';
import { counted } from '../../kernel/text/counted.js';
import type { RolloutPhase } from '../controller/step/phases.js';
import type { SubjectProblem } from '../placement/subject-problem.js';

/** A rollout of a FleetOperator, as its status sums it up. */
export type SummedRollout = Readonly<{
  name: string;
  phase: RolloutPhase;
  reason: string;
  failed: number;
  inFlight: number;
  /** A plan class waits for an approval. */
  isAsking: boolean;
}>;

/** A cluster, and why it is named. */
type Affected = Readonly<{ cluster: string; because: string }>;

/** The state of a FleetOperator in its clusters, by their names. */
export type OperatorSummary = Readonly<{
  isPaused: boolean;
  active: SummedRollout | undefined;
  /** A target waits for the end of the active rollout. */
  hasQueued: boolean;
  newest: SummedRollout | undefined;
  installed: number;
  unhealthy: readonly string[];
  /** Clusters that plan another version than the installed one. */
  updatable: readonly string[];
  drifted: readonly string[];
  /** Clusters with an installed bundle that their catalogs deprecate. */
  deprecated: readonly Affected[];
  conflicting: readonly Affected[];
}>;

/** Clusters that a message names; the rest is counted. */
const MOST_NAMED = 5;

/** `2 clusters (shop-1, shop-2)`. */
export function namedClusters(names: readonly string[]): string {
  const more = names.length > MOST_NAMED ? ', …' : '';
  return `${counted(names.length, 'cluster')} (${names.slice(0, MOST_NAMED).join(', ')}${more})`;
}

/** The conditions of a FleetOperator that follow from its rollouts and its clusters. */
export function operatorConditions(found: OperatorSummary): FoundCondition[] {
  const { unhealthy, updatable, drifted, deprecated, conflicting, installed } = found;
  return [
    progressing(found),
    installed === 0
      ? { type: 'Available', status: 'False', reason: 'NotInstalled', message: '' }
      : whereAny('Available', unhealthy, 'False', 'SomeUnhealthy', 'AllHealthy'),
    degraded(found),
    whereAny('UpdateAvailable', updatable, 'True', 'Planned', 'UpToDate'),
    whereAny('Drifted', drifted, 'True', 'ChangedByOthers', 'AsApplied'),
    whereAffected('Deprecated', deprecated, 'Deprecated', 'NotDeprecated'),
    whereAffected('Conflict', conflicting, 'InTheWay', 'NoConflict'),
  ];
}

/** Conditions of a Staged FleetCatalog; Ready is the poller's. */
const OF_CATALOGS: ReadonlySet<string> = new Set(['Progressing', 'Conflict']);

/** True if the rollouts of a Staged FleetCatalog write a condition of this type. */
export const isOfCatalogs = ({ type }: Readonly<{ type: string }>): boolean => OF_CATALOGS.has(type);

/** The conditions of a Staged FleetCatalog. `problem`: the reason why no rollout of it begins. */
export const stagedCatalogConditions = (
  conditions: readonly FoundCondition[],
  problem: SubjectProblem | undefined,
): FoundCondition[] =>
  conditions
    .filter(isOfCatalogs)
    .map((one) => (one.reason === 'InTheWay' ? { ...one, reason: 'NameTaken' } : one))
    .map((one) => (problem && one.reason === 'UpToDate' ? { ...one, ...problem } : one));

/** Returns a condition that is True if any cluster is affected. The message is that of the first one. */
function whereAffected(type: string, all: readonly Affected[], reason: string, otherwise: string): FoundCondition {
  const [first] = all;
  if (first === undefined) return { type, status: 'False', reason: otherwise, message: '' };
  const names = namedClusters(all.map(({ cluster }) => cluster));
  return { type, status: 'True', reason, message: `${names}: ${first.because}` };
}

/** Returns a condition that has `status` if any cluster has the problem, and names these clusters. */
function whereAny(
  type: string,
  names: readonly string[],
  status: 'True' | 'False',
  reason: string,
  otherwise: string,
): FoundCondition {
  if (names.length > 0) return { type, status, reason, message: namedClusters(names) };
  return { type, status: status === 'True' ? 'False' : 'True', reason: otherwise, message: '' };
}

function progressing({ isPaused, active, hasQueued }: OperatorSummary): FoundCondition {
  const is = (status: 'True' | 'False', reason: string, message = ''): FoundCondition => ({
    ...{ type: 'Progressing', status, reason, message },
  });
  if (isPaused) return is('False', 'Paused');
  if (active === undefined) return hasQueued ? is('True', 'Queued') : is('False', 'UpToDate');
  const { name, phase, reason, isAsking, inFlight } = active;
  if (phase === 'Paused' || phase === 'Halted') return is('False', phase, `${name}: ${reason}`);
  return is('True', isAsking && inFlight === 0 ? 'AwaitingApproval' : 'RollingOut', name);
}

function degraded({ newest }: OperatorSummary): FoundCondition {
  const type = 'Degraded';
  if (newest?.phase === 'RolledBack') {
    return { type, status: 'True', reason: 'RolledBack', message: `${newest.name}: ${newest.reason}` };
  }
  if (newest === undefined || newest.failed === 0) {
    return { type, status: 'False', reason: 'NoneFailed', message: '' };
  }
  return {
    type,
    status: 'True',
    reason: 'ClustersFailed',
    message: `${newest.name}: ${counted(newest.failed, 'cluster')}`,
  };
}
