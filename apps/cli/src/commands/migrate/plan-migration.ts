import type { EntryRecord } from '#core/catalog/model/package-record';
import { COPIED_FROM_LABEL } from '#core/classic/csv/copies/copy-content';
import type { IndexedCatalog } from '#core/classic/resolution/problem/catalog-slice';
import { type MigrationFinding, migrationFindings } from '#core/cluster/migration/migration-preflight';
import { plannedExtension } from '#core/cluster/migration/planned-extension';
import { CLUSTER_EXTENSION_API, type ClusterExtension } from '#core/kernel/api/cluster-extension';
import { CLUSTER_OBJECT_SET_API } from '#core/kernel/api/cluster-object-set';
import { CSV_API } from '#core/kernel/api/cluster-service-version';
import { type KubernetesObject, type ObjectRef, refOf } from '#core/kernel/api/kubernetes-object';
import { OPERATOR_CONDITION_API } from '#core/kernel/api/operator-condition';
import { isOwnedBy } from '#core/kernel/api/owner-labels';
import { SUBSCRIPTION_API, type Subscription } from '#core/kernel/api/subscription';
import { asList, asRecord, asText } from '#core/kernel/crd/loose-value';
import type { DesiredRevision } from '#core/v1/revision/build-revision';
import { OWNER_NAME_LABEL } from '#core/v1/revision/revision-keys';
import { revisionStates } from '#core/v1/revision/revision-states';
import { SystemClock } from '#platform/clock/system-clock';
import { extensionGatesOf } from '#platform/config/extension-gates';
import { Patience } from '#platform/fairness/patience';
import type { KubeClient } from '#platform/kube/client/kube-client.port';
import type { NamespaceRead } from '../../../../../libs/lifecycle/src/classic/namespaces/namespace-read.js';
import { PassReader } from '../../../../../libs/lifecycle/src/engine/passes/pass-reader.js';
import { certificateProvider, prepareRevision } from '../../../../../libs/lifecycle/src/v1/desired/prepare-revision.js';
import { pullBundleContent } from '../../../../../libs/lifecycle/src/v1/desired/pull-bundle-content.js';
import type { ExtensionPass } from '../../../../../libs/lifecycle/src/v1/extensions/extension-pass.js';
import { extensionDepsOf } from '../../preview/extension-deps.js';
import { type LiveClusterCatalogs, liveClusterCatalogs } from '../../preview/live-cluster-catalogs.js';
import { catalogsInSight, readLive } from '../../preview/live-namespace.js';
import type { NextStepDeps } from '../../preview/next-step.js';
import { asMade } from '../clusters/handover/handover-record.js';
import { titleOf } from '../clusters/handover/olm-in-cluster.js';
import type { MigrationRecord } from './migration-record.js';
import { classicLabelsOf, classicRoles } from './release-csv.js';
import { runningWorkloads } from './running-workloads.js';

/** The objections to a move, and its record if there are none. */
type MigrationPlan = Readonly<{ findings: readonly MigrationFinding[]; record?: MigrationRecord }>;

type Bundle = Readonly<{ bundle: Readonly<{ name: string; version: string }>; image: string }>;

/** Reads all that a move depends on, and renders the objects that it would store. Writes nothing. */
export async function planMigration(
  client: KubeClient,
  subscription: Subscription,
  deps: NextStepDeps,
  extensionName: string | undefined,
): Promise<MigrationPlan> {
  const read = await readLive(client, subscription.metadata.namespace ?? '', deps.settings);
  const sources = await catalogsInSight(client, read, deps.contents);
  const clusterCatalogs = await liveClusterCatalogs(client, extensionGatesOf(deps.settings));
  const state = { read, sources, clusterCatalogs };
  const { csv, onlyGroup, entry, findings } = await migrationPreflight(client, subscription, state, extensionName);
  const bundle = bundleOf(entry);
  if (csv === undefined || onlyGroup === undefined || bundle === undefined || isRefused(findings)) return { findings };
  const extension = plannedExtension(subscription, onlyGroup, bundle.bundle.version, extensionName);
  const desired = await renderedRevision(client, extension, bundle, deps);
  if ('error' in desired) return { findings: [...findings, refusal(desired.error, 'keep it on OLM Classic')] };
  const objects = desired.phases.flatMap((phase) => phase.objects);
  const strangers = await ownedByOthers(client, objects);
  const refs = objects.map(refOf);
  const record: MigrationRecord = {
    v: 1,
    extension,
    subscription: { ...asMade({ ...subscription, ...SUBSCRIPTION_API }), status: subscription.status } as Subscription,
    csv: asMade({ ...csv, ...CSV_API }),
    ...bundle,
    ...(await classicState(client, { ...csv, ...CSV_API }, subscription, refs)),
    workloads: await runningWorkloads(client, refs),
  };
  return { findings: [...findings, ...strangers], record };
}

