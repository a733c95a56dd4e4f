import { Inject, Injectable } from '@nestjs/common';
import { FleetAssignment } from '#core/kernel/api/fleet/fleet-assignment';
import { FleetCatalog } from '#core/kernel/api/fleet/fleet-catalog';
import { FleetCluster } from '#core/kernel/api/fleet/fleet-cluster';
import { FLEET_API } from '#core/kernel/api/fleet/fleet-fields';
import { FleetOperator } from '#core/kernel/api/fleet/fleet-operator';
import type { KubernetesObject } from '#core/kernel/api/kubernetes-object';
import { canonicalJson } from '#core/kernel/canonical/canonical-json';
import { sameJson } from '#core/kernel/canonical/same-json';
import { type DesiredClassic, desiredClassic } from '#core/rollout/desired/desired-classic';
import { type DesiredV1, desiredV1 } from '#core/rollout/desired/desired-v1';
import { operatorIn } from '#core/rollout/desired/overrides';
import { actingOperators } from '#core/rollout/placement/acting-operators';
import { type SelectedCluster, selectedCluster } from '#core/rollout/placement/select-clusters';
import { FleetStore } from '#platform/fleet/fleet-store';
import type { Hub } from '#platform/hub/hub';
import { FLEET_HUB, HUB, RANDOM } from '#platform/hub/hub-tokens';
import type { KubeClient } from '#platform/kube/client/kube-client.port';
import type { HealthCheck } from '#platform/telemetry/health-check';
import type { CatalogRefresh } from '../../catalogs/sources/catalog-refresh.js';
import { SharedCatalogs } from '../../catalogs/sources/shared-catalogs.js';
import { FleetCatalogs } from './fleet-catalogs.js';
import { WrittenVersions } from './written-versions.js';

/** The fleet kinds that list the operators for a cluster. */
const WANTED_KINDS = ['FleetAssignment', 'FleetOperator', 'FleetCatalog', 'FleetCluster'];

/** A desired operator of a namespace, with the content of its FleetCatalog if it names one. */
export type WantedOperator = Readonly<{ desired: DesiredClassic; content: CatalogRefresh | undefined }>;

/** Called with a cluster and its namespaces with another desired state. */
type WantedListener = (cluster: string, namespaces: ReadonlySet<string>) => void;

/** Called with a cluster and its current FleetAssignment. Undefined if the FleetAssignment is gone. */
type AssignmentListener = (cluster: string, assignment: KubernetesObject | undefined) => void;

type WantedThere = Readonly<{
  subjects: string;
  /** Operators of OLM Classic, by namespace. */
  operators: ReadonlyMap<string, readonly FleetOperator[]>;
  /** Operators of OLM v1. */
  extensions: readonly FleetOperator[];
}>;

/** Called with a cluster if other ClusterExtensions may be desired, or other content of them. */
type ExtensionsListener = (cluster: string) => void;

/**
 * The operators that a fleet wants in a cluster: those that the cluster's FleetAssignment names. Operators of
 * OLM Classic are kept by their namespaces. Kept up to date by watches of the hub API.
 */
@Injectable()
export class WantedOperators {
  readonly #store: FleetStore;
  readonly #byCluster = new Map<string, WantedThere>();
  #operators: ReadonlyMap<string, FleetOperator> = new Map();
  #catalogs: ReadonlyMap<string, FleetCatalog> = new Map();
  readonly #written = new WrittenVersions();
  readonly #selected = new Map<string, SelectedCluster>();
  #listener: WantedListener = () => undefined;
  #extensionsListener: ExtensionsListener = () => undefined;
  #assignmentListener: AssignmentListener = () => undefined;
  #unsubscribe: () => void = () => undefined;

  readonly #contents: FleetCatalogs;

  constructor(
    @Inject(FLEET_HUB) client: KubeClient,
    @Inject(HUB) { clock, log }: Pick<Hub, 'clock' | 'log'>,
    @Inject(RANDOM) random: () => number,
    catalogs: SharedCatalogs,
  ) {
    const onContent = (catalog: string) => this.#hasContent(catalog);
    this.#contents = new FleetCatalogs({ catalogs, clock, log, random, onContent });
    this.#store = new FleetStore({ client, clock, log, kinds: WANTED_KINDS, checkName: 'fleet-previews' });
  }

  get check(): HealthCheck {
    return this.#store.check;
  }

  onChange(listener: WantedListener): void {
    this.#listener = listener;
  }

  onExtensionsChange(listener: ExtensionsListener): void {
    this.#extensionsListener = listener;
  }

  /**
   * Registers a listener for FleetAssignments. They are watched here alone: other followers are called from
   * here.
   */
  onAssignment(listener: AssignmentListener): void {
    this.#assignmentListener = listener;
  }

