import { hasReleaseFinalizer, isBeingDeleted, isRemovalForced } from '#core/cluster/membership/cluster-release';
import { type FileReading, type HeldReading, heldReading } from '#core/cluster/membership/kubeconfig-readings';
import { FleetCluster, type LoginRef } from '#core/kernel/api/fleet/fleet-cluster';
import { FLEET_API } from '#core/kernel/api/fleet/fleet-fields';
import type { KubernetesObject } from '#core/kernel/api/kubernetes-object';
import { byCodeUnit } from '#core/kernel/canonical/canonical-json';
import type { Clock } from '../clock/clock.port.js';
import type { ClusterAccess } from '../kube/access/kubeconfig.js';
import { Reflector } from '../kube/cache/reflector.js';
import type { KubeClient } from '../kube/client/kube-client.port.js';
import type { ClusterLabels } from '../membership/service-clusters.port.js';
import type { Log } from '../telemetry/log.port.js';
import { LoginSecrets } from './login-secrets.js';
import type { CredentialsFault, LoginLife, SecretAccess } from './secret-access.js';

type SecretClustersOptions = Readonly<{
  hub: KubeClient;
  /** The namespace of the hub and of its Secrets. */
  namespace: string;
  clock: Clock;
  log: Log;
  /** True if the process only observes: it takes the login for observation if a FleetCluster has one. */
  observes: boolean;
}>;

/** A FleetCluster that is deleted, and waits until the finalizers of the hub in its cluster are released. */
export type DeletedCluster = Readonly<{
  cluster: string;
  /** The hub already manages a cluster of that name by another way, and continues with it. */
  staysManaged: boolean;
  /** Annotated to give up on a cluster that cannot be reached. */
  isForced: boolean;
  /** The login of its Secret, or the one that was used last. */
  access?: ClusterAccess;
  /** The reason why there is no login. */
  fault?: string;
}>;

/** Most labels of a cluster that count: the first ones by key. A FleetCluster may have any number. */
const MOST_LABELS = 64;
const boundedLabels = (labels: ClusterLabels): ClusterLabels =>
  Object.fromEntries(
    Object.entries(labels)
      .toSorted(([a], [b]) => byCodeUnit(a, b))
      .slice(0, MOST_LABELS),
  );

/** Annotation of a FleetCluster: the UID of the cluster that may replace the one before. */
export const ACCEPTED_UID_ANNOTATION = 'fleet.flotilla.dev/accepted-uid';
const NOTHING: HeldReading<ClusterAccess> = { members: [], problems: [] };
const NO_LABELS: ClusterLabels = {};

/**
 * The clusters of FleetClusters with a kubeconfig in a Secret. Both kinds are watched, Secrets only while a
 * FleetCluster refers to one. The content of a Secret stays in the memory of the process.
 */
export class SecretClusters {
  readonly #clusters: Reflector;
  readonly #secrets: LoginSecrets;
  #isStale = true;
  /** The reasons why Secrets could not be listed at the last reading. */
  #trouble = '';
  #files: HeldReading<ClusterAccess> | undefined;
  #fromSecrets = NOTHING;
  #held = NOTHING;
  /** Credentials by FleetCluster. */
  readonly #credentials = new Map<string, SecretAccess>();
  /** Logins that were in use, of FleetClusters that are there still. */
  readonly #used = new Map<string, ClusterAccess>();
  #deleted: readonly DeletedCluster[] = [];
  #unmarked: ReadonlyMap<string, string> = new Map();
  /** Labels by FleetCluster. Undefined after a change of any. */
  #labels: ReadonlyMap<string, ClusterLabels> | undefined;

