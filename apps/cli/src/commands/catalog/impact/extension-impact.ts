import { MOST_HOPS } from '#core/classic/upgrade-path/resolve-path';
import { CLUSTER_CATALOG_API, ClusterCatalog } from '#core/kernel/api/cluster-catalog';
import { CLUSTER_EXTENSION_API, ClusterExtension } from '#core/kernel/api/cluster-extension';
import { byCodeUnit } from '#core/kernel/canonical/canonical-json';
import { versionChange } from '#core/rollout/review/plan-changes';
import type { ExtensionCatalog } from '#core/v1/extension/catalog-query';
import { asksCatalog, desiredExtension } from '#core/v1/extension/extension-problem';
import { type FeatureGates, packageIndex } from '#core/v1/extension/package-content';
import type { InstalledBundle } from '#core/v1/revision/installed-revision';
import { extensionGatesOf } from '#platform/config/extension-gates';
import type { Settings } from '#platform/config/settings';
import type { KubeClient } from '#platform/kube/client/kube-client.port';
import { liveClusterCatalogs } from '../../../preview/live-cluster-catalogs.js';
import { extensionCatalog, resolvedPlan } from '../../../resolution/plan-extensions.js';
import type { CatalogImpact, ClusterImpact, NewCatalog } from './catalog-impact.js';
import type { ImpactContent } from './impact-content.js';

/** Contents of bundles of OLM v1 are not read for this answer. */
const NOT_COMPARED = 'those of ClusterExtensions are not read';

/**
 * The ClusterCatalogs of a cluster before and after. The new content takes the place of that of the replaced
 * catalogs.
 */
type Catalogs = Readonly<{
  before: readonly ExtensionCatalog[];
  after: readonly ExtensionCatalog[];
  /** The replaced catalogs, with their present content. */
  replaced: readonly ExtensionCatalog[];
}>;

/**
 * Returns the effect of a catalog that is not there yet on every ClusterExtension of a cluster. Writes
 * nothing.
 */
export async function extensionImpact(
  client: KubeClient,
  wanted: NewCatalog,
  settings: Settings,
): Promise<ClusterImpact> {
  const gates = extensionGatesOf(settings);
  const objects = ((await client.list(CLUSTER_CATALOG_API))?.items ?? []).map((one) => ({
    ...one,
    ...CLUSTER_CATALOG_API,
  }));
  const taken = objects.filter((one) => {
    const { data } = ClusterCatalog.safeParse(one);
    return data !== undefined && wanted.replacesClusterCatalog(data);
  });
  const names = new Set(taken.map(({ metadata }) => metadata.name ?? ''));
  if (names.size === 0) return { impacts: [], replaced: [], unread: [] };
  const { catalogs: before, unread } = await liveClusterCatalogs(client, gates);
  const renewed = new Map(
    taken.flatMap((one) => {
      const made = extensionCatalog(one, wanted.catalog, gates);
      return made === undefined ? [] : [[made.name, made] as const];
    }),
  );
  const catalogs: Catalogs = {
    before,
    after: before.map((one) => renewed.get(one.name) ?? one),
    replaced: before.filter(({ name }) => names.has(name)),
  };
  const index = packageIndex(wanted.catalog, gates);
  const extensions = ((await client.list(CLUSTER_EXTENSION_API))?.items ?? [])
    .flatMap((one) => ClusterExtension.safeParse({ ...one, ...CLUSTER_EXTENSION_API }).data ?? [])
    .sort((a, b) => byCodeUnit(a.metadata.name ?? '', b.metadata.name ?? ''));
  const impacts = extensions.flatMap((extension) => {
    const has = (name: string): boolean => index.package(name) !== undefined;
    const impact = isConcerned(extension, catalogs, has) ? impactOn(extension, catalogs, gates) : undefined;
    return impact === undefined ? [] : [{ cluster: client.cluster, namespace: extension.spec.namespace, ...impact }];
  });
  // The present content of a replaced catalog need not be read.
  const others = unread.filter((one) => ![...names].some((name) => one.startsWith(`${name}: `)));
  return { impacts, replaced: [...names], unread: others };
}

const isUnread = ({ content }: ExtensionCatalog): boolean => 'error' in content;

/** True if an extension may have its package from a replaced catalog, before or after. */
function isConcerned(
  extension: ClusterExtension,
  { replaced }: Catalogs,
  isInNew: (packageName: string) => boolean,
): boolean {
  const query = desiredExtension(extension, undefined)?.query;
  if (query === undefined) return false;
  return replaced.some((catalog) => {
    if (!asksCatalog(query, catalog)) return false;
    const { content } = catalog;
    return isInNew(query.packageName) || 'error' in content || content.package(query.packageName) !== undefined;
  });
}

function impactOn(
  extension: ClusterExtension,
  { before, after, replaced }: Catalogs,
  gates: FeatureGates,
): Omit<CatalogImpact, 'cluster' | 'namespace'> | undefined {
  const installed = extension.status?.install?.bundle;
  const { packageName = '', channels = [] } = extension.spec.source.catalog ?? {};
  const base = {
    ...{ subscription: '', extension: extension.metadata.name ?? '', package: packageName },
    ...{ channel: channels.join(', '), from: installed?.name ?? '', to: '', hops: [], content: null, message: '' },
  };
  const { hops, note, error } = pathOf(extension, installed, after, gates);
  const to = hops.at(-1) ?? '';
  if (error !== undefined && to === '') {
    // The present content of its catalog could not be read: the extension counts as one that continued.
    const was = replaced.some(isUnread) ? undefined : resolvedPlan(extension, installed, before, gates)?.plan.error;
    return { ...base, effect: was === undefined ? 'breaks' : 'held', message: error };
  }
  if (error !== undefined) return { ...base, to, hops, effect: 'breaks', message: `after ${to}: ${error}` };
  if (to === '') return { ...base, effect: 'stays', message: note };
  const message = base.from === '' ? 'is installed anew' : note;
  return { ...base, to, hops, effect: 'upgrades', message, content: contentOf(base.from, to) };
}

type ExtensionPath = Readonly<{ hops: readonly string[]; note: string; error: string | undefined }>;

/** Returns the bundles of the path in their order, with the note or the error at its end. */
function pathOf(
  extension: ClusterExtension,
  installed: InstalledBundle | undefined,
  catalogs: readonly ExtensionCatalog[],
  gates: FeatureGates,
): ExtensionPath {
  const hops: string[] = [];
  let has = installed;
  for (;;) {
    const found = resolvedPlan(extension, has, catalogs, gates);
    const note = found?.plan.note ?? '';
    if (found?.solution.class !== 'Resolved') return { hops, note, error: found?.plan.error };
    const { bundle } = found.solution;
    const isThere = bundle.name === has?.name && bundle.version === has.version && bundle.release === has.release;
    if (isThere || hops.length === MOST_HOPS) return { hops, note, error: undefined };
    hops.push(bundle.name);
    has = bundle;
  }
}

/**
 * Returns content with the kind of the version change, read from the bundles' names. Nothing else is
 * compared.
 */
const contentOf = (from: string, to: string): ImpactContent => ({
  changes: [versionChange(from === '' ? null : from, to)],
  rights: { added: [], removed: [] },
  ...{ crds: [], webhooks: [], deprecations: [], unread: NOT_COMPARED },
});
