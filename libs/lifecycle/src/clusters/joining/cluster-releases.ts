import { type HubIdentity, OWNER_ANNOTATION, ownerMarks } from '#core/cluster/joining/cluster-owner';
import { INSTANCE_ANNOTATION } from '#core/cluster/joining/hub-instance';
import { type FleetClusterStatus, isLeftToOthers, leavingStatus } from '#core/cluster/membership/cluster-conditions';
import { isBeingDeleted, RELEASE_FINALIZER } from '#core/cluster/membership/cluster-release';
import { FleetCluster } from '#core/kernel/api/fleet/fleet-cluster';
import { FLEET_API } from '#core/kernel/api/fleet/fleet-fields';
import { KIND } from '#core/kernel/api/kinds';
import type { KubernetesObject } from '#core/kernel/api/kubernetes-object';
import { canonicalHash } from '#core/kernel/canonical/canonical-json';
import { counted } from '#core/kernel/text/counted';
import type { Clock } from '#platform/clock/clock.port';
import { Timers } from '#platform/clock/timers';
import type { ReleaseMarks } from '#platform/fleet/release-marks';
import { ACCEPTED_UID_ANNOTATION, type DeletedCluster, type SecretClusters } from '#platform/fleet/secret-clusters';
import { heldObjects, releaseObjects } from '#platform/joining/hub-finalizers';
import { OwnerCheck } from '#platform/joining/owner-check';
import type { ClusterAccess } from '#platform/kube/access/kubeconfig';
import { KubeApiError, type KubeClient } from '#platform/kube/client/kube-client.port';
import { troubleOf } from '#platform/kube/errors/api-server-trouble';
import type { ServiceClusters } from '#platform/membership/service-clusters.port';
import type { Log } from '#platform/telemetry/log.port';

/** Interval for finding work in the memory of the process: no request is sent for it. */
const LOOK_MS = 1_000;
/** A hub that still watches the cluster puts a finalizer back within a second or two. */
const CONFIRM_MS = 3_000;
const FIRST_RETRY_MS = 5_000;
const LONGEST_RETRY_MS = 60_000;
const SYSTEM = { ...KIND.Namespace, name: 'kube-system' } as const;
const MOST_CHARACTERS = 1_024;

export type ClusterReleasesOptions = Readonly<{
  /** The hub API, as the applier's field manager. */
  hub: KubeClient;
  secrets: Pick<SecretClusters, 'deleted' | 'unmarked'>;
  marks: Pick<ReleaseMarks, 'keep'>;
  clusters: Pick<ServiceClusters, 'known' | 'clients' | 'subscribe'>;
  /** True if this process works for a cluster. The hub need not have the cluster any more. */
  owns: (cluster: string) => boolean;
  /** A client for a cluster that has left, as the applier's field manager. */
  open: (access: ClusterAccess) => Promise<KubeClient>;
  identity: HubIdentity | undefined;
  /** Distinguishes hubs with this identity. */
  instance: (() => Promise<string | undefined>) | undefined;
  clock: Clock;
  log: Log;
}>;

/** `after`: the earliest time of the next try, unless something of the FleetCluster changes. */
type Try = { of: string; failures: number; after: number; isRunning: boolean; releases: number };

/**
 * Keeps FleetClusters with a login in a Secret until the hub's objects in their clusters are released. The
 * release is the same as that of `flotilla clusters remove`, once this process has left the cluster.
 * Operators stay as they are.
 */
export class ClusterReleases {
  readonly #timers: Timers;
  readonly #tries = new Map<string, Try>();

  constructor(private readonly options: ClusterReleasesOptions) {
    this.#timers = new Timers(options.clock);
  }

  start(): void {
    this.#timers.add(this.options.clusters.subscribe(() => this.#look()));
    this.#timers.every(LOOK_MS, () => this.#look());
  }

  stop(): void {
    this.#timers.stop();
  }

  #look(): void {
    const { secrets, clusters, owns } = this.options;
    const deleted = secrets.deleted();
    const taking = clusters.clients().map(({ cluster }) => cluster);
    const unmarked = taking.filter((cluster) => secrets.unmarked(cluster) !== undefined);
    const names = new Set([...unmarked, ...deleted.map(({ cluster }) => cluster)]);
    for (const name of this.#tries.keys()) if (!names.has(name)) this.#tries.delete(name);
    for (const name of unmarked) void this.#try(name, 'unmarked', () => this.#mark(name));
    const known = new Set(clusters.known());
    for (const one of deleted) {
      // The passes there must have ended: they would put back released objects.
      if (!owns(one.cluster) || (!one.staysManaged && known.has(one.cluster))) continue;
      void this.#try(one.cluster, keyOf(one), (state) => this.#leave(one, state));
    }
  }

