import type { InstallPlanStep } from '../../../kernel/api/install-plan.js';
import { CRD_GROUP, KINDS } from '../../../kernel/api/kinds.js';
import type { KubernetesObject, ObjectRef } from '../../../kernel/api/kubernetes-object.js';
import { changesNothing } from '../../crd-upgrade/crd-unchanged.js';
import { manifestOf } from '../steps/step-manifest.js';
import {
  objectIn,
  readKey,
  type SettledDecision,
  type StepContext,
  type StepRead,
  type StepWorld,
} from '../steps/step-world.js';
import { alongside, keptAlongside } from './crd-reads.js';

const RESOURCE = KINDS.CustomResourceDefinition.plural;

/** The question whether the group's service account may replace the CRD. */
const mayUpdate = (crd: string, account: ObjectRef): Extract<StepRead, { read: 'access' }> => ({
  read: 'access',
  account,
  may: { verb: 'update', group: CRD_GROUP, resource: RESOURCE, name: crd },
});

/**
 * True if operators of the namespace brought the CRD. Either an installed one is named on it, or a removed
 * one is and no operator of another namespace has it. Labels of Operator objects do not count: any CSV that
 * claims to own a CRD gets them.
 */
function comesFrom(namespace: string, live: KubernetesObject, csvAt: (ref: ObjectRef) => KubernetesObject | undefined) {
  const kept = keptAlongside(live, csvAt);
  const named = kept.length > 0 ? kept : alongside(live);
  return named.some(({ csv }) => csv.namespace === namespace);
}

/**
 * Returns the right that the group's service account needs. None if there is no such account, or if the CRD
 * belongs to the namespace.
 */
function neededRight(live: KubernetesObject, { plan, actingAs }: StepContext, world: StepWorld) {
  if (actingAs === undefined) return undefined;
  if (comesFrom(plan.namespace, live, (ref) => objectIn(world, ref))) return undefined;
  return mayUpdate(live.metadata.name ?? '', actingAs);
}

/**
 * Returns the reads about the rights of the group's service account that precede the replacement of a step's
 * CRD.
 */
export function crdRightReads(step: InstallPlanStep, context: StepContext, world: StepWorld): StepRead[] {
  const manifest = manifestOf(step);
  if (step.status === 'WaitingForApi' || 'fail' in manifest) return [];
  const { apiVersion, kind, metadata } = manifest.object;
  const live = objectIn(world, { apiVersion, kind, name: metadata.name ?? '' });
  if (live === undefined) return [];
  if (alongside(live).some(({ csv }) => !world.answers.has(readKey({ read: 'get', ref: csv })))) return [];
  const right = neededRight(live, context, world);
  return right === undefined ? [] : [right];
}

/**
 * Returns the decision for a CRD that may not be replaced. Undefined if it may. A CRD that already has all of
 * the bundle's content is left unchanged, and is not marked as the namespace's: only an account with the
 * right may change it.
 */
export function withoutRight(
  live: KubernetesObject,
  next: KubernetesObject,
  context: StepContext,
  world: StepWorld,
): SettledDecision | undefined {
  const asked = neededRight(live, context, world);
  if (asked === undefined) return undefined;
  const answer = world.answers.get(readKey(asked));
  if (answer !== undefined && 'allowed' in answer && answer.allowed) return undefined;
  if (changesNothing(live, next)) return { actions: [], status: 'Present' };
  const name = next.metadata.name ?? '';
  if (answer !== undefined && 'failed' in answer) {
    const { failed, forbidden = false } = answer;
    return { fail: `error updating CRD "${name}": ${failed}`, forbidden };
  }
  const { namespace, name: account } = asked.account;
  const user = `system:serviceaccount:${namespace}:${account}`;
  return {
    fail:
      `error updating CRD "${name}": ${RESOURCE}.${CRD_GROUP} "${name}" is forbidden: User "${user}" cannot update ` +
      `resource "${RESOURCE}" in API group "${CRD_GROUP}" at the cluster scope, and no operator of namespace ` +
      `${context.plan.namespace} brought this CRD`,
    forbidden: true,
  };
}
