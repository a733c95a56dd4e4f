import { type ClusterServiceVersion, CSV_API } from '#core/api/cluster-service-version';
import type { KubernetesObject } from '#core/api/kubernetes-object';
import { COPIED_FROM_LABEL } from '#core/csv/copies/step-copies';
import { crdsInTheWay, diagnoseExtension, type ExtensionSurroundings } from '#core/diagnosis/diagnose-extension';
import type { FeatureGates } from '#core/extension/package-content';
import { ROLLBACK_KEY } from '#core/revision/revision-keys';
import type { KubeClient } from '#platform/kube/kube-client.port';
import { extensionAnswer } from '../resolution/explain-extension-answer.js';
import { planExtension } from '../resolution/plan-extensions.js';
import { liveClusterCatalogs } from './live-cluster-catalogs.js';

/** What the conditions of a live ClusterExtension say, and what resolution says of it with the catalogs as they are now. */
export async function explainLiveExtension(client: KubeClient, extension: KubernetesObject, gates: FeatureGates) {
  const seen = diagnoseExtension(extension, await inTheWay(client, extension));
  // Its content is that of an earlier revision then, whatever catalogs offer; the conditions say so.
  if (extension.metadata.annotations?.[ROLLBACK_KEY] !== undefined) return seen;
  const { catalogs, unread } = await liveClusterCatalogs(client, gates);
  const plan = planExtension(extension, catalogs, gates);
  if (plan === undefined || unread.length > 0) return { ...seen, unread };
  const { state, well, text: told } = extensionAnswer(plan);
  return { ...seen, resolution: { state, well, text: told } };
}

const CRD_API = { apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition' } as const;

/** The CRDs that stop the extension, and the operators that may own them; nothing is read where none does. */
async function inTheWay(client: KubeClient, extension: KubernetesObject): Promise<ExtensionSurroundings> {
  const names = crdsInTheWay(extension);
  if (names.length === 0) return { csvs: [] };
  const [csvs, crds] = await Promise.all([
    client.list<ClusterServiceVersion>(CSV_API, { labelSelector: `!${COPIED_FROM_LABEL}` }),
    Promise.all(names.map((name) => client.get({ ...CRD_API, name }))),
  ]);
  return { csvs: csvs?.items ?? [], crds: crds.filter((crd) => crd !== undefined) };
}
