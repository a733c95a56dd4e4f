import { ClusterServiceVersion } from '../../../kernel/api/cluster-service-version.js';
import { isCopied, originalNamespace } from '../../../kernel/api/csv-facts.js';
import { INSTALL_PLAN_API } from '../../../kernel/api/install-plan.js';
import type { KubernetesObject } from '../../../kernel/api/kubernetes-object.js';
import type { OperatorGroup } from '../../../kernel/api/operator-group.js';
import type { SettledDecision, StepContext } from '../steps/step-world.js';
import { replanCommand } from './replan-command.js';

/**
 * Flotilla's annotation of an OperatorGroup. With value `true` the plans of its namespace install a
 * ClusterServiceVersion even if there is a copy with its name. Without it the copy counts as installed, as
 * under OLM, and nothing is installed.
 */
export const REPLACE_COPIES_ANNOTATION = 'flotilla.dev/replace-copied-csvs';

/** True if the group asks for it (see {@link REPLACE_COPIES_ANNOTATION}). */
export const replacesCopies = ({ metadata }: OperatorGroup): boolean =>
  metadata.annotations?.[REPLACE_COPIES_ANNOTATION] === 'true';

/**
 * Decides the step of a CSV when `live` has its name. Undefined if `live` is not a copy. A replaced copy
 * keeps its uid, so the Roles that came with it stay: they serve the operator of the other namespace. A
 * separate write clears its status. That write first meets a Conflict, since the write before it moved the
 * resourceVersion, and is repeated.
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
      `the OperatorGroup and recreate the plan: ${replanCommand(plan)}`,
  } as const;
  return { actions: [event], status: 'Present' };
}
