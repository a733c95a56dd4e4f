import {
  type ClusterSighting,
  type CredentialsSighting,
  clusterStatus,
  type FleetClusterStatus,
  unreadableStatus,
} from '#core/cluster/membership/cluster-conditions';
import { CLAIMS, type ClusterFacts, claimsIn, nodeFacts, observedNode } from '#core/cluster/membership/cluster-facts';
import { withMissingRights } from '#core/cluster/membership/cluster-permissions';
import { isBeingDeleted } from '#core/cluster/membership/cluster-release';
import { FleetCluster } from '#core/kernel/api/fleet/fleet-cluster';
import { FLEET_API } from '#core/kernel/api/fleet/fleet-fields';
import { KIND } from '#core/kernel/api/kinds';
import type { KubernetesObject } from '#core/kernel/api/kubernetes-object';
import { issueText } from '#core/rollout/kinds/read-fleet-object';
import type { Clock } from '#platform/clock/clock.port';
import { Timers } from '#platform/clock/timers';
import type { OlmDetectors } from '#platform/clusters/olm-detectors';
import { FleetStore } from '#platform/fleet/fleet-store';
import { ACCEPTED_UID_ANNOTATION, type SecretClusters } from '#platform/fleet/secret-clusters';
import { KubeApiError, type KubeClient } from '#platform/kube/client/kube-client.port';
import { isLoginRefused, troubleOf } from '#platform/kube/errors/api-server-trouble';
import { ListTurns } from '#platform/kube/limits/list-turns';
import type { LoginRenewals } from '#platform/membership/login-renewals';
import type { ClusterChange, ServiceClusters } from '#platform/membership/service-clusters.port';
import type { HealthCheck } from '#platform/telemetry/health-check';
import type { Log } from '#platform/telemetry/log.port';
import { ClusterRights } from '../clusters/joining/cluster-rights.js';

/** How often a cluster is asked whether it answers, at least: one lost answer is none. */
const ASK_EVERY_MS = 15_000;
/** Times that a cluster is asked before it counts as unreachable. */
const ASKED_BEFORE = 2.5;
const SILENT_MS = 40_000;
const ASKED_AT_ONCE = 32;
/** Time without an answer after which a cluster yields its turn to the next. */
const TURN_MS = 500;
/**
 * Turns that must come again before a waiting question counts as silence: a machine that slept comes back
 * with old questions.
 */
const WAITED = 2;
const MOST_CHARACTERS = 1_024;
const NO_CONTEXT = 'no kubeconfig of the hub has its context';
/** Interval of reads of nodes and claims. */
const FACTS_EVERY_MS = 30 * 60_000;
const KUBE_SYSTEM = { ...KIND.Namespace, name: 'kube-system' } as const;

type ClusterSightingsOptions = Readonly<{
  /** The hub API, as the poller's field manager. */
  hub: KubeClient;
  clusters: ServiceClusters;
  detectors: Pick<OlmDetectors, 'status'>;
  clock: Clock;
  log: Log;
  /** The logins of FleetClusters in Secrets. Absent if only contexts give access. */
  credentials?: Pick<SecretClusters, 'lifeOf' | 'faultOf'> | undefined;
  /** Says why a login could not be renewed. */
  renewals?: Pick<LoginRenewals, 'troubleOf'> | undefined;
  /** Returns the number of installed operators. Undefined while that is not known. */
  operatorsIn?: (cluster: string) => number | undefined;
  /**
   * True if this process works for all clusters of the hub: no other process knows clusters that this one
   * does not.
   */
  isAlone: boolean;
  /** Time of silence after which a cluster counts as unreachable. Default: 40 s. */
  silentMs?: number;
}>;

/** `asked`: the parts of the FleetCluster that were there when the cluster was last asked. */
type Sight = {
  heardAt: number | undefined;
  readonly sinceMs: number;
  uid?: string;
  asked?: string;
  facts?: Readonly<{ found: ClusterFacts; atMs: number }>;
};

/** A cluster that is asked, or will be. `waited`: how often its turn has come again since it was asked. */
type Question = { isAsked: boolean; isAskedAgain: boolean; waited: number };

