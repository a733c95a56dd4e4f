import {
  type ClusterSighting,
  type CredentialsSighting,
  clusterStatus,
  type FleetClusterStatus,
} from '#core/fleet/membership/cluster-conditions';
import { CLAIMS, type ClusterFacts, claimsIn, nodeFacts, observedNode } from '#core/fleet/membership/cluster-facts';
import { withMissingRights } from '#core/fleet/membership/cluster-permissions';
import { isBeingDeleted } from '#core/fleet/membership/cluster-release';
import { FleetCluster } from '#core/kernel/api/fleet/fleet-cluster';
import { FLEET_API } from '#core/kernel/api/fleet/fleet-fields';
import type { KubernetesObject } from '#core/kernel/api/kubernetes-object';
import type { Clock } from '#platform/clock/clock.port';
import { Timers } from '#platform/clock/timers';
import { inParallel } from '#platform/fairness/in-parallel';
import { FleetStore } from '#platform/fleet/fleet-store';
import { ACCEPTED_UID_ANNOTATION, type SecretClusters } from '#platform/fleet/secret-clusters';
import type { OlmDetectors } from '#platform/joining/olm-detectors';
import { isLoginRefused, troubleOf } from '#platform/kube/client/api-server-trouble';
import { KubeApiError, type KubeClient } from '#platform/kube/client/kube-client.port';
import type { ClusterChange, ServiceClusters } from '#platform/membership/service-clusters.port';
import type { HealthCheck } from '#platform/telemetry/health-check';
import type { Log } from '#platform/telemetry/log.port';
import { ClusterRights } from './joining/cluster-rights.js';

/** How often a cluster is asked whether it answers, at least: one lost answer is none. */
const ASK_EVERY_MS = 15_000;
/** And so often before it counts as away. */
const ASKED_BEFORE = 2.5;
const SILENT_MS = 40_000;
const ASKED_AT_ONCE = 32;
const MOST_CHARACTERS = 1_024;
const NO_CONTEXT = 'no kubeconfig of the hub has its context';
/** How often nodes and claims are read. */
const FACTS_EVERY_MS = 30 * 60_000;
const NODES = { apiVersion: 'v1', kind: 'Node' } as const;
const KUBE_SYSTEM = { apiVersion: 'v1', kind: 'Namespace', name: 'kube-system' } as const;

export type ClusterSightingsOptions = Readonly<{
  /** The hub API, as the poller's field manager. */
  hub: KubeClient;
  clusters: ServiceClusters;
  detectors: Pick<OlmDetectors, 'status'>;
  clock: Clock;
  log: Log;
  /** The logins of FleetClusters in Secrets; absent where only contexts give access. */
  credentials?: Pick<SecretClusters, 'expiryOf' | 'faultOf'> | undefined;
  /** How many operators are installed; undefined while that is not known. */
  operatorsIn?: (cluster: string) => number | undefined;
  /** This process works for all clusters of the hub: what it does not know no process does. */
  isAlone: boolean;
  /** A cluster that was silent for so long is away; default 40 s. */
  silentMs?: number;
}>;

/** `asked`: what of the FleetCluster was there when the cluster was last asked. */
type Sight = {
  heardAt: number | undefined;
  readonly sinceMs: number;
  uid?: string;
  asked?: string;
  facts?: Readonly<{ found: ClusterFacts; atMs: number }>;
};

/**
 * Reports in the status of FleetClusters whether the clusters of this poller answer, which ones they are, and
 * whether Flotilla acts there. Only what has changed is written.
 */
export class ClusterSightings {
  readonly #store: FleetStore;
  readonly #timers: Timers;
  readonly #sights = new Map<string, Sight>();
  readonly #rights: ClusterRights;
  #looking: Promise<void> | undefined;
  #isAskedAgain = false;

  constructor(private readonly options: ClusterSightingsOptions) {
    const { hub, clock, log } = options;
    this.#store = new FleetStore({ client: hub, clock, log, kinds: ['FleetCluster'], checkName: 'fleet-clusters' });
    this.#timers = new Timers(clock);
    this.#rights = new ClusterRights({ role: 'observe', clock, log });
  }

  get check(): HealthCheck {
    return this.#store.check;
  }

