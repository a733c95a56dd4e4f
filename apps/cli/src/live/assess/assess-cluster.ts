import type { IndexedCatalog } from '#core/classic/resolution/catalog-slice';
import { renderExplanation } from '#core/classic/resolution/explain/render-explanation';
import type { AssessedOperator, ClusterAssessment, UnmetNamespace } from '#core/fleet/assessment/assessment';
import { operatorOutlook } from '#core/fleet/assessment/operator-outlook';
import { CLUSTER_EXTENSION_API } from '#core/kernel/api/cluster-extension';
import type { KubernetesObject } from '#core/kernel/api/kubernetes-object';
import type { Subscription } from '#core/kernel/api/subscription';
import { byCodeUnit } from '#core/kernel/canonical/canonical-json';
import { asList, asRecord, asText } from '#core/kernel/crd/loose-value';
import type { Settings } from '#platform/config/settings';
import type { KubeClient } from '#platform/kube/client/kube-client.port';
import type { NamespaceRead } from '../../../../../libs/lifecycle/src/classic/namespaces/namespace-read.js';
import { inParallel } from '../../in-parallel.js';
import { resolveOffline } from '../../resolution/resolve-offline.js';
import { clusterStatus } from '../cluster-status.js';
import { checkHandover } from '../handover/check-handover.js';
import { olmDeployments, replicasOf, titleOf } from '../handover/olm-in-cluster.js';
import type { LiveContents } from '../live-contents.js';
import { catalogsInSight, readLive, unreadText } from '../live-namespace.js';
import { managedNamespaces } from '../next-step.js';
import { olmMemory } from './olm-memory.js';

export type AssessDeps = Readonly<{ settings: Settings; contents: LiveContents; hub: string | undefined }>;

const AT_ONCE = 8;

/** Reads everything of a cluster that a decision about a hand-over needs. Writes nothing. */
export async function assessCluster(client: KubeClient, deps: AssessDeps): Promise<ClusterAssessment> {
  const [status, deployments, namespaces, handover] = await Promise.all([
    clusterStatus(client, deps.settings, undefined),
    olmDeployments(client),
    managedNamespaces(client),
    checkHandover(client, deps.settings, deps.hub),
  ]);
  const [memory, parts, extensions] = await Promise.all([
    olmMemory(client, deployments),
    inParallel(namespaces, AT_ONCE, (namespace) => assessNamespace(client, namespace, deps)),
    extensionsOf(client),
  ]);
  return {
    cluster: client.cluster,
    version: status.version,
    olm: deployments.filter((one) => replicasOf(one) > 0).map(titleOf),
    memory,
    operators: [...parts.flatMap(({ operators }) => operators), ...extensions],
    findings: status.findings,
    conflicts: parts.flatMap(({ conflicts }) => conflicts),
    handover,
    unread: [...new Set(parts.flatMap(({ unread }) => unread))].sort(byCodeUnit),
  };
}

type NamespacePart = Readonly<{
  operators: readonly AssessedOperator[];
  conflicts: readonly UnmetNamespace[];
  unread: readonly string[];
}>;

async function assessNamespace(client: KubeClient, namespace: string, deps: AssessDeps): Promise<NamespacePart> {
  const read = await readLive(client, namespace, deps.settings);
  if (read.subscriptions.length === 0) return { operators: [], conflicts: [], unread: [] };
  const catalogs = await catalogsInSight(client, read, deps.contents);
  const unread = catalogs.flatMap(unreadText);
  return {
    operators: read.subscriptions.map((one) => assessSubscription(one, read, catalogs)),
    // A resolution without one of its catalogs answers nothing.
    conflicts: unread.length > 0 ? [] : conflictsOf(read, catalogs),
    unread,
  };
}

function assessSubscription(
  subscription: Subscription,
  { csvs }: NamespaceRead,
  catalogs: readonly IndexedCatalog[],
): AssessedOperator {
  const { metadata, spec, status } = subscription;
  const installed = status?.installedCSV ?? '';
  const source = catalogs.find(({ key }) => key.name === spec.source && key.namespace === spec.sourceNamespace);
  const outlook = operatorOutlook(subscription, source?.index?.package(spec.name)?.record);
  return {
    api: 'classic',
    namespace: metadata.namespace ?? '',
    name: metadata.name ?? '',
    package: spec.name,
    channel: spec.channel ?? '',
    catalog: `${spec.sourceNamespace}/${spec.source}`,
    approval: spec.installPlanApproval === 'Manual' ? 'Manual' : 'Automatic',
    installed,
    version: asText(asRecord(csvs.find((csv) => csv.metadata.name === installed)?.spec)['version']),
    ...outlook,
    noWay: source?.index === undefined ? 'the content of its catalog is not known' : outlook.noWay,
  };
}

function conflictsOf(read: NamespaceRead, catalogs: readonly IndexedCatalog[]): readonly UnmetNamespace[] {
  const { resolution } = resolveOffline(read, catalogs);
  if (resolution.result === 'resolved') return [];
  const text =
    resolution.result === 'error' ? resolution.message : renderExplanation(resolution.explanation, resolution.advice);
  return [{ namespace: read.namespace, text }];
}

/** Installed by OLM v1: what is newer is chosen by its catalogs, and not read here. */
async function extensionsOf(client: KubeClient): Promise<readonly AssessedOperator[]> {
  const list = await client.list(CLUSTER_EXTENSION_API);
  return (list?.items ?? []).map(assessExtension).sort((a, b) => byCodeUnit(a.name, b.name));
}

function assessExtension({ metadata, spec, status }: KubernetesObject): AssessedOperator {
  const catalog = asRecord(asRecord(asRecord(spec)['source'])['catalog']);
  const bundle = asRecord(asRecord(asRecord(status)['install'])['bundle']);
  return {
    api: 'v1',
    namespace: '',
    name: metadata.name ?? '',
    package: asText(catalog['packageName']),
    channel: asList(catalog['channels']).map(String).join(', '),
    catalog: '',
    approval: 'Automatic',
    installed: asText(bundle['name']),
    version: asText(bundle['version']),
    newest: '',
    hops: [],
    noWay: '',
    deprecations: deprecationsOf(asRecord(status)),
  };
}

/** As the status says: conditions PackageDeprecated, ChannelDeprecated and BundleDeprecated. */
const deprecationsOf = (status: Readonly<Record<string, unknown>>): readonly string[] =>
  asList(status['conditions'])
    .map(asRecord)
    .filter((one) => /^(Package|Channel|Bundle)Deprecated$/.test(asText(one['type'])) && one['status'] === 'True')
    .map((one) => asText(one['message']));
