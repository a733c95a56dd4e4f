import { z } from 'zod';
import type { KubernetesObject } from '../../kernel/api/kubernetes-object.js';

/** Policy and binding have the same name (`k8s/overlays/fleet/decisions.yaml`). */
export const DECISION_POLICY = 'flotilla-fleet-decisions';

/** Demands of the API server on the author of a decision. */
const DEMANDS = {
  'the name of the author': 'object.spec.by.user == request.userInfo.username',
  'the groups of the author': 'group in variables.callersGroups',
  'the right to decide': 'authorizer.group(',
} as const;

const Policy = z.object({
  spec: z.object({
    failurePolicy: z.string().default('Fail'),
    validations: z.array(z.object({ expression: z.string() })).default([]),
  }),
});
const Binding = z.object({
  spec: z.object({
    policyName: z.string(),
    validationActions: z.array(z.string()).default([]),
    matchResources: z.object({}).optional(),
  }),
});

/**
 * Names the gap that keeps the API server of a hub from refusing decisions in another user's name (decision
 * record 0204). Returns undefined if there is none. Users' own conditions in the policy or its binding count
 * as a gap: the hub cannot judge the requests that they exclude.
 */
export function decisionPolicyGap(
  policy: KubernetesObject | undefined,
  binding: KubernetesObject | undefined,
): string | undefined {
  const found = Policy.safeParse(policy).data?.spec;
  if (found === undefined) return `ValidatingAdmissionPolicy ${DECISION_POLICY} is missing`;
  if (found.failurePolicy !== 'Fail') return `failurePolicy of ${DECISION_POLICY} is ${found.failurePolicy}, not Fail`;
  for (const [what, text] of Object.entries(DEMANDS)) {
    const isDemanded = found.validations.some(({ expression }) => expression.includes(text));
    if (!isDemanded) return `${DECISION_POLICY} does not check ${what}`;
  }
  const bound = Binding.safeParse(binding).data?.spec;
  if (bound?.policyName !== DECISION_POLICY) return `ValidatingAdmissionPolicyBinding ${DECISION_POLICY} is missing`;
  if (!bound.validationActions.includes('Deny')) return `the binding of ${DECISION_POLICY} does not deny`;
  return bound.matchResources === undefined ? undefined : `the binding of ${DECISION_POLICY} leaves out some decisions`;
}
