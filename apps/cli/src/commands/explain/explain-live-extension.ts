import { diagnoseExtension } from '#core/cluster/diagnosis/diagnose-extension';
import type { KubernetesObject } from '#core/kernel/api/kubernetes-object';
import type { FeatureGates } from '#core/v1/extension/package-content';
import { ROLLBACK_KEY } from '#core/v1/revision/revision-keys';
import { extensionSurroundings } from '#lifecycle/fleet/console/extension-surroundings';
import type { KubeClient } from '#platform/kube/client/kube-client.port';
import { liveClusterCatalogs } from '../../preview/live-cluster-catalogs.js';
import { extensionAnswer } from '../../resolution/explain-extension-answer.js';
import { planExtension } from '../../resolution/plan-extensions.js';

/**
 * Explains a live ClusterExtension: its conditions, and the answer of resolution with the present catalogs.
 */
export async function explainLiveExtension(client: KubeClient, extension: KubernetesObject, gates: FeatureGates) {
  const seen = diagnoseExtension(extension, await extensionSurroundings(client, extension));
  // Its content is that of an earlier revision then, whatever catalogs offer; the conditions say so.
  if (extension.metadata.annotations?.[ROLLBACK_KEY] !== undefined) return seen;
  const { catalogs, unread } = await liveClusterCatalogs(client, gates);
  const plan = planExtension(extension, catalogs, gates);
  if (plan === undefined || unread.length > 0) return { ...seen, unread };
  const { state, well, text: answerText } = extensionAnswer(plan);
  return { ...seen, resolution: { state, well, text: answerText } };
}
