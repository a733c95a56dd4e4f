import { type UpgradeGraph, upgradeGraphs } from '#core/catalog/graph/upgrade-graph';
import type { Catalog } from '#core/catalog/model/catalog';
import { findInstalled } from '#core/catalog/path/find-point';
import { newestOf, upgradePath } from '#core/catalog/path/upgrade-path';
import { renderExplanation } from '#core/classic/resolution/explain/render-explanation';
import type { IndexedCatalog } from '#core/classic/resolution/problem/catalog-slice';
import type { Resolution } from '#core/classic/resolution/problem/resolution-problem';
import type { ResolvedPath } from '#core/classic/upgrade-path/resolve-path';
import type { CatalogSource } from '#core/kernel/api/catalog-source';
import type { ClusterCatalog } from '#core/kernel/api/cluster-catalog';
import type { Subscription } from '#core/kernel/api/subscription';
import { classicDeprecations } from '#core/rollout/review/deprecations';
import type { Settings } from '#platform/config/settings';
import { inParallel } from '#platform/fairness/in-parallel';
import type { KubeClient } from '#platform/kube/client/kube-client.port';
import type { LiveContents } from '../../../preview/live-contents.js';
import { catalogsInSight, readLive, unreadText } from '../../../preview/live-namespace.js';
import { managedNamespaces } from '../../../preview/next-step.js';
import { indexOf, pathOffline, resolveOffline } from '../../../resolution/resolve-offline.js';
import type { ImpactContent, ImpactContents } from './impact-content.js';

/**
 * The effect of a new catalog on one Subscription or ClusterExtension. `breaks`: it could continue before,
 * and could not any more.
 */
export type CatalogImpact = Readonly<{
  cluster: string;
  namespace: string;
  /** The Subscription; empty for a ClusterExtension. */
  subscription: string;
  /** The ClusterExtension; empty for a Subscription. */
  extension: string;
  package: string;
  /** The channel; for a ClusterExtension the channels of its spec, if any. */
  channel: string;
  from: string;
  /** The last bundle of its path; empty if it stays. */
  to: string;
  /** The bundles on the way, the last one included. */
  hops: readonly string[];
  effect: 'upgrades' | 'stays' | 'unchanged' | 'held' | 'breaks';
  message: string;
  /** The changes of an upgrade; null if bundles are not read. */
  content: ImpactContent | null;
}>;

/** The catalog that takes the place of those that `replaces` says. */
export type NewCatalog = Readonly<{
  catalog: Catalog;
  replaces: (source: CatalogSource) => boolean;
  replacesClusterCatalog: (catalog: ClusterCatalog) => boolean;
}>;

export type ClusterImpact = Readonly<{
  impacts: readonly CatalogImpact[];
  replaced: readonly string[];
  unread: readonly string[];
}>;
/** Dependencies of the check. `upgrades` compares the contents of bundles; absent: bundles are not read. */
type Deps = Readonly<{ settings: Settings; contents: LiveContents; upgrades?: ImpactContents | undefined }>;

const AT_ONCE = 8;

/**
 * Returns the effect of a catalog that is not there yet on every Subscription of a cluster. Writes nothing.
 */
