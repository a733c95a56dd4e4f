import { ClusterServiceVersion } from '../../../kernel/api/cluster-service-version.js';
import { isCopied, originalNamespace } from '../../../kernel/api/csv-facts.js';
import { INSTALL_PLAN_API } from '../../../kernel/api/install-plan.js';
import type { KubernetesObject } from '../../../kernel/api/kubernetes-object.js';
import type { OperatorGroup } from '../../../kernel/api/operator-group.js';
import type { SettledDecision, StepContext } from '../steps/step-world.js';
import { replanCommand } from './replan-command.js';

/**
 * Annotation of an OperatorGroup, ours: with value `true` the plans of its namespace install a
 * ClusterServiceVersion also where a copy of one of that name is. Without it the copy counts as installed, as
 * under OLM, and nothing is.
 */
export const REPLACE_COPIES_ANNOTATION = 'flotilla.dev/replace-copied-csvs';

/** Whether the group asks for it (see {@link REPLACE_COPIES_ANNOTATION}). */
export const replacesCopies = ({ metadata }: OperatorGroup): boolean =>
  metadata.annotations?.[REPLACE_COPIES_ANNOTATION] === 'true';

/**
 * The step of a CSV in whose place `live` is; undefined where that is no copy. A copy that is replaced keeps
 * its uid, so that the Roles which came with it stay: they serve the operator of the other namespace. Its
 * status is cleared in a write of its own; that write meets a Conflict first, since the write before it moved
 * the resourceVersion, and is repeated.
 */
export function decideOverCopy(
  wanted: KubernetesObject,
  live: KubernetesObject,
  { plan, replaceCopiedCsvs = false }: StepContext,
): SettledDecision | undefined {
  const copy = ClusterServiceVersion.safeParse(live).data;
  if (copy === undefined || !isCopied(copy)) return undefined;
  if (replaceCopiedCsvs) {
    const { resourceVersion = '' } = live.metadata;
    const object = { ...wanted, metadata: { ...wanted.metadata, resourceVersion } };
    const actions = [
      { do: 'update', object },
      { do: 'updateStatus', object: { ...object, status: {} } },
    ] as const;
    return { actions, status: 'Created' };
  }
  const event = {
    do: 'emitEvent',
    about: { ...INSTALL_PLAN_API, name: plan.name, namespace: plan.namespace, uid: plan.uid },
    type: 'Warning',
    reason: 'CopyInPlace',
    message:
      `ClusterServiceVersion ${live.metadata.name} in this namespace is a copy from namespace ${originalNamespace(copy)}: ` +
      `nothing is installed here. Delete the Subscription, or set annotation ${REPLACE_COPIES_ANNOTATION}: "true" on ` +
      `the OperatorGroup and make the plan anew: ${replanCommand(plan)}`,
  } as const;
  return { actions: [event], status: 'Present' };
}
