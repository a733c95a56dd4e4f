import type { ClusterObjectSet } from '#core/kernel/api/cluster-object-set';
import { type KubernetesObject, refOf } from '#core/kernel/api/kubernetes-object';
import type { RolloutState } from '#core/v1/revision/revision-conditions';
import type { ContentPhase } from '#core/v1/revision/revision-content';
import { KubeApiError } from '#platform/kube/client/kube-client.port';
import { requireLive } from '../../engine/passes/perform.js';
import type { RevisionsPass } from '../extensions/extension-pass.js';

/**
 * Deletes the objects that an archived revision still controls, the last phase first. An object that has
 * passed to another revision only loses it as an owner (spec: v1-apply.md, "Archive").
 */
export async function archiveRevision(
  pass: RevisionsPass,
  revision: ClusterObjectSet,
  phases: readonly ContentPhase[],
): Promise<RolloutState> {
  for (const phase of phases.toReversed()) {
    const left = await Promise.all(
      phase.objects.map(({ object }) => takeAway(pass, revision, object).catch(notAnswered)),
    );
    if (left.includes(true)) return { state: 'archiving' };
  }
  return { state: 'archived' };
}

/**
 * Returns true while the backend of an API does not answer: it is unknown if the object exists, and the
 * archive waits for it.
 */
function notAnswered(error: unknown): true {
  if (KubeApiError.is(error, 'APIUnavailable')) return true;
  throw error;
}

/** Returns true if the object still exists and is being deleted. */
async function takeAway(pass: RevisionsPass, revision: ClusterObjectSet, object: KubernetesObject): Promise<boolean> {
  const { client, writer } = pass;
  const live = await client.get(refOf(object)).catch((error: unknown) => {
    if (KubeApiError.is(error, 'NotFound')) return undefined; // the kind itself has gone
    throw error;
  });
  const owners = live?.metadata.ownerReferences ?? [];
  const own = owners.find(({ uid }) => uid === revision.metadata.uid);
  if (live === undefined || own === undefined) return false;
  requireLive(pass, 'what an archived revision gives up');
  const { resourceVersion, uid } = live.metadata;
  if (own.controller === true) {
    await writer.delete(refOf(live), { propagation: 'Background', ...(uid === undefined ? {} : { uid }) });
    return true;
  }
  const ownerReferences = owners.filter((owner) => owner !== own);
  await client.patch(refOf(live), { metadata: { resourceVersion, ownerReferences } });
  return false;
}
