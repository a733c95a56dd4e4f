import type { CatalogSource } from '../../kernel/api/catalog-source.js';
import type { ClusterCatalog } from '../../kernel/api/cluster-catalog.js';
import type { ClusterExtension } from '../../kernel/api/cluster-extension.js';
import { FLEET_API } from '../../kernel/api/fleet/fleet-fields.js';
import type { Subscription } from '../../kernel/api/subscription.js';
import { byCodeUnit, canonicalJson } from '../../kernel/canonical/canonical-json.js';
import { dnsName } from '../../kernel/labels/dns-name.js';
import { type CatalogNames, type ExportedCatalog, exportedCatalogs } from './exported-catalogs.js';

/** The parts of a cluster that a fleet is written from. */
export type ExportedCluster = Readonly<{
  context: string;
  uid: string | undefined;
  globalCatalogNamespace: string;
  /** The namespace of global catalogs is set for this cluster, and not found by its kind. */
  isGlobalNamespaceSet: boolean;
  catalogSources: readonly CatalogSource[];
  clusterCatalogs: readonly ClusterCatalog[];
  subscriptions: readonly Subscription[];
  extensions: readonly ClusterExtension[];
}>;

export type FleetManifest = Readonly<{
  apiVersion: typeof FLEET_API;
  kind: string;
  metadata: Readonly<{ name: string; namespace?: string }>;
  spec: Readonly<Record<string, unknown>>;
}>;

/** Manifests of a fleet, and the parts that could not be written, one line each. */
type FleetExport = Readonly<{
  clusters: readonly FleetManifest[];
  catalogs: readonly FleetManifest[];
  operators: readonly FleetManifest[];
  strategy: FleetManifest;
  notes: readonly string[];
}>;

const EXPORTED_STRATEGY = 'careful';
const LONGEST_EXPRESSION = 4_000;

/** An operator in one cluster. */
type Found = Readonly<{
  cluster: string;
  api: 'Classic' | 'V1';
  package: string;
  namespace: string;
  catalog: Readonly<Record<string, string>>;
  channel: string | undefined;
  config: object | undefined;
  /** Fields that clusters must share to be one FleetOperator. */
  fixed: Readonly<Record<string, unknown>>;
}>;

/**
 * Writes the objects of a fleet from the objects of clusters. Each catalog image gets a FleetCatalog. Each
 * package and namespace gets a FleetOperator that adopts the existing objects. A strategy to edit is added.
 * The same input gives the same objects. `namespace` is that of the hub for kinds that have one.
 *
 * @throws RangeError if two contexts give one name
 */
export function fleetManifests(clusters: readonly ExportedCluster[], namespace: string): FleetExport {
  const named = clusters.map((cluster) => ({ ...cluster, name: dnsName(cluster.context) }));
  for (const one of named) {
    const twin = named.find(({ name, context }) => name === one.name && context !== one.context);
    if (twin !== undefined)
      throw new RangeError(`contexts "${one.context}" and "${twin.context}" would both be FleetCluster ${one.name}`);
  }
  const names = named.map(({ name }) => name).sort(byCodeUnit);
  const { catalogs, of } = exportedCatalogs(named);
  const found = named.flatMap((cluster) => [
    ...cluster.subscriptions.map((one) => fromSubscription(cluster.name, one, of)),
    ...cluster.extensions.flatMap((one) => fromExtension(cluster.name, cluster.clusterCatalogs, one, of)),
  ]);
  const notes = named.flatMap((cluster) => notesOf(cluster, of));
  return {
    clusters: named.map((cluster) => clusterManifest(cluster)).sort(byName),
    catalogs: catalogs.map((one) => catalogManifest(one, names, namespace)).sort(byName),
    operators: operatorManifests(found, names, namespace).sort(byName),
    strategy: strategyManifest(namespace),
    notes: [...new Set(notes)].sort(byCodeUnit),
  };
}

type NamedCluster = ExportedCluster & Readonly<{ name: string }>;
const byName = (a: FleetManifest, b: FleetManifest): number => byCodeUnit(a.metadata.name, b.metadata.name);

