import { type CommandAccess, commandIn } from '#core/cluster/advice/command-in';
import { diagnoseCatalogSource } from '#core/cluster/diagnosis/diagnose-catalog-source';
import { diagnoseConditions } from '#core/cluster/diagnosis/diagnose-conditions';
import { diagnoseCsv } from '#core/cluster/diagnosis/diagnose-csv';
import { diagnoseInstallPlan } from '#core/cluster/diagnosis/diagnose-install-plan';
import { diagnoseSubscription } from '#core/cluster/diagnosis/diagnose-subscription';
import type { Diagnosis } from '#core/cluster/diagnosis/diagnosis';
import { type HubEvent, withHinderedHub, withHubEvents } from '#core/cluster/diagnosis/hindered-hub';
import { CATALOG_SOURCE_API, type CatalogSource } from '#core/kernel/api/catalog-source';
import { CLUSTER_CATALOG_API } from '#core/kernel/api/cluster-catalog';
import { CLUSTER_EXTENSION_API } from '#core/kernel/api/cluster-extension';
import type { KubernetesObject } from '#core/kernel/api/kubernetes-object';
import { byCodeUnit } from '#core/kernel/canonical/canonical-json';
import { didYouMean } from '#core/kernel/text/did-you-mean';
import { extensionGatesOf } from '#platform/config/extension-gates';
import type { Settings } from '#platform/config/settings';
import type { KubeClient } from '#platform/kube/client/kube-client.port';
import { refusedReads } from '../../clusters/refused-reads.js';
import { type Withheld, withheldLines, withNextStep } from '../../clusters/withheld.js';
import type { LiveContents } from '../../preview/live-contents.js';
import { catalogsInSight, type LiveNamespace, readLive, unreadText } from '../../preview/live-namespace.js';
import { type ExplainAnswer, explainObserved } from '../../resolution/explain-answer.js';
import { NotFound, UsageError } from '../../terminal/io.js';
import { withoutGroup } from '../objects/live-kinds.js';
import { explainLiveExtension } from './explain-live-extension.js';
import { withResolution } from './with-resolution.js';

/** The kinds that `explain` reads from a cluster. */
export type LiveSubject =
  | 'Subscription'
  | 'InstallPlan'
  | 'ClusterServiceVersion'
  | 'CatalogSource'
  | 'ClusterCatalog'
  | 'ClusterExtension';

/** The answer to a live `flotilla explain`, also printed by `-o json`. */
export type LiveAnswer = Diagnosis &
  Readonly<{
    cluster: string;
    kind: LiveSubject;
    namespace?: string;
    name: string;
    /** The present answer of resolution, if it adds something. */
    resolution?: Omit<ExplainAnswer, 'kind' | 'name' | 'namespace'>;
    /** Catalogs with unreadable content, each with the cause. */
    unread?: readonly string[];
    /** Objects that this login may not read, and that could be a reason. */
    withheld?: readonly Withheld[];
  }>;

export type Asked = Readonly<{ kind: LiveSubject; name: string; namespace: string | undefined }>;
export type LiveDeps = Readonly<{
  settings: Settings;
  /** Options of the next command. */
  access: CommandAccess;
  contents: () => Promise<LiveContents>;
  /** Reads the troubles of the hub in a cluster, one line each; undefined if the hub does not say. */
  troubles: (cluster: string) => Promise<readonly string[] | undefined>;
}>;

/**
 * Explains one object of a cluster.
 * @throws NotFound if there is no such object
 */
export async function explainLive(client: KubeClient, asked: Asked, deps: LiveDeps): Promise<LiveAnswer> {
  const answer = await explainObject(client, asked, deps).catch((error: unknown) => {
    throw withNextStep(error, { namespace: asked.namespace, isNarrowable: false, access: deps.access });
  });
  if (answer.standing !== 'under-way') return answer;
  const troubles = await deps.troubles(client.cluster);
  if (troubles !== undefined) return { ...answer, ...withHinderedHub(answer, troubles) };
  return { ...answer, ...withHubEvents(answer, await eventsOf(client, asked)) };
}

/** Returns Events about reads of the object or its namespace that the API server refused to the hub. */
async function eventsOf(client: KubeClient, { kind, name, namespace }: Asked): Promise<readonly HubEvent[]> {
  const about = namespace === undefined ? { kind, name } : { kind: 'Namespace', name: namespace };
  const found = await refusedReads(client, new Date());
  return found.filter((one) => one.about.kind === about.kind && one.about.name === about.name);
}