/** A namespace and the catalogs of its cluster, as {@link migrationPreflight} judges them. */
export type MigrationState = Readonly<{
  read: NamespaceRead;
  sources: readonly IndexedCatalog[];
  clusterCatalogs: LiveClusterCatalogs;
}>;

/** Returns the objections to a move that are known before the bundle is rendered. Writes nothing. */
export async function migrationPreflight(
  client: KubeClient,
  subscription: Subscription,
  { read, sources, clusterCatalogs }: MigrationState,
  extensionName: string | undefined,
) {
  const { spec, status } = subscription;
  const csv = read.csvs.find(({ metadata }) => metadata.name === status?.installedCSV);
  const [group, ...others] = read.operatorGroups;
  const onlyGroup = others.length === 0 ? group : undefined;
  const source = sources.find(({ key }) => key.name === spec.source && key.namespace === spec.sourceNamespace);
  const entries = source?.index?.package(spec.name)?.record.entries ?? [];
  const entry = entries.find(({ name }) => name === status?.installedCSV);
  const findings = migrationFindings({
    subscription,
    csv,
    group: onlyGroup,
    entry,
    unread: source === undefined ? 'no such CatalogSource' : source.failure,
    ...(await surroundings(client, subscription, extensionName ?? spec.name)),
    catalogs: catalogsWith(clusterCatalogs, spec.name),
  });
  return { csv, onlyGroup, entry, findings };
}

/** Returns ClusterCatalogs that have the package. Returns undefined if one could not be read. */
const catalogsWith = ({ catalogs, unread }: LiveClusterCatalogs, packageName: string): string[] | undefined =>
  unread.length > 0
    ? undefined
    : catalogs.flatMap(({ name, content }) =>
        'error' in content || content.package(packageName) === undefined ? [] : [name],
      );

/** Returns the state that the way back restores: marks of OLM Classic on the objects, and its roles. */
async function classicState(
  client: KubeClient,
  csv: KubernetesObject,
  subscription: Subscription,
  refs: readonly ObjectRef[],
): Promise<Pick<MigrationRecord, 'objects' | 'roles'>> {
  const keys = classicLabelsOf({ csv, subscription });
  const isOwned = (object: KubernetesObject) => isOwnedBy(object, csv);
  const objects = refs.map(async (ref) => {
    const live = await client.get<KubernetesObject>(ref);
    if (live === undefined) return ref;
    const labels = Object.entries(live.metadata.labels ?? {}).filter(([key]) => keys.includes(key));
    return { ...ref, classic: { labels: Object.fromEntries(labels), owned: isOwned(live) } };
  });
  const roles = (await classicRoles(client, csv)).map((role) => ({ object: asMade(role), owned: isOwned(role) }));
  return { objects: await Promise.all(objects), roles };
}

export const isRefused = (findings: readonly MigrationFinding[]): boolean =>
  findings.some(({ kind }) => kind === 'refusal');

const refusal = (text: string, todo: string): MigrationFinding => ({ kind: 'refusal', text, todo });

function bundleOf(entry: EntryRecord | undefined): Bundle | undefined {
  if (entry === undefined || !('image' in entry.source)) return undefined;
  return { bundle: { name: entry.name, version: entry.version }, image: entry.source.image };
}