const clusterManifest = ({ name, context, uid, globalCatalogNamespace, isGlobalNamespaceSet }: NamedCluster) =>
  manifest(
    'FleetCluster',
    { name },
    {
      access: { context },
      ...(uid === undefined ? {} : { uid }),
      ...(isGlobalNamespaceSet ? { globalCatalogNamespace } : {}),
    },
  );

const manifest = (
  kind: string,
  metadata: FleetManifest['metadata'],
  spec: Readonly<Record<string, unknown>>,
): FleetManifest => ({ apiVersion: FLEET_API, kind, metadata, spec });

/** Returns a selector of these clusters. Returns none if they are all clusters. */
function selecting(some: readonly string[], all: readonly string[]): Readonly<Record<string, unknown>> {
  const names = [...new Set(some)].sort(byCodeUnit);
  if (names.length === all.length) return {};
  const expression = `cluster.name in [${names.map((name) => `"${name}"`).join(', ')}]`;
  return expression.length > LONGEST_EXPRESSION ? {} : { clusters: { expression } };
}

const catalogManifest = (catalog: ExportedCatalog, all: readonly string[], namespace: string): FleetManifest =>
  manifest(
    'FleetCatalog',
    { name: catalog.name, namespace },
    {
      image: catalog.image,
      ...(catalog.catalogSource === undefined ? {} : { catalogSource: catalog.catalogSource }),
      ...(catalog.clusterCatalog === undefined ? {} : { clusterCatalog: catalog.clusterCatalog }),
      ...selecting(catalog.clusters, all),
      adopt: true,
    },
  );

function fromSubscription(cluster: string, { metadata, spec }: Subscription, of: CatalogNames): Found {
  const catalog = of.source(cluster, spec.sourceNamespace, spec.source);
  return {
    cluster,
    api: 'Classic',
    package: spec.name,
    namespace: metadata.namespace ?? '',
    catalog: catalog === undefined ? { name: spec.source, namespace: spec.sourceNamespace } : { fleetCatalog: catalog },
    channel: spec.channel === '' ? undefined : spec.channel,
    config: spec.config,
    fixed: {},
  };
}

/**
 * Finds the catalog of an extension: the one that its selector names, otherwise the only one of its cluster.
 */
function fromExtension(
  cluster: string,
  catalogs: readonly ClusterCatalog[],
  { spec }: ClusterExtension,
  of: CatalogNames,
): Found[] {
  const source = spec.source.catalog;
  if (source === undefined) return [];
  const named = source.selector?.matchLabels?.['olm.operatorframework.io/metadata.name'];
  const only = catalogs.length === 1 ? catalogs[0]?.metadata.name : undefined;
  const name = named ?? only;
  if (name === undefined) return [];
  const catalog = of.clusterCatalog(cluster, name);
  const { version, channels, upgradeConstraintPolicy } = source;
  const account = spec.serviceAccount?.name;
  const config = spec.config?.inline;
  const v1 = {
    ...(channels === undefined || channels.length === 0 ? {} : { channels }),
    ...(account === undefined ? {} : { serviceAccountName: account }),
    ...(config === undefined ? {} : { config }),
    ...(upgradeConstraintPolicy === undefined ? {} : { upgradeConstraintPolicy }),
  };
  return [
    {
      cluster,
      api: 'V1',
      package: source.packageName,
      namespace: spec.namespace,
      catalog: catalog === undefined ? { name } : { fleetCatalog: catalog },
      channel: undefined,
      config: undefined,
      fixed: { ...(Object.keys(v1).length === 0 ? {} : { v1 }), ...(version ? { versions: { range: version } } : {}) },
    },
  ];
}

