import {
  possibleOwners,
  SHARED_CRDS_ANNOTATION,
  type SharedCrd,
  sharedCrd,
  sharedCrdsAnnotation,
  sharedCrdText,
} from '#core/classic/install-plan/crds/shared-crds';
import { CRD_KIND } from '#core/classic/install-plan/steps/install-plan-step';
import { INSTALL_PLAN_API, type InstallPlan } from '#core/kernel/api/install-plan';
import type { KubernetesObject, ObjectRef } from '#core/kernel/api/kubernetes-object';
import { perform } from '../../engine/passes/perform.js';
import type { NamespaceStageInput } from '../namespaces/namespace-stage.js';

/**
 * The CRDs among these manifests that other operators have too and that change for
 * them, as the cluster is now.
 */
export async function sharedCrdsAmong(
  { reader, read }: Pick<NamespaceStageInput, 'reader' | 'read'>,
  manifests: readonly KubernetesObject[],
): Promise<readonly SharedCrd[]> {
  const crds = manifests.filter(({ kind }) => kind === CRD_KIND);
  const found = await Promise.all(
    crds.map(async (next) => {
      const { apiVersion, kind, metadata } = next;
      const live = await reader.get({ apiVersion, kind, name: metadata.name ?? '' });
      if (live === undefined) return undefined;
      const owners = possibleOwners(live);
      const csvs = new Map(await Promise.all(owners.map(async (ref) => [keyOf(ref), await reader.get(ref)] as const)));
      return sharedCrd(live, next, { namespace: read.namespace, csvAt: (ref) => csvs.get(keyOf(ref)) });
    }),
  );
  return found.filter((one) => one !== undefined);
}

const keyOf = ({ namespace = '', name }: ObjectRef): string => `${namespace}/${name}`;

/** Returns the plan with an annotation that names the CRDs it changes for other operators. */
export function namingSharedCrds(plan: InstallPlan, shared: readonly SharedCrd[]): InstallPlan {
  if (shared.length === 0) return plan;
  const annotations = { ...plan.metadata.annotations, [SHARED_CRDS_ANNOTATION]: sharedCrdsAnnotation(shared) };
  return { ...plan, metadata: { ...plan.metadata, annotations } };
}

/** An Event about the plan for each of them. */
export async function reportSharedCrds(
  input: NamespaceStageInput,
  { metadata }: InstallPlan,
  shared: readonly SharedCrd[],
): Promise<void> {
  const { name = '', namespace, uid } = metadata;
  const about = { ...INSTALL_PLAN_API, name, namespace, uid };
  const event = { do: 'emitEvent', about, type: 'Normal', reason: 'SharedCRD' } as const;
  await perform(
    input,
    shared.map((one) => ({ ...event, message: sharedCrdText(one) })),
  );
}