async function surroundings(client: KubeClient, subscription: Subscription, extension: string) {
  const { namespace = '', name: own } = subscription.metadata;
  const { name: packageName } = subscription.spec;
  const csvName = subscription.status?.installedCSV ?? '';
  const itemsOf = async (kind: Readonly<{ apiVersion: string; kind: string }>, labelSelector?: string) =>
    (await client.list(kind, labelSelector === undefined ? {} : { labelSelector }))?.items ?? [];
  const [subscriptions, copies, extensions, sets, condition, missingKinds] = await Promise.all([
    itemsOf(SUBSCRIPTION_API),
    itemsOf(CSV_API, `${COPIED_FROM_LABEL}=${namespace}`),
    itemsOf(CLUSTER_EXTENSION_API),
    itemsOf(CLUSTER_OBJECT_SET_API, `${OWNER_NAME_LABEL}=${extension}`),
    csvName === '' ? undefined : client.get({ ...OPERATOR_CONDITION_API, name: csvName, namespace }),
    kindsMissing(client),
  ]);
  const packageOf = ({ spec }: KubernetesObject) =>
    asText(asRecord(asRecord(asRecord(spec)['source'])['catalog'])['packageName']);
  const same = extensions.filter((one) => one.metadata.name === extension || packageOf(one) === packageName);
  return {
    otherSubscriptions: subscriptions
      .filter(({ metadata }) => metadata.namespace !== namespace || metadata.name !== own)
      .filter(({ spec }) => asRecord(spec)['name'] === packageName)
      .map(({ metadata }) => `${metadata.namespace}/${metadata.name}`),
    operatorConditions: conditionsOf(condition),
    copies: copies.filter(({ metadata }) => metadata.name === csvName).length,
    extensions: [...new Set([...same, ...(same.length === 0 ? sets : [])].map(({ metadata }) => metadata.name ?? ''))],
    missingKinds,
  };
}

async function kindsMissing(client: KubeClient): Promise<string[]> {
  const kinds = [CLUSTER_EXTENSION_API, CLUSTER_OBJECT_SET_API];
  const served = await Promise.all(kinds.map((kind) => client.serves(kind)));
  return kinds.flatMap(({ kind }, at) => (served[at] === true ? [] : [kind]));
}

/** Returns the conditions of the operator, and the users' overrides. */
function conditionsOf(condition: KubernetesObject | undefined): string[] {
  const { overrides, conditions } = asRecord(condition?.['spec']);
  const all = [...asList(conditions), ...asList(overrides)]
    .map(asRecord)
    .filter(({ type, status }) => type !== 'Upgradeable' || status !== 'True');
  return [...new Set(all.map(({ type, status }) => `${asText(type)}=${asText(status)}`))];
}

/** The revision that OLM v1 makes of the bundle; nothing is written for it. */
export async function renderedRevision(
  client: KubeClient,
  extension: ClusterExtension,
  { bundle, image }: Bundle,
  deps: NextStepDeps,
): Promise<DesiredRevision | Readonly<{ error: string }>> {
  const read = {
    name: extension.metadata.name ?? '',
    extension,
    revisions: [],
    states: revisionStates([]),
    secrets: new Map(),
  };
  const pass: ExtensionPass = {
    ...{ deps: extensionDepsOf(deps), read, reader: new PassReader(client), client, writer: client },
    ...{ now: new SystemClock().now(), signal: new AbortController().signal, patience: Patience.endless() },
  };
  const content = await pullBundleContent(pass, image);
  if ('error' in content) return { error: content.error };
  if ('stillFetching' in content) return { error: `image ${image} cannot be pulled` };
  const chosen = { kind: 'bundle', bundle: { bundle, image }, query: '' } as const;
  const prepared = await prepareRevision(pass, chosen, content, await certificateProvider(client));
  return 'reason' in prepared ? { error: prepared.message } : prepared;
}

/** Objects of the bundle that another controller has: they are never taken over. */
async function ownedByOthers(client: KubeClient, objects: readonly KubernetesObject[]): Promise<MigrationFinding[]> {
  const found = await Promise.all(
    objects.map(async (object) => {
      const owners = (await client.get<KubernetesObject>(refOf(object)))?.metadata.ownerReferences ?? [];
      const controller = owners.find((owner) => owner.controller === true);
      if (controller === undefined) return [];
      const text = `${titleOf(object)} belongs to ${controller.kind} ${controller.name}`;
      return [refusal(text, 'find its owner, and let the owner release it')];
    }),
  );
  return found.flat();
}