export async function catalogImpact(client: KubeClient, wanted: NewCatalog, deps: Deps): Promise<ClusterImpact> {
  const namespaces = await managedNamespaces(client);
  const graphs = upgradeGraphs(wanted.catalog);
  const index = indexOf(wanted.catalog);
  const found = await inParallel(namespaces, AT_ONCE, async (namespace): Promise<ClusterImpact> => {
    const read = await readLive(client, namespace, deps.settings);
    const replaced = read.catalogSources.filter(wanted.replaces);
    const names = new Set(replaced.map(({ metadata }) => `${metadata.namespace}/${metadata.name}`));
    const asking = read.subscriptions.filter(({ spec }) => names.has(`${spec.sourceNamespace}/${spec.source}`));
    // A Subscription with operators from another catalog may need an operator of this catalog all the same.
    const others = replaced.length === 0 ? [] : read.subscriptions.filter((one) => !asking.includes(one));
    if (asking.length + others.length === 0) return { impacts: [], replaced: [...names], unread: [] };
    const before = await catalogsInSight(client, read, deps.contents);
    const after = before.map((one): IndexedCatalog => {
      const isReplaced = names.has(`${one.key.namespace}/${one.key.name}`);
      return isReplaced ? { key: one.key, priority: one.priority, index } : one;
    });
    const [was, is] = [before, after].map((catalogs) => resolveOffline(read, catalogs).resolution);
    const path = pathOffline(read, after);
    const impacts = await inParallel([...asking], AT_ONCE, async (one) => {
      const impact = impactOn(one, graphs, { was, is, path });
      const isRead = impact.effect === 'upgrades' && deps.upgrades !== undefined;
      if (!isRead) return { ...impact, content: null };
      const record = graphs.get(impact.package)?.record;
      const deprecations = record === undefined ? [] : classicDeprecations(record, impact.channel, impact.to);
      const content = await deps.upgrades.of(client, { namespace, deprecations, ...impact });
      return { ...impact, content };
    });
    for (const one of others) {
      const impact = impactOnOther(one, { was, is });
      if (impact !== undefined) impacts.push({ ...impact, content: null });
    }
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
/** `path`: the InstallPlans of the namespace with the new catalog. */
type Answers = Resolutions & Readonly<{ path: ResolvedPath }>;
type OnSubscription = Omit<CatalogImpact, 'cluster' | 'namespace' | 'content'>;

const baseOf = ({ metadata, spec, status }: Subscription) => ({
  ...{ subscription: metadata.name ?? '', extension: '', package: spec.name, channel: spec.channel ?? '' },
  ...{ from: status?.installedCSV ?? '', to: '', hops: [] },
});

/**
 * Returns the impact on a Subscription of another catalog. It has one if its namespace cannot be resolved any
 * more.
 */
function impactOnOther(other: Subscription, { was, is }: Resolutions): OnSubscription | undefined {
  const failure = failureOf(is);
  if (failure === undefined || failureOf(was) !== undefined) return undefined;
  return { ...baseOf(other), effect: 'breaks', message: failure };
}

function impactOn(
  subscribed: Subscription,
  graphs: ReadonlyMap<string, UpgradeGraph>,
  { was, is, path }: Answers,
): OnSubscription {
  const { spec } = subscribed;
  const graph = graphs.get(spec.name);
  const channel = spec.channel || graph?.record.defaultChannel || '';
  const base = { ...baseOf(subscribed), channel, message: '' };
  const { from } = base;
  const breaks = (message: string): OnSubscription => ({ ...base, effect: 'breaks', message });
  if (graph === undefined) return breaks(`package ${spec.name} is not in the new catalog`);
  const goal = newestOf(graph, channel);
  if (goal === undefined) {
    const names = [...new Set(graph.record.entries.map((entry) => entry.channel))].join(', ');
    return breaks(`channel ${channel} is not in the new catalog; package ${spec.name} has ${names} there`);
  }
  const failure = failureOf(is);
  if (failure !== undefined) {
    return failureOf(was) === undefined ? breaks(failure) : { ...base, effect: 'held', message: failure };
  }
  const hops = hopsOf(path, base.subscription);
  const to = hops.at(-1) ?? '';
  if (from === '') return { ...base, to, hops, effect: 'upgrades', message: 'is installed anew' };
  const start = findInstalled(graph, from);
  if (start.kind !== 'found') return breaks(`${from} is installed, and the new catalog has no upgrade from it`);
  const { olm, why = [] } = upgradePath(graph, { start: { installed: start.installed, channel }, goal });
  if (olm === undefined) return breaks(why.join(' '));
  const later = failureOf(path.ends);
  if (later !== undefined) return { ...breaks(`after ${to}: ${later}`), to, hops };
  if (olm.length === 0) return { ...base, effect: 'stays' };
  if (to === goal.name) return { ...base, to, hops, effect: 'upgrades' };
  const message = `${goal.name} cannot be installed: the visible catalogs do not meet its requirements`;
  return to === '' ? { ...base, effect: 'held', message } : { ...base, to, hops, effect: 'upgrades', message };
}

/** The bundles that a Subscription gets one after the other. */
const hopsOf = ({ hops }: ResolvedPath, subscription: string): string[] =>
  hops.flatMap(({ moves }) => moves.filter((one) => one.subscription === subscription).map(({ to }) => to));

/** Returns the cause of a failed resolution of a namespace, in one text. */
function failureOf(resolution: Resolution | undefined): string | undefined {
  if (resolution === undefined || resolution.result === 'resolved') return undefined;
  if (resolution.result === 'error') return resolution.message;
  return renderExplanation(resolution.explanation, resolution.advice);
}
