import type { CatalogSource } from '../../kernel/api/catalog-source.js';
import type { ClusterCatalog } from '../../kernel/api/cluster-catalog.js';
import { byCodeUnit, canonicalJson } from '../../kernel/canonical/canonical-json.js';
import { dnsName } from '../../kernel/labels/dns-name.js';

/** A catalog image, with the objects that clusters have of it. */
export type ExportedCatalog = Readonly<{
  name: string;
  image: string;
  catalogSource: Readonly<Record<string, unknown>> | undefined;
  clusterCatalog: Readonly<Record<string, unknown>> | undefined;
  clusters: readonly string[];
}>;

/** Finds the FleetCatalog that represents a catalog of a cluster. Returns undefined if there is none. */
export type CatalogNames = Readonly<{
  source: (cluster: string, namespace: string, name: string) => string | undefined;
  clusterCatalog: (cluster: string, name: string) => string | undefined;
}>;

type CatalogsOfCluster = Readonly<{
  name: string;
  globalCatalogNamespace: string;
  catalogSources: readonly CatalogSource[];
  clusterCatalogs: readonly ClusterCatalog[];
}>;

/** One object of a cluster that serves an image. */
type Served = Readonly<{
  cluster: string;
  place: string;
  image: string;
  form: 'catalogSource' | 'clusterCatalog';
  spec: Readonly<Record<string, unknown>>;
}>;

/** Catalogs by image and form; one of each form with the same image and clusters are one FleetCatalog. */
export function exportedCatalogs(clusters: readonly CatalogsOfCluster[]): {
  catalogs: readonly ExportedCatalog[];
  of: CatalogNames;
} {
  const served = clusters.flatMap(servedBy);
  const byForm = Map.groupBy(served, ({ image, form, spec }) => canonicalJson([image, form, spec]));
  const forms = [...byForm.values()].map((own) => ({
    ...(own[0] as Served),
    clusters: [...new Set(own.map(({ cluster }) => cluster))].sort(byCodeUnit),
    places: own.map(({ place }) => place),
  }));
  const joined = Map.groupBy(forms, ({ image, clusters: names }) => canonicalJson([image, names]));
  const taken = new Set<string>();
  const names = new Map<string, string>();
  const catalogs = [...joined]
    .sort(([a], [b]) => byCodeUnit(a, b))
    .flatMap(([, own]) => pairs(own))
    .map((pair): ExportedCatalog => {
      const first = pair.catalogSource ?? pair.clusterCatalog;
      let name = dnsName(String(first?.spec['name'] ?? 'catalog'));
      for (let n = 2; taken.has(name); n += 1) name = `${dnsName(String(first?.spec['name']))}-${n}`;
      taken.add(name);
      for (const form of [pair.catalogSource, pair.clusterCatalog]) {
        for (const place of form?.places ?? []) names.set(place, name);
      }
      return {
        name,
        image: first?.image ?? '',
        catalogSource: pair.catalogSource?.spec,
        clusterCatalog: pair.clusterCatalog?.spec,
        clusters: first?.clusters ?? [],
      };
    });
  return {
    catalogs,
    of: {
      source: (cluster, namespace, name) => names.get(`${cluster} ${namespace}/${name}`),
      clusterCatalog: (cluster, name) => names.get(`${cluster} ${name}`),
    },
  };
}

type Form = Served & Readonly<{ clusters: readonly string[]; places: readonly string[] }>;
type Pair = Readonly<{ catalogSource?: Form | undefined; clusterCatalog?: Form | undefined }>;

/** Pairs a CatalogSource and a ClusterCatalog of one image. Further ones stay alone. */
function pairs(forms: readonly Form[]): Pair[] {
  const sources = forms.filter(({ form }) => form === 'catalogSource');
  const catalogs = forms.filter(({ form }) => form === 'clusterCatalog');
  return Array.from({ length: Math.max(sources.length, catalogs.length) }, (_, at) => ({
    catalogSource: sources[at],
    clusterCatalog: catalogs[at],
  }));
}

function servedBy({
  name: cluster,
  globalCatalogNamespace,
  catalogSources,
  clusterCatalogs,
}: CatalogsOfCluster): Served[] {
  const sources = catalogSources.flatMap(({ metadata, spec }): Served[] => {
    const { name = '', namespace = '' } = metadata;
    if (spec.image === undefined || spec.image === '') return [];
    const own = {
      name,
      ...(namespace === globalCatalogNamespace ? {} : { namespace }),
      ...(spec.priority === undefined ? {} : { priority: spec.priority }),
      ...(spec.displayName === undefined || spec.displayName === '' ? {} : { displayName: spec.displayName }),
      ...(spec.secrets === undefined || spec.secrets.length === 0 ? {} : { secrets: spec.secrets }),
    };
    return [{ cluster, place: `${cluster} ${namespace}/${name}`, image: spec.image, form: 'catalogSource', spec: own }];
  });
  const served = clusterCatalogs.flatMap(({ metadata: { name = '' }, spec }): Served[] => {
    const image = spec.source.image?.ref;
    if (image === undefined) return [];
    const own = { name, ...(spec.priority === undefined || spec.priority === 0 ? {} : { priority: spec.priority }) };
    return [{ cluster, place: `${cluster} ${name}`, image, form: 'clusterCatalog', spec: own }];
  });
  return [...sources, ...served];
}
