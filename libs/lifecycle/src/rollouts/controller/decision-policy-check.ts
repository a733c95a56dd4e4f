import { KIND } from '#core/kernel/api/kinds';
import { DECISION_POLICY, decisionPolicyGap } from '#core/rollout/review/decision-policy';
import type { Clock } from '#platform/clock/clock.port';
import { KubeApiError, type KubeClient } from '#platform/kube/client/kube-client.port';
import type { Health, HealthCheck } from '#platform/telemetry/health-check';

const POLICY = { ...KIND.ValidatingAdmissionPolicy, name: DECISION_POLICY };
const BINDING = { ...KIND.ValidatingAdmissionPolicyBinding, name: DECISION_POLICY };
/** Lifetime of an answer: health is asked every few seconds. */
const KNOWN_FOR_MS = 60_000;

type DecisionPolicyDeps = Readonly<{
  hub: Pick<KubeClient, 'get' | 'cluster'>;
  clock: Pick<Clock, 'now'>;
  isFolder?: boolean;
}>;

const IN_FOLDER: Health = {
  up: true,
  detail: 'decisions are files in the folder of the fleet: every user who can write there decides',
};

/** Reports whether the API server of the hub holds decisions to their authors (decision 0204). */
export function decisionPolicyCheck({ hub, clock, isFolder = false }: DecisionPolicyDeps): HealthCheck {
  let known = isFolder ? IN_FOLDER : undefined;
  let readMs = Number.NEGATIVE_INFINITY;
  return {
    name: 'decisions',
    check: async () => {
      const nowMs = clock.now().getTime();
      if (known !== undefined && (isFolder || nowMs - readMs < KNOWN_FOR_MS)) return known;
      known = await readPolicy(hub);
      readMs = nowMs;
      return known;
    },
  };
}

async function readPolicy(hub: DecisionPolicyDeps['hub']): Promise<Health> {
  try {
    const gap = decisionPolicyGap(await hub.get(POLICY), await hub.get(BINDING));
    if (gap === undefined) return { up: true, detail: `${hub.cluster} holds decisions to their authors` };
    const advice =
      'a user who may create FleetDecisions can decide in any name; restore the policy: "flotilla fleet init"';
    return { up: true, degraded: true, detail: `${hub.cluster}: ${gap}; ${advice}` };
  } catch (error) {
    if (!KubeApiError.is(error)) throw error;
    return {
      up: true,
      detail: `could not check whether ${hub.cluster} holds decisions to their authors: ${error.message}`,
    };
  }
}