/**
 * Reports in the status of FleetClusters if the clusters of this poller answer, their identity, and if
 * Flotilla acts there. Only changes are written.
 */
export class ClusterSightings {
  readonly #store: FleetStore;
  readonly #timers: Timers;
  readonly #sights = new Map<string, Sight>();
  readonly #rights: ClusterRights;
  readonly #turns = new ListTurns(ASKED_AT_ONCE, TURN_MS);
  /** Turns of unreachable clusters: those that answer do not wait for them. */
  readonly #turnsOfSilent = new ListTurns(ASKED_AT_ONCE, TURN_MS);
  /** Questions by FleetCluster. */
  readonly #questions = new Map<string, Question>();
  /** Questions and reports of silence. */
  readonly #running = new Set<Promise<void>>();

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
    const look = () => this.#lookAtAll('for news');
    const moved = (_kind: string, { name = '' }: KubernetesObject['metadata']) => void this.#moved(name);
    this.#timers.add(this.#store.onMoved(moved));
    this.#timers.add(this.options.clusters.subscribe((changes) => this.#changed(changes)));
    void this.#store.whenSynced().then(look);
    const askEveryMs = Math.min(ASK_EVERY_MS, this.#silentMs / ASKED_BEFORE);
    this.#timers.every(askEveryMs, () => this.#lookAtAll('in turn'));
  }

  async stop(): Promise<void> {
    this.#timers.stop();
    await Promise.all(this.#running);
    await this.#store.stop();
  }

  /**
   * Forgets the identity, facts and rights of changed clusters: with another login another cluster may
   * answer.
   */
  #changed(changes: readonly ClusterChange[]): void {
    for (const { cluster } of changes) {
      const sight = this.#sights.get(cluster);
      delete sight?.uid;
      delete sight?.facts;
      this.#rights.forget(cluster);
    }
    this.#lookAtAll('for news');
  }

  /** The reports of this process are changes of the object, too. */
  async #moved(name: string): Promise<void> {
    const found = await this.#store.client.get({ apiVersion: FLEET_API, kind: 'FleetCluster', name });
    if (found === undefined || askedOf(found.metadata) !== this.#sights.get(name)?.asked) this.#lookAtAll('for news');
  }

