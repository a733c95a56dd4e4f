import { renderExplanation } from '#core/classic/resolution/explain/render-explanation';
import type { IndexedCatalog } from '#core/classic/resolution/problem/catalog-slice';
import type { AssessedOperator, ClusterAssessment, UnmetNamespace } from '#core/cluster/assessment/assessment';
import { extensionOutlook } from '#core/cluster/assessment/extension-outlook';
import { operatorOutlook } from '#core/cluster/assessment/operator-outlook';
import { CLUSTER_EXTENSION_API, ClusterExtension } from '#core/kernel/api/cluster-extension';
import type { KubernetesObject } from '#core/kernel/api/kubernetes-object';
import type { Subscription } from '#core/kernel/api/subscription';
import { byCodeUnit } from '#core/kernel/canonical/canonical-json';
import { DEPRECATED_PARTS } from '#core/kernel/conditions/deprecation-types';
import { asList, asRecord, asText } from '#core/kernel/crd/loose-value';
import type { ExtensionCatalog } from '#core/v1/extension/catalog-query';
import { desiredExtension } from '#core/v1/extension/extension-problem';
import type { FeatureGates } from '#core/v1/extension/package-content';
import { ROLLBACK_KEY } from '#core/v1/revision/revision-keys';
import { extensionGatesOf } from '#platform/config/extension-gates';
import type { Settings } from '#platform/config/settings';
import { inParallel } from '#platform/fairness/in-parallel';
import type { KubeClient } from '#platform/kube/client/kube-client.port';
import type { NamespaceRead } from '../../../../../libs/lifecycle/src/classic/namespaces/namespace-read.js';
import { type LiveClusterCatalogs, liveClusterCatalogs } from '../../preview/live-cluster-catalogs.js';
import type { LiveContents } from '../../preview/live-contents.js';
import { catalogsInSight, readLive, unreadText } from '../../preview/live-namespace.js';
import { managedNamespaces } from '../../preview/next-step.js';
import { resolveOffline } from '../../resolution/resolve-offline.js';
import { checkHandover } from '../clusters/handover/check-handover.js';
import { olmDeployments, replicasOf, titleOf } from '../clusters/handover/olm-in-cluster.js';
import { type MigrationState, migrationPreflight } from '../migrate/plan-migration.js';
import { clusterStatus } from '../status/cluster-status.js';
import { olmMemory } from './olm-memory.js';

type AssessDeps = Readonly<{ settings: Settings; contents: LiveContents; hub: string | undefined }>;

const AT_ONCE = 8;

/** Reads everything of a cluster that a decision about a hand-over needs. Writes nothing. */
export async function assessCluster(client: KubeClient, deps: AssessDeps): Promise<ClusterAssessment> {
  const gates = extensionGatesOf(deps.settings);
  const [status, deployments, namespaces, handover, clusterCatalogs] = await Promise.all([
    clusterStatus(client, deps.settings, undefined),
    olmDeployments(client),
    managedNamespaces(client),
    checkHandover(client, deps.settings, deps.hub),
    liveClusterCatalogs(client, gates),
  ]);
  const [memory, parts, extensions] = await Promise.all([
    olmMemory(client, deployments),
    inParallel(namespaces, AT_ONCE, (namespace) => assessNamespace(client, namespace, { ...deps, clusterCatalogs })),
    extensionsOf(client, clusterCatalogs.catalogs, gates),
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
    unread: [...new Set([...parts.flatMap(({ unread }) => unread), ...clusterCatalogs.unread])].sort(byCodeUnit),
  };
}

type NamespacePart = Readonly<{
  operators: readonly AssessedOperator[];
  conflicts: readonly UnmetNamespace[];
  unread: readonly string[];
}>;

type NamespaceDeps = AssessDeps & Readonly<{ clusterCatalogs: LiveClusterCatalogs }>;

async function assessNamespace(client: KubeClient, namespace: string, deps: NamespaceDeps): Promise<NamespacePart> {
  const read = await readLive(client, namespace, deps.settings);
  if (read.subscriptions.length === 0) return { operators: [], conflicts: [], unread: [] };
  const catalogs = await catalogsInSight(client, read, deps.contents);
  const unread = catalogs.flatMap(unreadText);
  const state = { read, sources: catalogs, clusterCatalogs: deps.clusterCatalogs };
  const operators = read.subscriptions.map(async (one) => ({
    ...assessSubscription(one, read, catalogs),
    move: await moveOf(client, one, state),
  }));
  return {
    operators: await Promise.all(operators),
    // A resolution without one of its catalogs answers nothing.
    conflicts: unread.length > 0 ? [] : conflictsOf(read, catalogs),
    unread,
  };
}

/**
 * Returns the findings of `flotilla migrate subscription --dry-run`, without pulling bundles (why: command.md
 * "Assessments pull no bundles").
 */
async function moveOf(client: KubeClient, subscription: Subscription, state: MigrationState) {
  if ((subscription.status?.installedCSV ?? '') === '') return null;
  const { findings } = await migrationPreflight(client, subscription, state, undefined);
  return findings;
}

function assessSubscription(
  subscription: Subscription,
  { csvs }: NamespaceRead,
  catalogs: readonly IndexedCatalog[],
): Omit<AssessedOperator, 'move'> {
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

/** Reads ClusterExtensions, and the versions in their ClusterCatalogs beyond the installed ones. */
async function extensionsOf(
  client: KubeClient,
  catalogs: readonly ExtensionCatalog[],
  gates: FeatureGates,
): Promise<readonly AssessedOperator[]> {
  const items = (await client.list(CLUSTER_EXTENSION_API))?.items ?? [];
  return items
    .map((item) => assessExtension({ ...item, ...CLUSTER_EXTENSION_API }, catalogs, gates))
    .sort((a, b) => byCodeUnit(a.name, b.name));
}

function assessExtension(
  object: KubernetesObject,
  catalogs: readonly ExtensionCatalog[],
  gates: FeatureGates,
): AssessedOperator {
  const { metadata, spec, status } = object;
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
    ...outlookOf(object, catalogs, gates),
    deprecations: deprecationsOf(asRecord(status)),
    move: null,
  };
}

function outlookOf(object: KubernetesObject, catalogs: readonly ExtensionCatalog[], gates: FeatureGates) {
  const unknown = { newest: '', hops: [] };
  if (object.metadata.annotations?.[ROLLBACK_KEY] !== undefined) {
    return { ...unknown, noWay: `annotation ${ROLLBACK_KEY} keeps it at an earlier revision` };
  }
  const extension = ClusterExtension.safeParse(object).data;
  const installed = extension?.status?.install?.bundle;
  const desired = extension && desiredExtension(extension, installed, gates);
  if (desired === undefined) return { ...unknown, noWay: 'its spec names no catalog that can be read' };
  const { query, majorUpdates } = desired;
  return extensionOutlook({ query, installed, catalogs, majorUpdates });
}

/**
 * Returns deprecations of the status: conditions PackageDeprecated, ChannelDeprecated and BundleDeprecated.
 */
const deprecationsOf = (status: Readonly<Record<string, unknown>>): readonly string[] =>
  asList(status['conditions'])
    .map(asRecord)
    .filter((one) => DEPRECATED_PARTS.some((type) => type === one['type']) && one['status'] === 'True')
    .map((one) => asText(one['message']));