  start(): void {
    this.#store.start();
    const look = () => void this.#look();
    const moved = (_kind: string, { name = '' }: KubernetesObject['metadata']) => void this.#moved(name);
    this.#timers.add(this.#store.onMoved(moved));
    this.#timers.add(this.options.clusters.subscribe((changes) => this.#changed(changes)));
    void this.#store.whenSynced().then(look);
    this.#timers.every(Math.min(ASK_EVERY_MS, this.#silentMs / ASKED_BEFORE), look);
  }

  async stop(): Promise<void> {
    this.#timers.stop();
    await this.#looking;
    await this.#store.stop();
  }

  /** With another login another cluster may answer. */
  #changed(changes: readonly ClusterChange[]): void {
    for (const { cluster } of changes) {
      const sight = this.#sights.get(cluster);
      delete sight?.uid;
      delete sight?.facts;
      this.#rights.forget(cluster);
    }
    this.#look();
  }

  /** Asks all clusters once, and once more where something has changed meanwhile. */
  #look(): void {
    if (this.#looking !== undefined) {
      this.#isAskedAgain = true;
      return;
    }
    this.#looking = this.#lookAtAll().finally(() => {
      this.#looking = undefined;
      if (this.#isAskedAgain && !this.#timers.stopped) this.#look();
    });
  }

  /** The reports of this process are changes of the object, too. */
  async #moved(name: string): Promise<void> {
    const found = await this.#store.client.get({ apiVersion: FLEET_API, kind: 'FleetCluster', name });
    if (found === undefined || askedOf(found.metadata) !== this.#sights.get(name)?.asked) this.#look();
  }

  async #lookAtAll(): Promise<void> {
    this.#isAskedAgain = false;
    if (this.#store.problem !== undefined || this.#timers.stopped) return;
    const kept = this.#store.kept('FleetCluster').flatMap((one) => FleetCluster.safeParse(one.open()).data ?? []);
    // The applier reports about one that is deleted: it releases the cluster.
    const objects = kept.filter(({ metadata }) => !isBeingDeleted(metadata));
    for (const name of this.#sights.keys()) {
      if (!objects.some((one) => one.metadata.name === name)) this.#sights.delete(name);
    }
    await inParallel(objects, ASKED_AT_ONCE, (object) => this.#lookAt(object));
  }

  async #lookAt(object: FleetCluster): Promise<void> {
    const { log } = this.options;
    try {
      const sighting = await this.#sighting(object);
      if (sighting !== undefined && !this.#timers.stopped) await this.#report(object, sighting);
    } catch (error) {
      log.debug({ cluster: object.metadata.name, error }, 'the status of a cluster could not be reported');
    }
  }

  /** Undefined where another process is to ask, or nothing is certain yet. */
  async #sighting({ metadata, spec }: FleetCluster): Promise<ClusterSighting | undefined> {
    const { isAlone, clusters } = this.options;
    const { name } = metadata;
    const { context = name, secretRef } = spec.access;
    const refused = (message: string): ClusterSighting => ({ silence: { reason: 'Refused', message } });
    const acceptedUid = metadata.annotations?.[ACCEPTED_UID_ANNOTATION];
    const other = clusters.replacedBy?.(context);
    const identity = { acceptedUid, expectedUid: spec.uid, ...(other === undefined ? {} : { uid: other }) };
    const fault = secretRef === undefined ? undefined : this.options.credentials?.faultOf(name);
    if (!clusters.known().includes(context)) {
      // Every poller reads the Secrets, so that each comes to the same.
      if (other !== undefined) return { isUnasked: true, ...identity };
      if (fault !== undefined) return { isUnasked: true, credentials: { fault } };
      return isAlone && secretRef === undefined ? refused(NO_CONTEXT) : undefined;
    }
    if (context !== name) return refused(`give the FleetCluster the name of its context, "${context}"`);
    const sight: Sight = this.#sights.get(name) ?? { heardAt: undefined, sinceMs: this.#now() };
    sight.asked = askedOf(metadata as KubernetesObject['metadata']);
    this.#sights.set(name, sight);
    const asked = await this.#ask(context, sight);
    return asked && { ...asked, ...identity, credentials: this.#credentials(name, asked, fault) };
  }

  #credentials(
    cluster: string,
    { silence, credentials }: ClusterSighting,
    fault: CredentialsSighting['fault'],
  ): CredentialsSighting | undefined {
    const expiresAt = this.options.credentials?.expiryOf(cluster);
    if (fault !== undefined) return { fault };
    if (expiresAt !== undefined && Date.parse(expiresAt) <= this.#now()) {
      return { fault: { reason: 'Expired', message: `the login ended at ${expiresAt}: renew it` }, expiresAt };
    }
    if (credentials !== undefined) return { ...credentials, expiresAt };
    return silence === undefined ? { expiresAt } : undefined;
  }

  async #ask(cluster: string, sight: Sight): Promise<ClusterSighting | undefined> {
    const { clusters } = this.options;
    try {
      const client = clusters.client(cluster);
      if (client === undefined) throw new Error(clusters.problemOf(cluster) ?? 'it did not answer yet');
      const version = await client.serverVersion();
      sight.uid ??= (await client.get(KUBE_SYSTEM))?.metadata.uid ?? '';
      sight.heardAt = this.#now();
      const uid = sight.uid === '' ? undefined : sight.uid;
      const [facts, missingRights] = [await this.#facts(client, sight), await this.#rights.lackedBy(client)];
      const operators = this.options.operatorsIn?.(cluster);
      return { uid, version, facts, missingRights, operators, managed: await this.#managed(cluster) };
    } catch (error) {
      // A login that is refused is no lost answer.
      const message = troubleOf(error).slice(0, MOST_CHARACTERS);
      const isRejected = isLoginRefused(error);
      if (this.#now() - (sight.heardAt ?? sight.sinceMs) < this.#silentMs) {
        return isRejected ? { isUnasked: true, credentials: { fault: { reason: 'Rejected', message } } } : undefined;
      }
      // Another cluster may answer after that.
      delete sight.uid;
      return {
        silence: { reason: reasonOf(error), message },
        ...(isRejected ? { credentials: { fault: { reason: 'Rejected', message } } } : {}),
      };
    }
  }

  /** Nodes and claims change seldom. Where they may not be read they are no facts. */
  async #facts(client: KubeClient, sight: Sight): Promise<ClusterFacts> {
    if (sight.facts !== undefined && this.#now() - sight.facts.atMs < FACTS_EVERY_MS) return sight.facts.found;
    const { cluster } = client;
    const unread = (error: unknown) => this.options.log.debug({ cluster, error }, 'facts of a cluster cannot be read');
    const nodes = await client.list(NODES, { keep: observedNode }).catch(unread);
    const claims = await client.get(CLAIMS).then(claimsIn, unread);
    const found = {
      ...(nodes === undefined ? {} : nodeFacts(nodes.items)),
      ...(claims === undefined ? {} : { claims }),
    };
    sight.facts = { found, atMs: this.#now() };
    return found;
  }

  async #managed(cluster: string): Promise<NonNullable<ClusterSighting['managed']>> {
    const status = await this.options.detectors.status(cluster);
    const isPaused = this.options.clusters.isPaused(cluster);
    return { acts: status.acts, isPaused, because: status.acts ? '' : status.because };
  }

  async #report(object: FleetCluster, sighting: ClusterSighting): Promise<void> {
    const before = (object.status ?? {}) as FleetClusterStatus;
    const at = this.options.clock.now().toISOString();
    const { missingRights: lacks } = sighting;
    const seen = clusterStatus(before, sighting, at);
    const status = lacks === undefined ? seen : withMissingRights(seen, 'poller', lacks, at);
    if (status === before) return;
    const { log } = this.options;
    try {
      await this.#store.client.updateStatus({ ...object, status } as unknown as KubernetesObject);
    } catch (error) {
      // The object has changed in between: it is reported the next time.
      if (!KubeApiError.is(error, 'Conflict', 'NotFound')) {
        log.warn({ cluster: object.metadata.name, error }, 'the status of a cluster could not be written');
      }
    }
  }

  get #silentMs(): number {
    return this.options.silentMs ?? SILENT_MS;
  }

  #now(): number {
    return this.options.clock.now().getTime();
  }
}

/** Labels and status of a FleetCluster concern nothing that is asked. */
const askedOf = ({ uid, generation, annotations }: KubernetesObject['metadata']): string =>
  `${uid} ${generation} ${annotations?.[ACCEPTED_UID_ANNOTATION] ?? ''}`;

function reasonOf(error: unknown): NonNullable<ClusterSighting['silence']>['reason'] {
  if (/certificate|TLS|SSL/i.test(error instanceof Error ? error.message : '')) return 'TLSFailed';
  return KubeApiError.is(error) && error.answered ? 'Refused' : 'Timeout';
}
