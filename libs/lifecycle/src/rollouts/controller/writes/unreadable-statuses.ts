import { type UnreadableObject, unreadableKey, unreadableText } from '#core/kernel/api/fleet/unreadable-object';
import type { KubernetesObject } from '#core/kernel/api/kubernetes-object';
import { sameJson } from '#core/kernel/canonical/same-json';
import { type FoundCondition, mergedConditions, type StoredCondition } from '#core/kernel/conditions/condition-list';
import { KubeApiError, type KubeClient } from '#platform/kube/client/kube-client.port';
import type { Log } from '#platform/telemetry/log.port';
import type { LiveFleet } from '../state/live-fleet.js';

type WithConditions = Readonly<{ conditions?: readonly StoredCondition[] }>;

/** The condition of each kind that reports if it can be read. The one of windows comes with times. */
const CONDITIONS: Readonly<Record<string, string>> = {
  FleetOperator: 'Resolved',
  FleetCatalog: 'Progressing',
  FleetStrategy: 'Valid',
};
const VALID: FoundCondition = { type: 'Valid', status: 'True', reason: 'Read', message: '' };

/** Writes conditions: that a FleetStrategy can be read, and that other objects of users cannot. */
export async function writeReadability(hub: KubeClient, fleet: LiveFleet, log: Log): Promise<void> {
  const at = new Date(fleet.now).toISOString();
  for (const strategy of fleet.state.strategies) {
    await writeCondition(hub, strategy, VALID, at, log);
  }
  for (const one of fleet.state.unreadable) {
    if (one.kind === 'FleetDecision') await refuseDecision(hub, one, at, log);
    const type = CONDITIONS[one.kind];
    if (type === undefined) continue;
    const found = { type, status: 'False', reason: 'Unreadable', message: unreadableText(one) } as const;
    await writeCondition(hub, one.object, found, at, log);
  }
}

/** Writes the outcome of a decision that cannot be read: it is immutable, and never has an effect. */
async function refuseDecision(
  hub: KubeClient,
  { object, problem: message }: UnreadableObject,
  at: string,
  log: Log,
): Promise<void> {
  const before = object['status'] as Readonly<{ at?: string }> | undefined;
  if (before?.at !== undefined) return;
  await writeStatus(hub, object, { effective: false, reason: 'Unreadable', message, at }, log);
}

async function writeCondition(
  hub: KubeClient,
  object: KubernetesObject,
  found: FoundCondition,
  at: string,
  log: Log,
): Promise<void> {
  const before = (object['status'] ?? {}) as WithConditions;
  const conditions = mergedConditions(before.conditions ?? [], [found], at);
  const { generation } = object.metadata;
  const observed = generation === undefined ? {} : { observedGeneration: generation };
  const status = { ...before, ...(object.kind === 'FleetStrategy' ? observed : {}), conditions };
  if (!sameJson(status, before)) await writeStatus(hub, object, status, log);
}

async function writeStatus(hub: KubeClient, object: KubernetesObject, status: object, log: Log): Promise<void> {
  try {
    await hub.updateStatus({ ...object, status } as KubernetesObject);
  } catch (error) {
    // It has changed in between, or is gone: the next pass sees that.
    if (KubeApiError.is(error, 'Conflict', 'NotFound')) return;
    if (!(error instanceof KubeApiError)) throw error;
    // An older API server refuses each write to an object that does not follow its schema.
    log.warn({ kind: object.kind, object: object.metadata.name, error }, 'could not write a status');
  }
}

/** Names the objects that cannot be read, each once. */
export class UnreadableLog {
  #said: ReadonlySet<string> = new Set();

  constructor(private readonly log: Log) {}

  note(unreadable: readonly UnreadableObject[]): void {
    const said = new Set<string>();
    for (const one of unreadable) {
      const key = `${unreadableKey(one)} ${one.problem}`;
      said.add(key);
      if (this.#said.has(key)) continue;
      this.log.warn(
        { object: unreadableKey(one), problem: one.problem },
        'blocked the rollouts that an unreadable object may concern',
      );
    }
    this.#said = said;
  }
}