  start(): void {
    const unsubscribe = this.#store.onMoved((kind, metadata) => void this.#moved(kind, metadata));
    const unfollow = this.#store.onOtherHistory(() => {
      this.#written.forget();
      void this.#store.whenSynced().then(() => this.#readAll());
    });
    this.#unsubscribe = () => {
      unsubscribe();
      unfollow();
    };
    this.#store.start();
    void this.#store.whenSynced().then(() => this.#readAll());
  }

  async stop(): Promise<void> {
    this.#unsubscribe();
    this.#contents.stop();
    await this.#store.stop();
  }

  /** Returns the namespaces of the cluster in which an operator is desired. */
  namespacesIn(cluster: string): ReadonlySet<string> {
    return new Set(this.#byCluster.get(cluster)?.operators.keys());
  }

  /** Returns the desired operators in a namespace of the cluster; unknown ones are left out. */
  in(cluster: string, namespace: string, globalCatalogNamespace: string): readonly WantedOperator[] {
    const operators = this.#byCluster.get(cluster)?.operators.get(namespace) ?? [];
    return operators.flatMap((written) => {
      const operator = operatorIn(written, this.#selected.get(cluster));
      const key = catalogKey(operator);
      const content = this.#contents.of(key);
      const digest = content?.loaded?.digest;
      const desired = desiredClassic(operator, { globalCatalogNamespace, catalog: this.#catalogs.get(key), digest });
      return typeof desired === 'string' ? [] : [{ desired, content }];
    });
  }

  /** Returns the desired ClusterExtensions of the cluster; unknown ones are left out. */
  extensionsIn(cluster: string): readonly DesiredV1[] {
    const extensions = this.#byCluster.get(cluster)?.extensions ?? [];
    return extensions.flatMap((written) => {
      const operator = operatorIn(written, this.#selected.get(cluster));
      const key = catalogKey(operator);
      const digest = this.#contents.of(key)?.loaded?.digest;
      const desired = desiredV1(operator, { catalog: this.#catalogs.get(key), digest });
      return typeof desired === 'string' ? [] : [desired];
    });
  }

  /** Each namespace that an operator of the catalog is wanted in is observed again, and each extension. */
  #hasContent(catalog: string): void {
    for (const [cluster, { operators, extensions }] of this.#byCluster) {
      if (extensions.some((operator) => catalogKey(operator) === catalog)) this.#extensionsListener(cluster);
      const touched = [...operators].filter(([, all]) => all.some((operator) => catalogKey(operator) === catalog));
      if (touched.length > 0) this.#listener(cluster, new Set(touched.map(([namespace]) => namespace)));
    }
  }

  async #moved(kind: string, metadata: KubernetesObject['metadata']): Promise<void> {
    const { name = '' } = metadata;
    // The hub counts in statuses of FleetOperators; nothing here depends on these counts.
    if (kind === 'FleetOperator' && !(await this.#written.noteVersion(this.#store.client, kind, metadata))) return;
    if (kind === 'FleetCluster') await this.#clusterMoved(name);
    else if (kind !== 'FleetAssignment') this.#readAll();
    else this.#read(name, await this.#store.client.get({ apiVersion: FLEET_API, kind, name }), false);
  }

  /** Follows a change of a cluster: overrides may select it by its changed properties. */
  async #clusterMoved(name: string): Promise<void> {
    const before = this.#selected.get(name);
    this.#readCluster(name, await this.#store.client.get({ apiVersion: FLEET_API, kind: 'FleetCluster', name }));
    const there = this.#byCluster.get(name);
    if (there === undefined || sameJson(before, this.#selected.get(name))) return;
    if (there.extensions.some(({ spec }) => spec.overrides !== undefined)) this.#extensionsListener(name);
    const touched = [...there.operators].filter(([, all]) => all.some(({ spec }) => spec.overrides !== undefined));
    if (touched.length > 0) this.#listener(name, new Set(touched.map(([namespace]) => namespace)));
  }

  #readCluster(name: string, found: KubernetesObject | undefined): void {
    const cluster = FleetCluster.safeParse(found).data;
    if (cluster === undefined) this.#selected.delete(name);
    else this.#selected.set(name, selectedCluster(cluster));
  }

  /** Observes each namespace again that a change by users may concern. */
  #readAll(): void {
    const all = <T extends KubernetesObject>(kind: string, parse: (value: unknown) => T | undefined) =>
      new Map(
        this.#store.kept(kind).flatMap((kept) => {
          const object = parse(kept.open());
          return object === undefined
            ? []
            : [[`${object.metadata.namespace}/${object.metadata.name}`, object] as const];
        }),
      );
    this.#operators = all('FleetOperator', (value) => FleetOperator.safeParse(value).data as never);
    this.#catalogs = all('FleetCatalog', (value) => FleetCatalog.safeParse(value).data as never);
    for (const kept of this.#store.kept('FleetCluster')) this.#readCluster(kept.metadata.name ?? '', kept.open());
    this.#contents.sync(this.#catalogs, this.#store.client);
    for (const kept of this.#store.kept('FleetAssignment')) this.#read(kept.metadata.name ?? '', kept.open(), true);
  }

  #read(cluster: string, found: KubernetesObject | undefined, always: boolean): void {
    this.#assignmentListener(cluster, found);
    const before = this.#byCluster.get(cluster);
    const all = FleetAssignment.safeParse(found).data?.spec.rows ?? [];
    const rows = all.filter(({ order }) => order !== 'Remove');
    const subjects = canonicalJson(rows.map(({ subject }) => subject).toSorted());
    if (!always && before?.subjects === subjects) return;
    const operators = new Map<string, FleetOperator[]>();
    const extensions: FleetOperator[] = [];
    const named = rows.flatMap(({ subject }) => this.#operators.get(subject.replace(/^FleetOperator\//, '')) ?? []);
    for (const operator of actingOperators(named)) {
      const { namespace, api } = operator.spec;
      if (api === 'V1') extensions.push(operator);
      if (api !== 'Classic') continue;
      operators.set(namespace, [...(operators.get(namespace) ?? []), operator]);
    }
    if (rows.length === 0) this.#byCluster.delete(cluster);
    else this.#byCluster.set(cluster, { subjects, operators, extensions });
    this.#listener(cluster, new Set([...(before?.operators.keys() ?? []), ...operators.keys()]));
    if (extensions.length > 0) this.#extensionsListener(cluster);
  }
}

/** `<namespace>/<name>` of the FleetCatalog that an operator names. */
const catalogKey = ({ metadata, spec }: FleetOperator): string => `${metadata.namespace}/${spec.catalog.fleetCatalog}`;