/** One FleetOperator for each package, namespace and catalog; channels and configs of some are overrides. */
function operatorManifests(found: readonly Found[], all: readonly string[], namespace: string): FleetManifest[] {
  const groups = Map.groupBy(found, (one) =>
    canonicalJson([one.api, one.package, one.namespace, one.catalog, one.fixed]),
  );
  const sorted = [...groups].sort(([a], [b]) => byCodeUnit(a, b)).map(([, group]) => group);
  const taken = new Set<string>();
  return sorted.flatMap((group) => {
    const [first] = group;
    if (first === undefined) return [];
    const [usual, ...others] = variants(group);
    const isOnly = sorted.filter(([one]) => one?.package === first.package).length === 1;
    const name = freeName(operatorName(isOnly ? first.package : `${first.package}-${first.namespace}`), taken);
    const overrides = others.map(({ clusters, channel, config }) => ({
      ...selecting(clusters, []),
      ...(channel === undefined ? {} : { channel }),
      ...(config === undefined ? {} : { config }),
    }));
    const classic = {
      ...(usual?.channel === undefined ? {} : { channel: usual.channel }),
      ...(usual?.config === undefined ? {} : { config: usual.config }),
      operatorGroup: { manage: 'Use' },
    };
    return [
      manifest(
        'FleetOperator',
        { name, namespace },
        {
          package: first.package,
          namespace: first.namespace,
          api: first.api,
          catalog: first.catalog,
          ...(first.api === 'Classic' ? { classic } : {}),
          ...first.fixed,
          ...selecting(
            group.map(({ cluster }) => cluster),
            all,
          ),
          ...(overrides.length === 0 ? {} : { overrides }),
          strategyRef: { name: EXPORTED_STRATEGY },
          adopt: true,
        },
      ),
    ];
  });
}

type Variant = Readonly<{ channel: string | undefined; config: object | undefined; clusters: readonly string[] }>;

/** Equal channel and config together, those of most clusters first. */
function variants(group: readonly Found[]): Variant[] {
  const byContent = Map.groupBy(group, ({ channel, config }) => canonicalJson([channel ?? null, config ?? null]));
  return [...byContent]
    .sort(([a, m], [b, n]) => n.length - m.length || byCodeUnit(a, b))
    .map(([, own]) => ({
      channel: own[0]?.channel,
      config: own[0]?.config,
      clusters: own.map(({ cluster }) => cluster),
    }));
}

/** Rollouts of catalogs have names that begin with `catalog-`. */
const operatorName = (text: string): string => dnsName(text.startsWith('catalog-') ? `operator-${text}` : text);

function freeName(name: string, taken: Set<string>): string {
  let free = name;
  for (let n = 2; taken.has(free); n += 1) free = `${name}-${n}`;
  taken.add(free);
  return free;
}

const strategyManifest = (namespace: string): FleetManifest =>
  manifest(
    'FleetStrategy',
    { name: EXPORTED_STRATEGY, namespace },
    {
      waves: [
        { name: 'first', count: 1, soak: '1h' },
        { name: 'tenth', percent: 10, soak: '24h' },
        { name: 'all', maxConcurrent: '10%', failureThreshold: '2%' },
      ],
      onFailure: 'Halt',
      approval: {
        default: 'Auto',
        rules: [{ changes: ['Major', 'CRDBreaking', 'RBACGrowth', 'NewRegistry'], action: 'Manual' }],
      },
    },
  );

/** Returns the parts of a cluster that a fleet does not cover, to inform the user. */
function notesOf(cluster: NamedCluster, of: CatalogNames): string[] {
  const { name, catalogSources, subscriptions, extensions, clusterCatalogs } = cluster;
  return [
    ...catalogSources
      .filter(({ metadata }) => of.source(name, metadata.namespace ?? '', metadata.name ?? '') === undefined)
      .map(
        ({ metadata }) =>
          `${name}: CatalogSource ${metadata.namespace}/${metadata.name} has no image: it stays as it is, and operators name it`,
      ),
    ...subscriptions
      .filter(({ spec }) => spec.startingCSV !== undefined && spec.installPlanApproval === 'Manual')
      .map(
        ({ metadata, spec }) =>
          `${name}: Subscription ${metadata.namespace}/${metadata.name} was started at ${spec.startingCSV}: to keep that version, set spec.versions`,
      ),
    ...extensions
      .filter((one) => fromExtension(name, clusterCatalogs, one, of).length === 0)
      .map(
        ({ metadata }) =>
          `${name}: ClusterExtension ${metadata.name} names no catalog, and there are several: it is left out`,
      ),
  ];
}