async function explainObject(client: KubeClient, asked: Asked, deps: LiveDeps): Promise<LiveAnswer> {
  const { kind, name } = asked;
  const base = { cluster: client.cluster, kind, name };
  if (kind === 'ClusterCatalog' || kind === 'ClusterExtension') {
    const object = await client.get({ apiVersion: CLUSTER_CATALOG_API.apiVersion, kind, name });
    if (object === undefined) throw new NotFound(`no ${kind} ${name} in ${client.cluster}`);
    if (kind === 'ClusterExtension')
      return {
        ...base,
        ...(await explainLiveExtension(
          client,
          { ...object, ...CLUSTER_EXTENSION_API },
          extensionGatesOf(deps.settings),
        )),
      };
    return { ...base, ...diagnoseConditions({ ...object, kind }) };
  }
  const { namespace } = asked;
  if (namespace === undefined) throw new UsageError(`specify a namespace with -n`);
  if (kind === 'CatalogSource') {
    const source = await client.get<CatalogSource>({ ...CATALOG_SOURCE_API, name, namespace });
    if (source === undefined)
      throw new NotFound(`no CatalogSource ${name} in namespace ${namespace} of ${client.cluster}`);
    return { ...base, namespace, ...diagnoseCatalogSource(source) };
  }
  const read = await readLive(client, namespace, deps.settings);
  const described = { ...base, namespace, ...(read.withheld.length > 0 && { withheld: read.withheld }) };
  if (kind === 'InstallPlan')
    return {
      ...described,
      ...diagnoseInstallPlan(found(client, asked, read.installPlans), read.operatorGroups, read.subscriptions),
    };
  if (kind === 'ClusterServiceVersion') return { ...described, ...diagnoseCsv(found(client, asked, read.csvs), read) };
  return { ...described, ...(await explainSubscription(client, asked, read, deps)) };
}

function found<T extends KubernetesObject>(
  { cluster }: KubeClient,
  { kind, name, namespace }: Asked,
  all: readonly T[],
): T {
  const object = all.find(({ metadata }) => metadata.name === name);
  if (object !== undefined) return object;
  const names = all.map(({ metadata }) => metadata.name ?? '').sort(byCodeUnit);
  const there =
    names.length === 0 ? '' : `; there ${names.length === 1 ? 'is' : 'are'} ${names.slice(0, NAMED).join(', ')}`;
  const meant = didYouMean(name, names);
  throw new NotFound(`no ${kind} ${name} in namespace ${namespace} of ${cluster}${meant}${there}`);
}

const NAMED = 10;

/**
 * Explains a failed resolution again. If the Subscription is healthy, names newer versions and the reason
 * that they do not come.
 */
async function explainSubscription(
  client: KubeClient,
  asked: Asked,
  read: LiveNamespace,
  { contents }: LiveDeps,
): Promise<Omit<LiveAnswer, 'cluster' | 'kind' | 'name' | 'namespace'>> {
  const subscription = found(client, asked, read.subscriptions);
  const seen = diagnoseSubscription(subscription, read);
  const failed = subscription.status?.conditions?.some(
    ({ type, status }) => type === 'ResolutionFailed' && status === 'True',
  );
  // A cause at another object, such as a failed plan, is the reason for the failed resolution,
  // not the other way round.
  const adds = seen.standing === 'well' || (failed && seen.standing === 'failed' && seen.root === undefined);
  if (!adds || read.operatorGroups.length !== 1 || read.hiddenCatalogs.length > 0) return seen;
  const catalogs = await catalogsInSight(client, read, await contents());
  const unread = catalogs.flatMap(unreadText);
  if (unread.length > 0) return { ...seen, unread };
  const {
    kind: _kind,
    name: _name,
    namespace: _namespace,
    ...resolution
  } = explainObserved({ kind: 'Subscription', name: asked.name }, read, catalogs);
  return withResolution(seen, resolution, read);
}

/** Returns the answer for people: state, causes, the answer of resolution, next steps. */
export function liveText(
  {
    cluster,
    kind,
    namespace,
    name,
    standing,
    because,
    stillRuns,
    todo,
    resolution,
    unread = [],
    withheld = [],
  }: LiveAnswer,
  access: CommandAccess,
): string {
  const where = namespace === undefined ? '' : ` in namespace ${namespace}`;
  const [seen = '', ...causes] = because;
  return [
    `${kind} ${name}${where} of ${cluster}`,
    `  ${seen}`,
    // If the object is healthy, a second condition is no cause of the first.
    ...causes.map((cause) => (standing === 'well' && namespace === undefined ? `  ${cause}` : `    because: ${cause}`)),
    ...(stillRuns === undefined ? [] : [`  ${stillRuns} still runs.`]),
    ...(resolution === undefined ? [] : ['', resolution.text]),
    ...unread.map((one) => `\nThe content of catalog ${one} could not be read.`),
    ...(withheld.length === 0 ? [] : ['', ...withheldLines(withheld, access)]),
    ...(todo.length === 0 ? [] : ['', 'What to do:', ...todo.map((one) => `  ${commandIn(access, one)}`)]),
    '',
  ].join('\n');
}

const WORDS: Readonly<Record<string, LiveSubject>> = {
  subscription: 'Subscription',
  sub: 'Subscription',
  installplan: 'InstallPlan',
  ip: 'InstallPlan',
  clusterserviceversion: 'ClusterServiceVersion',
  csv: 'ClusterServiceVersion',
  catalogsource: 'CatalogSource',
  catsrc: 'CatalogSource',
  catalog: 'CatalogSource',
  clustercatalog: 'ClusterCatalog',
  clusterextension: 'ClusterExtension',
  extension: 'ClusterExtension',
};

/** The kind that a word on the command line means, singular or plural. */
export function liveSubject(word: string): LiveSubject {
  const singular = withoutGroup(word).toLowerCase().replace(/s$/, '');
  const kind = Object.hasOwn(WORDS, singular) ? WORDS[singular] : undefined;
  if (kind !== undefined) return kind;
  throw new UsageError(
    `cannot explain objects of kind "${word}"${didYouMean(word, Object.keys(WORDS))}; name a subscription, installplan, csv, catalogsource, clustercatalog or extension`,
  );
}