  /**
   * Asks all clusters. A silent cluster holds up no other. It is not asked twice at a time, but once more if
   * something has changed meanwhile.
   */
  #lookAtAll(why: 'in turn' | 'for news'): void {
    if (this.#store.problem !== undefined || this.#timers.stopped) return;
    const objects = this.#objects();
    const names = new Set(objects.map(({ metadata }) => metadata.name));
    for (const name of this.#sights.keys()) if (!names.has(name)) this.#sights.delete(name);
    for (const object of objects) {
      const question = this.#questions.get(object.metadata.name);
      if (question === undefined) this.#look(object);
      else if (why === 'for news') question.isAskedAgain = true;
      else if (question.isAsked) {
        question.waited += 1;
        if (question.waited >= WAITED) this.#run(this.#noteSilence(object));
      }
    }
  }

  /** Returns those that follow their schema, and reports the others as unreadable. */
  #objects(): readonly FleetCluster[] {
    const kept = this.#store.kept('FleetCluster').flatMap((one): readonly FleetCluster[] => {
      // The applier reports about one that is deleted: it releases the cluster.
      if (isBeingDeleted(one.metadata)) return [];
      const object = one.open();
      const { data, error } = FleetCluster.safeParse(object);
      if (error !== undefined) this.#run(this.#reportUnreadable(object, issueText(error)));
      return data === undefined ? [] : [data];
    });
    return kept;
  }

  async #reportUnreadable(object: KubernetesObject, problem: string): Promise<void> {
    const before = (object['status'] ?? {}) as FleetClusterStatus;
    const status = unreadableStatus(before, problem, this.options.clock.now().toISOString());
    if (status === before) return;
    await this.#store.client.updateStatus({ ...object, status }).catch((error) => {
      if (KubeApiError.is(error, 'Conflict', 'NotFound')) return;
      // An older API server refuses each write to an object that does not follow its schema.
      this.options.log.warn({ cluster: object.metadata.name, error }, 'the status of a cluster could not be written');
    });
  }

  #look(object: FleetCluster): void {
    const { name } = object.metadata;
    const question: Question = { isAsked: false, isAskedAgain: false, waited: 0 };
    this.#questions.set(name, question);
    const sight = this.#sights.get(name);
    const turns = sight !== undefined && this.#isSilent(sight) ? this.#turnsOfSilent : this.#turns;
    const looking = turns.run(() => {
      question.isAsked = true;
      return this.#lookAt(object);
    });
    this.#run(
      looking.finally(() => {
        this.#questions.delete(name);
        if (question.isAskedAgain && !this.#timers.stopped) this.#run(this.#lookAgain(name));
      }),
    );
  }

  /** Checks the one cluster: if all have news, none goes through all objects. */
  async #lookAgain(name: string): Promise<void> {
    const found = await this.#store.client.get({ apiVersion: FLEET_API, kind: 'FleetCluster', name });
    const object = FleetCluster.safeParse(found).data;
    const isToAsk = object !== undefined && !isBeingDeleted(object.metadata);
    if (isToAsk && !this.#timers.stopped && !this.#questions.has(name)) this.#look(object);
  }

  #run(work: Promise<void>): void {
    const running = work.finally(() => this.#running.delete(running));
    this.#running.add(running);
  }

  /** The cluster was asked and answers nothing: its request may wait for much longer. */
  async #noteSilence(object: FleetCluster): Promise<void> {
    const sight = this.#sights.get(object.metadata.name);
    const { conditions = [] } = (object.status ?? {}) as FleetClusterStatus;
    const isNoted = conditions.some(({ type, status }) => type === 'Reachable' && status === 'False');
    if (sight === undefined || isNoted || !this.#isSilent(sight)) return;
    delete sight.uid;
    const message = `no answer within ${this.#silentMs / 1_000} s`;
    const silence = { reason: 'Timeout' as const, message, heardAt: heardAtOf(sight) };
    await this.#reported(object, async () => ({ silence }));
  }

  #isSilent({ heardAt, sinceMs }: Sight): boolean {
    return this.#now() - (heardAt ?? sinceMs) >= this.#silentMs;
  }

  #lookAt(object: FleetCluster): Promise<void> {
    return this.#reported(object, () => this.#sighting(object));
  }

  async #reported(object: FleetCluster, look: () => Promise<ClusterSighting | undefined>): Promise<void> {
    const { log } = this.options;
    try {
      const sighting = await look();
      if (sighting !== undefined && !this.#timers.stopped) await this.#report(object, sighting);
    } catch (error) {
      log.debug({ cluster: object.metadata.name, error }, 'could not report the status of a cluster');
    }
  }

  /** Returns the sighting of a cluster. Undefined if another process must ask, or nothing is certain yet. */
  async #sighting({ metadata, spec }: FleetCluster): Promise<ClusterSighting | undefined> {
    const { clusters } = this.options;
    const { name } = metadata;
    const { context = name, secretRef } = spec.access;
    const acceptedUid = metadata.annotations?.[ACCEPTED_UID_ANNOTATION];
    const other = clusters.replacedBy?.(context);
    const dispute = clusters.disputeOf?.(context) ?? null;
    const identity = { acceptedUid, expectedUid: spec.uid, dispute, ...(other === undefined ? {} : { uid: other }) };
    const fault = secretRef === undefined ? undefined : this.options.credentials?.faultOf(name);
    if (!clusters.knows(context)) return this.#unasked(secretRef === undefined, identity, fault);
    if (context !== name) return refused(`give the FleetCluster the name of its context, "${context}"`);
    const sight: Sight = this.#sights.get(name) ?? { heardAt: undefined, sinceMs: this.#now() };
    sight.asked = askedOf(metadata as KubernetesObject['metadata']);
    this.#sights.set(name, sight);
    const asked = await this.#ask(context, sight);
    return asked && { ...asked, ...identity, credentials: this.#credentials(name, asked, fault) };
  }

  /**
   * Returns the sighting of a cluster that does not take part. Every poller reads the Secrets, so that all
   * have the same result.
   */
  #unasked(
    isByContext: boolean,
    identity: Pick<ClusterSighting, 'acceptedUid' | 'expectedUid' | 'uid' | 'dispute'>,
    fault: CredentialsSighting['fault'],
  ): ClusterSighting | undefined {
    const { dispute } = identity;
    if (identity.uid !== undefined) return { isUnasked: true, ...identity };
    if (dispute?.isRefused === true) return { ...refused(dispute.message), dispute };
    if (fault !== undefined) return { isUnasked: true, credentials: { fault } };
    return this.options.isAlone && isByContext ? refused(NO_CONTEXT) : undefined;
  }

  #credentials(
    cluster: string,
    { silence, credentials }: ClusterSighting,
    fault: CredentialsSighting['fault'],
  ): CredentialsSighting | undefined {
    const { expiresAt, renewedFrom } = this.options.credentials?.lifeOf(cluster) ?? {};
    if (fault !== undefined) return { fault };
    if (expiresAt !== undefined && Date.parse(expiresAt) <= this.#now()) {
      return { fault: { reason: 'Expired', message: `the login ended at ${expiresAt}: renew it` }, expiresAt };
    }
    const renewal = this.options.renewals?.troubleOf(cluster)?.slice(0, MOST_CHARACTERS);
    const known = { expiresAt, renewedFrom, ...(renewal !== undefined && { renewal }) };
    if (credentials !== undefined) return { ...credentials, ...known };
    return silence === undefined ? known : undefined;
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
      if (!this.#isSilent(sight)) {
        return isRejected ? { isUnasked: true, credentials: { fault: { reason: 'Rejected', message } } } : undefined;
      }
      // Another cluster may answer after that.
      delete sight.uid;
      return {
        silence: { reason: reasonOf(error), message, heardAt: heardAtOf(sight) },
        ...(isRejected ? { credentials: { fault: { reason: 'Rejected', message } } } : {}),
      };
    }
  }

  /** Returns facts from nodes and claims. These change seldom. If they may not be read, they are left out. */
  async #facts(client: KubeClient, sight: Sight): Promise<ClusterFacts> {
    if (sight.facts !== undefined && this.#now() - sight.facts.atMs < FACTS_EVERY_MS) return sight.facts.found;
    const { cluster } = client;
    const unread = (error: unknown) => this.options.log.debug({ cluster, error }, 'could not read facts of a cluster');
    const nodes = await client.list(KIND.Node, { keep: observedNode }).catch(unread);
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

  async #report(object: FleetCluster, sighting: ClusterSighting, isAgain = false): Promise<void> {
    const before = (object.status ?? {}) as FleetClusterStatus;
    const at = this.options.clock.now().toISOString();
    const { missingRights: lacks } = sighting;
    const seen = clusterStatus(before, sighting, at);
    const status = lacks === undefined ? seen : withMissingRights(seen, 'poller', lacks, at);
    if (status === before) return;
    const { log } = this.options;
    try {
      await this.#store.client.updateStatus({ ...object, status });
    } catch (error) {
      const { name } = object.metadata;
      if (KubeApiError.is(error, 'Conflict') && !isAgain) {
        // Another service has written its part in the same moment.
        const found = await this.options.hub.get({ apiVersion: FLEET_API, kind: 'FleetCluster', name });
        const newer = FleetCluster.safeParse(found).data;
        if (newer !== undefined && newer.metadata.uid === object.metadata.uid)
          return this.#report(newer, sighting, true);
      } else if (!KubeApiError.is(error, 'Conflict', 'NotFound')) {
        log.warn({ cluster: name, error }, 'the status of a cluster could not be written');
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

/** Returns the time of the last answer to this process. */
const heardAtOf = ({ heardAt }: Sight): string | undefined =>
  heardAt === undefined ? undefined : new Date(heardAt).toISOString();

const refused = (message: string): ClusterSighting => ({ silence: { reason: 'Refused', message } });

function reasonOf(error: unknown): NonNullable<ClusterSighting['silence']>['reason'] {
  if (/certificate|TLS|SSL/i.test(error instanceof Error ? error.message : '')) return 'TLSFailed';
  return KubeApiError.is(error) && error.answered ? 'Refused' : 'Timeout';
}
