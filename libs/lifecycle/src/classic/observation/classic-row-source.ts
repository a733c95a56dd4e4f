import { readableSource } from '#core/classic/catalog-source/readable-source';
import { CATALOG_SOURCE_API, CatalogSource } from '#core/kernel/api/catalog-source';
import type { ClusterServiceVersion } from '#core/kernel/api/cluster-service-version';
import { ownedCrds } from '#core/kernel/api/csv-facts';
import { KIND } from '#core/kernel/api/kinds';
import type { OperatorGroup } from '#core/kernel/api/operator-group';
import type { Subscription } from '#core/kernel/api/subscription';
import { type CatalogFacts, catalogSourceRow } from '#core/view/rows/catalog-row';
import { namespaceRows } from '#core/view/rows/namespace-rows';
import type { ViewRow } from '#core/view/rows/rows';
import type { ClusterCatalogs } from '../../catalogs/sources/cluster-catalogs.js';
import { type ObservedObjects } from './observed-objects.js';

type SourceDeps = Readonly<{
  cluster: string;
  globalCatalogNamespace: string;
  objects: ObservedObjects;
  catalogs: ClusterCatalogs;
}>;

/** The rows of OLM Classic in one cluster, computed from the objects that the poller keeps of it. */
export class ClassicRowSource {
  constructor(private readonly deps: SourceDeps) {}

  synced(): boolean {
    return this.deps.objects.synced();
  }

  /** Version of the API server, as it was read when the cluster joined. Empty: not known. */
  get serverVersion(): string {
    return this.deps.catalogs.serverVersion ?? '';
  }

  /** The namespaces that have rows. */
  namespaces(): ReadonlySet<string> {
    const { objects } = this.deps;
    const all = [KIND.Subscription, KIND.CatalogSource].flatMap((kind) => objects.named(kind));
    return new Set(all.map(({ metadata }) => metadata.namespace ?? ''));
  }

  /** `now`: RFC 3339. */
  rowsOf(namespace: string, now: string): readonly ViewRow[] {
    const { cluster, globalCatalogNamespace, objects } = this.deps;
    const [catalogs, global] = [namespace, globalCatalogNamespace].map((one) => this.#catalogsIn(one));
    const own = (catalogs ?? []).map((one) => catalogSourceRow(cluster, one, now));
    const subscriptions = objects.list<Subscription>(KIND.Subscription, namespace);
    const plans = objects.rowParts.plansIn(namespace);
    if (subscriptions.length === 0 && plans.length === 0) return own;
    const facts = {
      ...{ cluster, namespace, subscriptions, plans },
      operatorGroups: objects.list<OperatorGroup>(KIND.OperatorGroup, namespace),
      csvs: objects.list<ClusterServiceVersion>(KIND.ClusterServiceVersion, namespace),
      catalogs: namespace === globalCatalogNamespace ? (catalogs ?? []) : [...(catalogs ?? []), ...(global ?? [])],
      partOf: objects.rowParts.of.bind(objects.rowParts),
      isShared: (definition: string) => this.#hasOwnerOutside(namespace, definition),
    };
    return [...own, ...namespaceRows(facts, { now })];
  }

  /** Called after a row for a complete plan is written. No further row is due for the plan. */
  shown(namespace: string, plan: string): void {
    this.deps.objects.rowParts.shown(namespace, plan);
  }

  /** Returns the CSVs without copies. */
  csvs(): ClusterServiceVersion[] {
    return this.deps.objects.originals();
  }

  #hasOwnerOutside(namespace: string, definition: string): boolean {
    return this.csvs().some(
      (csv) => csv.metadata.namespace !== namespace && ownedCrds(csv).some(({ name }) => name === definition),
    );
  }

  #catalogsIn(namespace: string): CatalogFacts[] {
    const { objects, catalogs } = this.deps;
    return objects.list(KIND.CatalogSource, namespace).flatMap((object) => {
      const { spec } = readableSource(object as CatalogSource);
      const read = CatalogSource.safeParse({ ...object, ...CATALOG_SOURCE_API, spec }).data;
      if (read === undefined) return [];
      const source = { ...read, spec };
      const refresh = catalogs.of(source);
      const index = refresh?.loaded?.index;
      return {
        source,
        digest: refresh?.loaded?.digest ?? '',
        packages: index?.names.length ?? 0,
        isGlobal: namespace === this.deps.globalCatalogNamespace,
        nextTry: refresh?.state.failure?.nextTry ?? '',
        record: (name: string) => index?.package(name)?.record,
      };
    });
  }
}