  constructor(private readonly options: SecretClustersOptions) {
    const { hub: client, clock, log, namespace } = options;
    const stale = () => {
      this.#isStale = true;
    };
    const onChange = (object: KubernetesObject, previous: KubernetesObject | undefined) => {
      if (JSON.stringify(object.metadata.labels) !== JSON.stringify(previous?.metadata.labels))
        this.#labels = undefined;
      if (previous === undefined || wantedOf(object) !== wantedOf(previous)) stale();
    };
    const other = () => {
      this.#labels = undefined;
      stale();
    };
    const common = { client, clock, log, handlers: { onReplace: other, onChange, onDelete: other } };
    this.#clusters = new Reflector({
      ...common,
      kind: { apiVersion: FLEET_API, kind: 'FleetCluster' },
      keep: withoutConditions,
    });
    this.#secrets = new LoginSecrets({ hub: client, namespace, clock, log, onChange: stale });
  }

  start(): void {
    this.#clusters.start();
  }

  async stop(): Promise<void> {
    await Promise.all([this.#clusters.stop(), this.#secrets.stop()]);
  }

  /**
   * The clusters of the kubeconfigs of the process, and these; the same object as long as nothing has
   * changed.
   */
  beside(files: HeldReading<ClusterAccess>): HeldReading<ClusterAccess> {
    const isListed = this.#clusters.synced() && this.#clusters.problem() === undefined;
    const { trouble } = this.#secrets;
    const isOld = this.#isStale || trouble !== this.#trouble;
    if (files === this.#files && !(isListed && isOld)) return this.#held;
    this.#files = files;
    this.#trouble = trouble;
    if (isListed) this.#take(files);
    const members = [...files.members, ...this.#fromSecrets.members];
    this.#held = { members, problems: [...files.problems, ...this.#fromSecrets.problems] };
    return this.#held;
  }

  /**
   * Returns the reason why the login in a FleetCluster's Secret is not used. Returns undefined if none is
   * known.
   */
  faultOf(cluster: string): CredentialsFault | undefined {
    const found = this.#credentials.get(cluster);
    return found !== undefined && 'fault' in found ? found.fault : undefined;
  }

  /** Returns the labels of a FleetCluster, also of one with a context for its login. */
  labelsOf(cluster: string): ClusterLabels {
    this.#labels ??= new Map(
      this.#clusters.list().map(({ metadata: { name = '', labels = {} } }) => [name, boundedLabels(labels)]),
    );
    return this.#labels.get(cluster) ?? NO_LABELS;
  }

  /** Returns the times of the login of a FleetCluster, if its Secret records them. */
  lifeOf(cluster: string): LoginLife {
    const found = this.#credentials.get(cluster);
    if (found === undefined || 'fault' in found) return {};
    const { access: _access, ...life } = found;
    return life;
  }

  /** Returns the deleted FleetClusters that wait for the release of their cluster. */
  deleted(): readonly DeletedCluster[] {
    return this.#deleted;
  }

  /** Returns the UID of a FleetCluster without the finalizer that keeps it until its cluster is released. */
  unmarked(cluster: string): string | undefined {
    return this.#unmarked.get(cluster);
  }

  #take(files: HeldReading<ClusterAccess>): void {
    this.#isStale = false;
    const parsed = this.#clusters.list().flatMap((object) => FleetCluster.safeParse(object).data ?? []);
    const deleted = parsed.filter(({ metadata }) => isBeingDeleted(metadata) && hasReleaseFinalizer(metadata));
    const bySecret = parsed.filter(({ spec }) => spec.access.secretRef !== undefined);
    this.#secrets.follow(bySecret.flatMap((one) => this.#loginOf(one) ?? []));
    // A reading of new places must not count as their trouble.
    this.#trouble = this.#secrets.trouble;
    this.#credentials.clear();
    const taken = new Set(files.members.map(({ cluster }) => cluster));
    const members = bySecret.filter(({ metadata }) => !isBeingDeleted(metadata));
    const readings = members.flatMap((one) => this.#readingOf(one, taken));
    this.#fromSecrets = heldReading(this.#fromSecrets, readings);
    for (const { cluster, access } of this.#fromSecrets.members) this.#used.set(cluster, access);
    const names = new Set(bySecret.map(({ metadata }) => metadata.name));
    for (const name of this.#used.keys()) if (!names.has(name)) this.#used.delete(name);
    this.#deleted = deleted.map((one) => this.#deletedOf(one, taken));
    const isUnmarked = ({ metadata }: FleetCluster) => !hasReleaseFinalizer(metadata) && !taken.has(metadata.name);
    this.#unmarked = new Map(members.filter(isUnmarked).map(({ metadata }) => [metadata.name, String(metadata.uid)]));
  }

  /** Returns the reference to the login of this process. */
  #loginOf({ metadata, spec: { access } }: FleetCluster): LoginRef | undefined {
    const observes = this.options.observes && !isBeingDeleted(metadata);
    return access.secretRef && ((observes ? access.observeSecretRef : undefined) ?? access.secretRef);
  }

  #deletedOf(object: FleetCluster, taken: ReadonlySet<string>): DeletedCluster {
    const { metadata } = object;
    const { name: cluster } = metadata;
    const common = { cluster, isForced: isRemovalForced(metadata) };
    const ref = this.#loginOf(object);
    if (ref === undefined || taken.has(cluster)) return { ...common, staysManaged: true };
    const file = this.#secrets.fileOf(ref);
    const found = this.#secrets.accessOf(ref);
    // A Secret that is deleted with its FleetCluster is in memory still.
    const login = found !== undefined && 'access' in found ? found.access : this.#used.get(cluster);
    if (login !== undefined) {
      return { ...common, staysManaged: false, access: { ...login, context: cluster, file, isInKubeconfig: false } };
    }
    const fault = found !== undefined && 'fault' in found ? found.fault.message : undefined;
    return { ...common, staysManaged: false, ...(fault === undefined ? {} : { fault }) };
  }

  #readingOf(object: FleetCluster, taken: ReadonlySet<string>): FileReading<ClusterAccess>[] {
    const { name } = object.metadata;
    const ref = this.#loginOf(object);
    if (ref === undefined) return [];
    const file = this.#secrets.fileOf(ref);
    if (taken.has(name)) {
      const message = `a context of the hub’s kubeconfig has the name "${name}" already: give the FleetCluster another`;
      this.#credentials.set(name, { fault: { reason: 'Rejected', message } });
      return [];
    }
    const found = this.#secrets.accessOf(ref);
    if (found === undefined) return [];
    this.#credentials.set(name, found);
    if ('fault' in found) return [{ file, contexts: [{ context: name, problem: `${name}: ${found.fault.message}` }] }];
    const { spec, metadata } = object;
    const accepted = metadata.annotations?.[ACCEPTED_UID_ANNOTATION];
    // A hub that restarts must find the cluster that it had.
    const identity = accepted ?? spec.uid ?? uidOf(object);
    const { globalCatalogNamespace: _context, identity: _identity, ...access } = found.access;
    const terms = {
      ...(spec.globalCatalogNamespace === undefined ? {} : { globalCatalogNamespace: spec.globalCatalogNamespace }),
      ...(identity === undefined ? {} : { identity }),
      ...(accepted === undefined ? {} : { accepted }),
      ...(spec.paused ? { paused: true } : {}),
    };
    const own = { ...access, ...terms, context: name, file, isInKubeconfig: false };
    return [{ file, contexts: [{ context: name, access: own }] }];
  }
}

/** The UID of the cluster that the fleet has under this name. */
const uidOf = (object: KubernetesObject | FleetCluster): string | undefined =>
  (object['status'] as Readonly<{ uid?: string }> | undefined)?.uid;

/** Labels and conditions of a FleetCluster say nothing about its login. */
const wantedOf = (object: KubernetesObject): string => {
  const { metadata } = object;
  const { uid, generation, annotations } = metadata;
  const leaves = [isBeingDeleted(metadata), hasReleaseFinalizer(metadata), isRemovalForced(metadata)].join(' ');
  const seen = uidOf(object);
  return `${uid} ${generation} ${annotations?.[ACCEPTED_UID_ANNOTATION] ?? ''} ${seen ?? ''} ${leaves}`;
};

const withoutConditions = (object: KubernetesObject): KubernetesObject => {
  const { apiVersion, kind, metadata, spec } = object;
  const status = { uid: uidOf(object) };
  return { apiVersion, kind, metadata: { ...metadata, managedFields: undefined }, spec, status } as KubernetesObject;
};
