import type { KubernetesObject } from '#core/api/kubernetes-object';
import { diagnoseConditions } from '#core/diagnosis/diagnose-conditions';
import type { FeatureGates } from '#core/extension/package-content';
import { ROLLBACK_KEY } from '#core/revision/revision-keys';
import type { KubeClient } from '#platform/kube/kube-client.port';
import { extensionAnswer } from '../resolution/explain-extension-answer.js';
import { planExtension } from '../resolution/plan-extensions.js';
import { liveClusterCatalogs } from './live-cluster-catalogs.js';

/** What the conditions of a live ClusterExtension say, and what resolution says of it with the catalogs as they are now. */
export async function explainLiveExtension(client: KubeClient, extension: KubernetesObject, gates: FeatureGates) {
  const seen = diagnoseConditions(extension);
  // Its content is that of an earlier revision then, whatever catalogs offer; the conditions say so.
  if (extension.metadata.annotations?.[ROLLBACK_KEY] !== undefined) return seen;
  const { catalogs, unread } = await liveClusterCatalogs(client, gates);
  const plan = planExtension(extension, catalogs, gates);
  if (plan === undefined || unread.length > 0) return { ...seen, unread };
  const { state, well, text: told } = extensionAnswer(plan);
  return { ...seen, resolution: { state, well, text: told } };
}
