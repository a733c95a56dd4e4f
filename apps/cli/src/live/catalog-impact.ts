import { type UpgradeGraph, upgradeGraphs } from '#core/catalog/graph/upgrade-graph';
import type { Catalog } from '#core/catalog/model/catalog';
import { findInstalled } from '#core/catalog/path/find-point';
import { newestOf, upgradePath } from '#core/catalog/path/upgrade-path';
import type { IndexedCatalog } from '#core/classic/resolution/catalog-slice';
import { renderExplanation } from '#core/classic/resolution/explain/render-explanation';
import type { Resolution } from '#core/classic/resolution/resolution-problem';
import type { CatalogSource } from '#core/kernel/api/catalog-source';
import type { Subscription } from '#core/kernel/api/subscription';
import type { Settings } from '#platform/config/settings';
import type { KubeClient } from '#platform/kube/client/kube-client.port';
import { inParallel } from '../in-parallel.js';
import { indexOf, resolveOffline } from '../resolution/resolve-offline.js';
import type { LiveContents } from './live-contents.js';
import { catalogsInSight, readLive, unreadText } from './live-namespace.js';
import { managedNamespaces } from './next-step.js';

/** What a new catalog does to one Subscription. `breaks`: it could go on before, and could not any more. */
export type CatalogImpact = Readonly<{
  cluster: string;
  namespace: string;
  subscription: string;
  package: string;
  channel: string;
  from: string;
  /** Where it comes to in the end; empty where it stays. */
  to: string;
  /** The bundles on the way, the last one included. */
  hops: readonly string[];
  effect: 'upgrades' | 'stays' | 'unchanged' | 'held' | 'breaks';
  message: string;
}>;

/** The catalog that takes the place of those that `replaces` says. */
export type NewCatalog = Readonly<{ catalog: Catalog; replaces: (source: CatalogSource) => boolean }>;

export type ClusterImpact = Readonly<{
  impacts: readonly CatalogImpact[];
  replaced: readonly string[];
  unread: readonly string[];
}>;
type Deps = Readonly<{ settings: Settings; contents: LiveContents }>;

const AT_ONCE = 8;

/** What a catalog that is not there yet would do to every Subscription of a cluster. Writes nothing. */
export async function catalogImpact(client: KubeClient, wanted: NewCatalog, deps: Deps): Promise<ClusterImpact> {
  const namespaces = await managedNamespaces(client);
  const graphs = upgradeGraphs(wanted.catalog);
  const index = indexOf(wanted.catalog);
  const found = await inParallel(namespaces, AT_ONCE, async (namespace): Promise<ClusterImpact> => {
    const read = await readLive(client, namespace, deps.settings);
    const replaced = read.catalogSources.filter(wanted.replaces);
    const names = new Set(replaced.map(({ metadata }) => `${metadata.namespace}/${metadata.name}`));
    const asking = read.subscriptions.filter(({ spec }) => names.has(`${spec.sourceNamespace}/${spec.source}`));
    if (asking.length === 0) return { impacts: [], replaced: [...names], unread: [] };
    const before = await catalogsInSight(client, read, deps.contents);
    const after = before.map((one): IndexedCatalog => {
      const isReplaced = names.has(`${one.key.namespace}/${one.key.name}`);
      return isReplaced ? { key: one.key, priority: one.priority, index } : one;
    });
    const [was, is] = [before, after].map((catalogs) => resolveOffline(read, catalogs).resolution);
    const impacts = asking.map((one) => impactOn(one, graphs, { was, is }));
    const unread = before.filter(({ key }) => !names.has(`${key.namespace}/${key.name}`)).flatMap(unreadText);
    return {
      impacts: impacts.map((impact) => ({ cluster: client.cluster, namespace, ...impact })),
      replaced: [...names],
      unread,
    };
  });
  return {
    impacts: found.flatMap(({ impacts }) => impacts),
    replaced: [...new Set(found.flatMap(({ replaced }) => replaced))],
    unread: [...new Set(found.flatMap(({ unread }) => unread))],
  };
}

type Resolutions = Readonly<{ was: Resolution | undefined; is: Resolution | undefined }>;
type OnSubscription = Omit<CatalogImpact, 'cluster' | 'namespace'>;

function impactOn(
  { metadata, spec, status }: Subscription,
  graphs: ReadonlyMap<string, UpgradeGraph>,
  { was, is }: Resolutions,
): OnSubscription {
  const from = status?.installedCSV ?? '';
  const graph = graphs.get(spec.name);
  const channel = spec.channel || graph?.record.defaultChannel || '';
  const base = { subscription: metadata.name ?? '', package: spec.name, channel, from, to: '', hops: [], message: '' };
  const breaks = (message: string): OnSubscription => ({ ...base, effect: 'breaks', message });
  if (graph === undefined) return breaks(`package ${spec.name} is not in the new catalog`);
  const goal = newestOf(graph, channel);
  if (goal === undefined) return breaks(`channel ${channel} is not in the new catalog, or has several heads`);
  const failure = failureOf(is);
  if (failure !== undefined) {
    return failureOf(was) === undefined ? breaks(failure) : { ...base, effect: 'held', message: failure };
  }
  if (from === '')
    return { ...base, to: goal.name, hops: [goal.name], effect: 'upgrades', message: 'is installed anew' };
  const start = findInstalled(graph, from);
  if (start.kind !== 'found') return breaks(`${from} is installed, and nothing in the new catalog leads on from it`);
  const { olm, why = [] } = upgradePath(graph, { start: { installed: start.installed, channel }, goal });
  if (olm === undefined) return breaks(why.join(' '));
  if (olm.length === 0) return { ...base, effect: 'stays' };
  const hops = olm.map(({ to }) => to);
  return { ...base, to: goal.name, hops, effect: 'upgrades' };
}

/** Why a namespace is not resolved, in one text. */
function failureOf(resolution: Resolution | undefined): string | undefined {
  if (resolution === undefined || resolution.result === 'resolved') return undefined;
  if (resolution.result === 'error') return resolution.message;
  return renderExplanation(resolution.explanation, resolution.advice);
}
