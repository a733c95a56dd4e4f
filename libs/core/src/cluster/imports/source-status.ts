import type { FleetClusterSourceStatus } from '../../kernel/api/fleet/fleet-cluster-source.js';
import { MOST_LISTED } from '../../kernel/api/fleet/fleet-cluster-source.js';
import { sameJson } from '../../kernel/canonical/same-json.js';
import { type FoundCondition, mergedConditions, type StoredCondition } from '../../kernel/conditions/condition-list.js';
import { counted } from '../../kernel/text/counted.js';
import type { ImportPlan } from './plan-import.js';

/** Every condition of a FleetClusterSource. */
export const SOURCE_CONDITIONS = ['AllPresent', 'Complete', 'Ready'] as const;

/** The reason why a source is not in step. `role`: the right that its reader needs, as YAML. */
export type SourceTrouble = Readonly<{
  reason: 'Forbidden' | 'NotServed' | 'Unreachable' | 'WriteRefused' | 'Paused' | 'NeedsHubAPI' | 'InvalidSpec';
  message: string;
  role?: string | undefined;
}>;

type SourceFinding = Readonly<{
  generation: number | undefined;
  /** Absent: the objects of the tool are not known. */
  plan?: Pick<ImportPlan, 'refused' | 'left'> & Readonly<{ written: number }>;
  trouble?: SourceTrouble | undefined;
}>;

const LONGEST_TEXT = 1_024;
const NAMED = 3;

/** Returns the status of a source after it was read. Returns the same object if nothing changed. */
export function sourceStatus(
  before: FleetClusterSourceStatus,
  { generation, plan, trouble }: SourceFinding,
  at: string,
): FleetClusterSourceStatus {
  const known = (before.conditions ?? []) as readonly StoredCondition[];
  const found = [
    readiness(trouble, plan?.written ?? 0),
    ...(plan === undefined ? [] : [completeness(plan), presence(plan)]),
  ];
  const conditions = [...mergedConditions(known, found, at)];
  const { role: _role, ...kept } = before;
  const after: FleetClusterSourceStatus = {
    ...kept,
    ...(generation === undefined ? {} : { observedGeneration: generation }),
    ...(plan === undefined ? {} : listed(before, plan, at)),
    ...(trouble?.role === undefined ? {} : { role: trouble.role }),
    conditions,
  };
  return sameJson(before, after) ? before : after;
}

function listed(
  before: FleetClusterSourceStatus,
  { refused, left, written }: NonNullable<SourceFinding['plan']>,
  at: string,
) {
  const since = new Map((before.left ?? []).map((one) => [one.cluster, one.since]));
  return {
    clusters: written,
    refused: refused
      .slice(0, MOST_LISTED)
      .map(({ origin, refused: why }) => ({ object: cut(origin), message: cut(why) })),
    refusedCount: refused.length,
    left: left.slice(0, MOST_LISTED).map((cluster) => ({ cluster, since: since.get(cluster) ?? at })),
    leftCount: left.length,
  };
}

const cut = (text: string): string => text.slice(0, LONGEST_TEXT);

const readiness = (trouble: SourceTrouble | undefined, clusters: number): FoundCondition =>
  trouble === undefined
    ? { type: 'Ready', status: 'True', reason: 'InStep', message: `${counted(clusters, 'cluster')} in step` }
    : { type: 'Ready', status: 'False', reason: trouble.reason, message: cut(trouble.message) };

function completeness({ refused }: Pick<ImportPlan, 'refused'>): FoundCondition {
  if (refused.length === 0) return { type: 'Complete', status: 'True', reason: 'AllTaken', message: '' };
  const named = refused.slice(0, NAMED).map(({ origin, refused: why }) => `${origin}: ${why}`);
  const message = cut(`${counted(refused.length, 'object')} not taken: ${named.join('; ')}${more(refused.length)}`);
  return { type: 'Complete', status: 'False', reason: 'SomeRefused', message };
}

function presence({ left }: Pick<ImportPlan, 'left'>): FoundCondition {
  if (left.length === 0) return { type: 'AllPresent', status: 'True', reason: 'NoneLeft', message: '' };
  const named = left.slice(0, NAMED).join(', ');
  const message = `${counted(left.length, 'FleetCluster')} of clusters that have left: ${named}${more(left.length)}; they stay until people delete them`;
  return { type: 'AllPresent', status: 'False', reason: 'ClustersLeft', message: cut(message) };
}

const more = (count: number): string => (count > NAMED ? ` and ${count - NAMED} more` : '');
