import { CLUSTER_CATALOG_API } from '#core/api/cluster-catalog';
import type { KubernetesObject } from '#core/api/kubernetes-object';
import { diagnoseConditions } from '#core/diagnosis/diagnose-conditions';
import type { ExtensionCatalog } from '#core/extension/cluster-extension';
import type { KubeClient } from '#platform/kube/kube-client.port';
import { inParallel } from '../in-parallel.js';
import { catalogAt } from '../resolution/catalog-shelf.js';
import { extensionAnswer } from '../resolution/explain-extension-answer.js';
import { extensionCatalog, planExtension } from '../resolution/plan-extensions.js';
import { text } from './field.js';

const CATALOGS_AT_ONCE = 4;

/** What the conditions of a live ClusterExtension say, and what resolution says of it with the catalogs as they are now. */
export async function explainLiveExtension(client: KubeClient, extension: KubernetesObject) {
  const seen = diagnoseConditions(extension);
  const found = (await client.list(CLUSTER_CATALOG_API))?.items ?? [];
  const catalogs = await inParallel(found, CATALOGS_AT_ONCE, (catalog) =>
    readCatalog({ ...catalog, ...CLUSTER_CATALOG_API }),
  );
  const plan = planExtension(
    extension,
    catalogs.flatMap(({ catalog }) => catalog ?? []),
  );
  const unread = catalogs.flatMap((one) => one.unread ?? []);
  if (plan === undefined || unread.length > 0) return { ...seen, unread };
  const { state, well, text: told } = extensionAnswer(plan);
  return { ...seen, resolution: { state, well, text: told } };
}

type ReadCatalog = Readonly<{ catalog?: ExtensionCatalog | undefined; unread?: string }>;

/** By the image that the hub has unpacked, with the logins of this machine. */
async function readCatalog(object: KubernetesObject): Promise<ReadCatalog> {
  const image =
    text(object, 'status', 'resolvedSource', 'image', 'ref') || text(object, 'spec', 'source', 'image', 'ref');
  if (text(object, 'spec', 'availabilityMode') === 'Unavailable')
    return { catalog: extensionCatalog(object, undefined) };
  try {
    return { catalog: extensionCatalog(object, await catalogAt(image)) };
  } catch (error) {
    return { unread: `${object.metadata.name}: ${error instanceof Error ? error.message : String(error)}` };
  }
}
