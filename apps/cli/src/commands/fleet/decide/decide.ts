import { setTimeout } from 'node:timers/promises';
import type { DecisionAction } from '#core/kernel/api/fleet/fleet-decision';
import { FLEET_API } from '#core/kernel/api/fleet/fleet-fields';
import { KubernetesObject } from '#core/kernel/api/kubernetes-object';
import { applyDecision, type Decision, type DecisionEffects } from '#core/rollout/controller/step/decisions';
import { Draft } from '#core/rollout/controller/step/draft';
import type { Author } from '#core/rollout/review/class-approval';
import type { LiveFleet, LiveRollout } from '#lifecycle/rollouts/controller/state/live-fleet';
import { KubeApiError, type KubeClient } from '#platform/kube/client/kube-client.port';

/** One decision that a user asks for. Absent parts do not narrow it. */
export type DecisionAsked = Readonly<{
  action: DecisionAction;
  class?: string | undefined;
  /** The kinds of change that the class was shown with. */
  changes?: readonly string[] | undefined;
  wave?: string | undefined;
  clusters?: readonly string[] | undefined;
  reason: string;
  expiresAt?: string | undefined;
}>;

/** The outcome of a decision, also printed by `-o json`. */
export type DecisionOutcome = Readonly<{
  /** The FleetDecision; null if none was made. */
  decision: string | null;
  rollout: string;
  action: DecisionAction;
  class: string | null;
  by: string;
  result: 'effective' | 'made' | 'would-be-effective' | 'refused' | 'unanswered';
  /** A reason of the engine, or of the API server. */
  reason: string;
  message: string;
}>;

const POLL_EVERY_MS = 250;

/** Returns the engine's present answer to a decision. Changes nothing. */
export function foreseen(
  fleet: LiveFleet,
  rollout: LiveRollout,
  asked: DecisionAsked,
  by: Author,
): Pick<DecisionEffects, 'reason' | 'message'> {
  const { record, facts } = rollout;
  const decision: Decision = {
    rollout: record.spec.name,
    action: asked.action,
    class: asked.class ?? null,
    wave: asked.wave ?? null,
    clusters: asked.clusters ?? [],
    by,
    at: fleet.now,
    reason: asked.reason,
    expiresAt: asked.expiresAt === undefined ? undefined : Date.parse(asked.expiresAt),
  };
  return applyDecision(decision, new Draft(record, facts, fleet.now));
}

/** Terms of a decision. `waitMs` is the longest time for the controller; undefined: do not wait. */
type DecisionTerms = Readonly<{ dryRun: boolean; waitMs: number | undefined }>;

/** Makes a FleetDecision in the caller's name, and waits until the controller has answered it. */
export async function decide(
  hub: KubeClient,
  rollout: string,
  asked: DecisionAsked,
  by: Author,
  { dryRun, waitMs }: DecisionTerms,
): Promise<DecisionOutcome> {
  const base = { decision: null, rollout, action: asked.action, class: asked.class ?? null, by: by.user };
  let made: KubernetesObject;
  try {
    ({ object: made } = await hub.create(decisionObject(rollout, asked, by), { dryRun }));
  } catch (error) {
    if (!(error instanceof KubeApiError) || !(error.status === 403 || error.status === 422)) throw error;
    return { ...base, result: 'refused', reason: error.reason, message: error.message };
  }
  if (dryRun) return { ...base, result: 'would-be-effective', reason: 'Effective', message: '' };
  const known = { ...base, decision: made.metadata.name ?? '' };
  if (waitMs === undefined) return { ...known, result: 'made', reason: '', message: '' };
  const status = await answered(hub, made, waitMs);
  if (status === undefined) {
    return { ...known, result: 'unanswered', reason: '', message: `no controller answered within ${waitMs / 1_000}s` };
  }
  const { effective = false, reason = '', message = '' } = status;
  return { ...known, result: effective ? 'effective' : 'refused', reason, message };
}

function decisionObject(rollout: string, asked: DecisionAsked, by: Author): KubernetesObject {
  const [namespace = '', name = ''] = rollout.split('/');
  const { action, class: hash, changes, wave, clusters = [], reason, expiresAt } = asked;
  return KubernetesObject.parse({
    apiVersion: FLEET_API,
    kind: 'FleetDecision',
    metadata: { generateName: `${name}-${action.toLowerCase()}-`, namespace },
    spec: {
      rollout: name,
      action,
      ...(hash === undefined ? {} : { class: hash }),
      ...(changes === undefined ? {} : { changes }),
      ...(wave === undefined ? {} : { wave }),
      ...(clusters.length === 0 ? {} : { clusters }),
      reason,
      by: { user: by.user, groups: by.groups },
      ...(expiresAt === undefined ? {} : { expiresAt }),
    },
  });
}

type DecisionStatus = Readonly<{ effective?: boolean; reason?: string; message?: string; at?: string }>;

async function answered(hub: KubeClient, made: KubernetesObject, waitMs: number): Promise<DecisionStatus | undefined> {
  const { name = '', namespace } = made.metadata;
  const until = performance.now() + waitMs;
  for (;;) {
    const found = await hub.get({ apiVersion: FLEET_API, kind: 'FleetDecision', name, namespace });
    const status = (found?.['status'] ?? {}) as DecisionStatus;
    if (status.at !== undefined) return status;
    if (performance.now() >= until) return undefined;
    await setTimeout(POLL_EVERY_MS);
  }
}