  /** `work` resolves to the milliseconds until the next try. */
  async #try(name: string, of: string, work: (state: Try) => Promise<number>): Promise<void> {
    const before = this.#tries.get(name);
    if (before?.isRunning === true || (before?.of === of && before.after > this.#now())) return;
    const state = before?.of === of ? before : { of, failures: 0, after: 0, isRunning: false, releases: 0 };
    this.#tries.set(name, state);
    state.isRunning = true;
    try {
      state.after = this.#now() + (await work(state));
    } catch (error) {
      const { log } = this.options;
      log[state.failures === 0 ? 'warn' : 'debug'](
        { cluster: name, error: troubleOf(error) },
        'could not write the finalizer of a FleetCluster',
      );
      state.after = this.#now() + pauseAfter(state);
    } finally {
      state.isRunning = false;
    }
  }

  /**
   * Marks the FleetCluster: from now on it stays until the cluster is released, even if nothing was written
   * yet.
   */
  async #mark(name: string): Promise<number> {
    await this.options.marks.keep(name);
    return FIRST_RETRY_MS;
  }

  async #leave(deleted: DeletedCluster, state: Try): Promise<number> {
    const { cluster, access, fault, isForced } = deleted;
    const object = await this.#objectOf(cluster);
    const parsed = FleetCluster.safeParse(object).data;
    if (object === undefined || parsed === undefined || !isBeingDeleted(object.metadata)) return FIRST_RETRY_MS;
    const status = (parsed.status ?? {}) as FleetClusterStatus;
    if (deleted.staysManaged || isLeftToOthers(status)) return this.#letGo(object);
    // Secrets were not listed yet.
    if (access === undefined && fault === undefined && !isForced) return LOOK_MS;
    const found = await this.#released(parsed, access, fault ?? 'its login is not known', state);
    if (found === 'released') return this.#letGo(object);
    if (found === 'again') return CONFIRM_MS;
    if (isForced) {
      this.options.log.warn(
        { cluster, because: found.because },
        'forced removal: finalizers of the hub stay in the cluster',
      );
      return this.#letGo(object);
    }
    await this.#report(object, status, found.because);
    return pauseAfter(state);
  }

  async #released(
    object: FleetCluster,
    access: ClusterAccess | undefined,
    fault: string,
    state: Try,
  ): Promise<Release> {
    if (access === undefined) return { because: `its finalizers are not released: ${fault}; ${WITHOUT_LOGIN}` };
    let client: KubeClient | undefined;
    try {
      client = await this.options.open(access);
      return await this.#releasedIn(client, object, state);
    } catch (error) {
      return { because: `its finalizers are not released: ${troubleOf(error)}; ${GIVE_UP}` };
    } finally {
      await client?.close();
    }
  }

  async #releasedIn(client: KubeClient, object: FleetCluster, state: Try): Promise<Release> {
    const refusal = await this.#owned(client, object);
    if (refusal === ANOTHER_HUB) return 'released';
    if (refusal !== undefined) return { because: `its finalizers are not released: ${refusal}; ${GIVE_UP}` };
    const held = await heldObjects(client);
    if (held.length === 0) {
      await this.#giveUp(client);
      return 'released';
    }
    await releaseObjects(client, held);
    state.releases += 1;
    const { cluster } = client;
    this.options.log.info({ cluster, objects: held.length }, 'released finalizers');
    if (state.releases === 1) return 'again';
    return { because: `a running hub restores its finalizers on ${counted(held.length, 'object')}; ${GIVE_UP}` };
  }

  /**
   * Returns the reason why nothing must be released in the cluster that answers. Undefined if it is this
   * hub's.
   */
  async #owned(client: KubeClient, { metadata, spec, status }: FleetCluster): Promise<string | undefined> {
    const system = await this.#system(client);
    const expected =
      metadata.annotations?.[ACCEPTED_UID_ANNOTATION] ?? spec.uid ?? ((status ?? {}) as FleetClusterStatus).uid;
    const uid = system?.metadata.uid;
    if (uid !== undefined && expected !== undefined && uid !== expected) {
      return `another cluster answers: its kube-system has UID ${uid}, that of the fleet has ${expected}`;
    }
    const { annotations = {} } = system?.metadata ?? {};
    if ((annotations[OWNER_ANNOTATION] ?? '') === '' || (await this.#isOurs(annotations))) return undefined;
    return this.#isNamed(annotations) ? this.#atWork(client) : ANOTHER_HUB;
  }

  /**
   * Returns the reason if another hub with the same identity is active there. Returns undefined if it is
   * gone.
   */
  async #atWork(client: KubeClient): Promise<string | undefined> {
    const { identity: hub, instance, clock } = this.options;
    const status = await new OwnerCheck({ client, clock, hub, instance, mayTake: () => true }).ask();
    if (status.acts) return undefined;
    return status.isAsked === true ? status.because : ANOTHER_HUB;
  }

  /** The next hub finds the cluster without one. */
  async #giveUp(client: KubeClient): Promise<void> {
    const system = await this.#system(client);
    const { annotations, resourceVersion } = system?.metadata ?? {};
    if (!(await this.#isOurs(annotations))) return;
    await client.patch(SYSTEM, { metadata: { resourceVersion, annotations: ownerMarks(undefined, undefined) } });
  }

  async #isOurs(annotations: Readonly<Record<string, string>> = {}): Promise<boolean> {
    if (!this.#isNamed(annotations)) return false;
    const marked = annotations[INSTANCE_ANNOTATION];
    const own = await this.options.instance?.();
    return marked === undefined || own === undefined || marked === own;
  }

  #isNamed(annotations: Readonly<Record<string, string>>): boolean {
    const { identity } = this.options;
    const holder = annotations[OWNER_ANNOTATION];
    return identity !== undefined && holder !== undefined && [identity.id, ...identity.older].includes(holder);
  }

  async #system(client: KubeClient): Promise<KubernetesObject | undefined> {
    try {
      return await client.get(SYSTEM);
    } catch (error) {
      if (KubeApiError.is(error, 'Forbidden')) return undefined;
      throw error;
    }
  }

  async #letGo({ metadata }: KubernetesObject): Promise<number> {
    const { name = '', resourceVersion, finalizers = [] } = metadata;
    const rest = finalizers.filter((one) => one !== RELEASE_FINALIZER);
    await this.#write(name, { resourceVersion, finalizers: rest });
    this.options.log.info({ cluster: name }, 'FleetCluster was removed');
    return FIRST_RETRY_MS;
  }

  /** Reports the reason why its deletion waits. */
  async #report(object: KubernetesObject, before: FleetClusterStatus, because: string): Promise<void> {
    const { hub, clock, log } = this.options;
    const cluster = object.metadata.name;
    const status = leavingStatus(before, because.slice(0, MOST_CHARACTERS), clock.now().toISOString());
    if (status === before) return;
    log.warn({ cluster, because }, 'waiting to release the finalizers of a deleted FleetCluster');
    try {
      await hub.updateStatus({ ...object, status });
    } catch (error) {
      if (!KubeApiError.is(error, 'Conflict', 'NotFound')) throw error;
    }
  }

  async #write(name: string, metadata: Readonly<Record<string, unknown>>): Promise<void> {
    try {
      await this.options.hub.patch({ ...FLEET_CLUSTER, name }, { metadata });
    } catch (error) {
      // It has changed in between, or is gone: that is seen at the next try.
      if (!KubeApiError.is(error, 'Conflict', 'NotFound')) throw error;
    }
  }

  async #objectOf(name: string): Promise<KubernetesObject | undefined> {
    const found = await this.options.hub.get({ ...FLEET_CLUSTER, name });
    return found && { ...found, ...FLEET_CLUSTER };
  }

  #now(): number {
    return this.options.clock.now().getTime();
  }
}

const FLEET_CLUSTER = { apiVersion: FLEET_API, kind: 'FleetCluster' } as const;
const GIVE_UP = 'to remove the FleetCluster without that, set annotation fleet.flotilla.dev/force-removal=true';
const WITHOUT_LOGIN = `create the Secret again; ${GIVE_UP}`;

const ANOTHER_HUB = 'another hub';

/** `again`: something was released; a hub that still watches the cluster may set it again. */
type Release = 'released' | 'again' | Readonly<{ because: string }>;

/** Key of a try: with another key the next try comes at once. */
const keyOf = ({ isForced, staysManaged, access, fault }: DeletedCluster): string =>
  [isForced, staysManaged, access === undefined ? (fault ?? '') : canonicalHash([access.cluster, access.user])].join();

function pauseAfter(state: Try): number {
  const pause = Math.min(LONGEST_RETRY_MS, FIRST_RETRY_MS * 2 ** Math.min(state.failures, 10));
  state.failures += 1;
  return pause;
}
