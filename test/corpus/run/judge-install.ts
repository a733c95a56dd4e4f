import type { KubernetesObject } from '#core/kernel/api/kubernetes-object';
import type { SimulatedCluster } from '#testing/cluster/simulated-cluster';
import { csvNameOf, type DraftFile, objectOf } from '../bundles/bundle-draft.js';
import type { CorpusCase } from '../corpus-case.js';
import { names, shownNaming } from '../oracle/expected-outcome.js';
import { missingContent } from '../oracle/same-content.js';
import { type Finding, finding } from './finding.js';
import { CATALOG, catalogNamespaceOf, namespaceOf } from './wanted-objects.js';

const OLM = 'operators.coreos.com/v1alpha1';
const CLUSTER_WIDE = new Set(['CustomResourceDefinition', 'ClusterRole', 'ClusterRoleBinding', 'PriorityClass']);

type Status = {
  phase?: string;
  reason?: string;
  message?: string;
  state?: string;
  conditions?: { type?: string; status?: string; message?: string }[];
  requirementStatus?: { message?: string; name?: string; dependents?: { message?: string }[] }[];
};
const statusOf = (object: KubernetesObject | undefined): Status => (object?.['status'] ?? {}) as Status;

/** Everything that the objects of a user's namespace, and its catalog, say. */
function toldTexts(cluster: SimulatedCluster, of: CorpusCase): string[] {
  const namespace = namespaceOf(of);
  const listed = (kind: string) => cluster.list({ apiVersion: OLM, kind, namespace }).map(statusOf);
  const [subscriptions, csvs] = [listed('Subscription'), listed('ClusterServiceVersion')];
  const ofCatalog = [
    statusOf(cluster.get({ apiVersion: OLM, kind: 'CatalogSource', namespace: catalogNamespaceOf(of), name: CATALOG })),
  ];
  return [
    ...subscriptions.flatMap(({ conditions = [] }) => conditions.map(({ message = '' }) => message)),
    ...csvs.flatMap(({ message = '', requirementStatus = [] }) => [
      message,
      ...requirementStatus.map((one) => `${one.name}: ${one.message}`),
    ]),
    ...ofCatalog.flatMap(({ message = '' }) => [message]),
  ].filter((text) => text !== '');
}

/** True if the install has reached its expected end. Otherwise it may still be under way. */
export function hasEnded(cluster: SimulatedCluster, of: CorpusCase): boolean {
  const { install } = of.expected;
  if (install.ends === 'installed') return isInstalled(cluster, of);
  const texts = toldTexts(cluster, of);
  return install.oneOf.some((naming) => texts.some((text) => names(text, naming)));
}

function isInstalled(cluster: SimulatedCluster, of: CorpusCase): boolean {
  const namespace = namespaceOf(of);
  const csv = cluster.get({ apiVersion: OLM, kind: 'ClusterServiceVersion', namespace, name: csvNameOf(of.draft) });
  const subscription = cluster.get({ apiVersion: OLM, kind: 'Subscription', namespace, name: of.draft.key });
  return statusOf(csv).phase === 'Succeeded' && statusOf(subscription).state === 'AtLatestKnown';
}

/** Judges the end of the install, after all have had their time. */
export function judgeInstall(cluster: SimulatedCluster, of: CorpusCase): Finding[] {
  const { install } = of.expected;
  const texts = toldTexts(cluster, of);
  if (install.ends === 'installed') {
    if (!isInstalled(cluster, of))
      return [
        finding(of, texts.some(isTrouble) ? 'verdict' : 'silence', 'install', `not installed: ${texts.join(' | ')}`),
      ];
    return missingObjects(cluster, of);
  }
  const told = install.oneOf.some((naming) => texts.some((text) => names(text, naming)));
  if (isInstalled(cluster, of) && !told)
    return [
      finding(of, 'verdict', 'install', `installed; it should name ${install.oneOf.map(shownNaming).join('; ')}`),
    ];
  if (!told)
    return [
      finding(
        of,
        'silence',
        'install',
        `does not name ${install.oneOf.map(shownNaming).join('; ')}: ${texts.join(' | ')}`,
      ),
    ];
  return install.applied ? [] : appliedParts(cluster, of);
}

/** Other texts are there in every namespace. */
const isTrouble = (text: string): boolean => !/^all available catalogsources are healthy$/.test(text);

/** Names objects of the bundle that are missing in the cluster, or differ from their manifests. */
function missingObjects(cluster: SimulatedCluster, of: CorpusCase): Finding[] {
  return of.draft.manifests.flatMap((file) => {
    if (file.fate !== 'applied') return [];
    const wanted = objectOf(file);
    const live = liveOf(cluster, file, namespaceOf(of));
    if (live === undefined) return [finding(of, 'objects', 'install', `${file.path} was never applied`)];
    const missing = missingContent(wanted, live);
    return missing === undefined ? [] : [finding(of, 'objects', 'install', `${file.path}: ${missing}`)];
  });
}

function liveOf(cluster: SimulatedCluster, file: DraftFile, namespace: string): KubernetesObject | undefined {
  const { apiVersion, kind, metadata } = objectOf(file) as unknown as KubernetesObject;
  const where = CLUSTER_WIDE.has(kind) ? {} : { namespace };
  try {
    return cluster.get({ apiVersion, kind, name: metadata?.name ?? '', ...where });
  } catch {
    return undefined; // The cluster does not serve its kind.
  }
}

/** Names applied objects of a bundle that no cluster can have. There must be none. */
function appliedParts(cluster: SimulatedCluster, of: CorpusCase): Finding[] {
  const applied = of.draft.manifests.filter((file) => liveOf(cluster, file, namespaceOf(of)) !== undefined);
  if (applied.length === 0) return [];
  return [finding(of, 'objects', 'install', `refused, and applied: ${applied.map(({ path }) => path).join(', ')}`)];
}
