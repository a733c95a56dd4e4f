import type { ForeignReading } from '#core/cluster/imports/foreign-cluster';
import { originMark } from '#core/cluster/imports/import-marks';
import { type HubAccount, importRole } from '#core/cluster/imports/import-role';
import { planImport } from '#core/cluster/imports/plan-import';
import { type SourceTrouble, sourceStatus } from '#core/cluster/imports/source-status';
import { isBeingDeleted } from '#core/cluster/membership/cluster-release';
import { FleetClusterSource, type FleetClusterSourceStatus } from '#core/kernel/api/fleet/fleet-cluster-source';
import { FLEET_API } from '#core/kernel/api/fleet/fleet-fields';
import type { KubernetesObject } from '#core/kernel/api/kubernetes-object';
import { sameJson } from '#core/kernel/canonical/same-json';
import { MOST_SOURCES, type SourceReport, sourceReport } from '#core/view/rows/source-report';
import type { Clock } from '#platform/clock/clock.port';
import { Timers } from '#platform/clock/timers';
import { Reflector } from '#platform/kube/cache/reflector';
import { KubeApiError, type KubeClient } from '#platform/kube/client/kube-client.port';
import { troubleOf } from '#platform/kube/errors/api-server-trouble';
import type { HealthCheck } from '#platform/telemetry/health-check';
import type { Log } from '#platform/telemetry/log.port';
import { SourceFollower } from './source-follower.js';
import { SourceWrites } from './source-writes.js';

type ClusterSourcesOptions = Readonly<{
  /** The hub API, as the poller's field manager. */
  hub: KubeClient;
  clock: Clock;
  log: Log;
  /** True if this process works for a source: one poller of the hub does. */
  owns: (source: string) => boolean;
  /** Returns the accounts of poller and applier, for the Role that a source needs. */
  accounts: () => Promise<readonly HubAccount[]>;
}>;

/** Changes within this time are handled together. */
const SETTLE_MS = 200;
const CHECK_EVERY_MS = 15_000;

type Following = Readonly<{ uid: string; follower: SourceFollower; writes: SourceWrites }>;
/** `isAgain`: something has changed during the pass. */
type Pass = { isAgain: boolean };

/**
 * Keeps FleetClusters in step with the clusters that other tools know, as FleetClusterSources ask for it.
 * Clusters that leave there are announced and stay.
 */
export class ClusterSources {
  readonly #timers: Timers;
  readonly #sources: Reflector;
  readonly #clusters: Reflector;
  #watchesClusters = false;
  readonly #following = new Map<string, Following>();
  readonly #queued = new Set<string>();
  readonly #passes = new Map<string, Pass>();
  readonly #running = new Set<Promise<void>>();
  /** Passes run one after the other: two sources must not take one name at a time. */
  #turn: Promise<void> = Promise.resolve();

  constructor(private readonly options: ClusterSourcesOptions) {
    const { hub: client, clock, log } = options;
    this.#timers = new Timers(clock);
    const all = () => this.#checkAll();
    this.#sources = new Reflector({
      ...{ client, clock, log, kind: { apiVersion: FLEET_API, kind: 'FleetClusterSource' } },
      handlers: {
        onReplace: all,
        onChange: (object, before) => {
          const isOwn = before?.metadata.generation === object.metadata.generation;
          if (!isOwn || before?.metadata.uid !== object.metadata.uid) all();
        },
        onDelete: all,
      },
    });
    this.#clusters = new Reflector({
      ...{ client, clock, log, kind: { apiVersion: FLEET_API, kind: 'FleetCluster' }, keep: keptCluster },
      handlers: {
        onReplace: all,
        onChange: (object, before) => {
          if (!sameJson(comparedOf(object), before && comparedOf(before))) all();
        },
        onDelete: all,
      },
    });
  }

  /** Degraded until the sources are known. */
  readonly check: HealthCheck = {
    name: 'fleet-sources',
    check: async () => {
      const problem = this.#problem;
      if (problem !== undefined) return { up: true, degraded: true, detail: problem };
      return { up: true, detail: `${this.#following.size} FleetClusterSources are followed here` };
    },
  };

  get #problem(): string | undefined {
    const problem = this.#sources.problem();
    if (problem !== undefined) return `FleetClusterSources are not watched: ${problem}`;
    if (!this.#sources.synced()) return 'FleetClusterSources were not listed yet';
    if (this.#sources.served()) return undefined;
    return 'the hub API does not serve FleetClusterSource: apply the definitions of k8s/crds/fleet';
  }

  /** Returns the sources that this process works for, for the console. */
  reports(): SourceReport[] {
    const own = this.#sources.list().filter(({ metadata }) => this.options.owns(metadata.name ?? ''));
    return own.flatMap((object) => sourceReport(object) ?? []).slice(0, MOST_SOURCES);
  }

  start(): void {
    this.#sources.start();
    this.#timers.every(CHECK_EVERY_MS, () => this.#checkAll());
  }

  async stop(): Promise<void> {
    this.#timers.stop();
    await Promise.all(this.#running);
    const followers = [...this.#following.values()].map(({ follower }) => follower.stop());
    await Promise.all([this.#sources.stop(), this.#clusters.stop(), ...followers]);
  }

  #checkAll(): void {
    if (this.#timers.stopped) return;
    const objects = this.#sources.list().filter(({ metadata }) => !isBeingDeleted(metadata));
    const own = new Map(objects.map(({ metadata }) => [metadata.name ?? '', metadata.uid ?? '']));
    for (const name of own.keys()) if (!this.options.owns(name)) own.delete(name);
    for (const [name, { uid, follower }] of this.#following) {
      if (own.get(name) === uid) continue;
      this.#following.delete(name);
      this.#run(follower.stop());
    }
    if (own.size > 0 && !this.#watchesClusters) {
      this.#watchesClusters = true;
      this.#clusters.start();
    }
    for (const name of own.keys()) this.#queue(name);
  }

  #queue(name: string): void {
    if (this.#queued.has(name)) return;
    this.#queued.add(name);
    this.#timers.after(SETTLE_MS, () => {
      this.#queued.delete(name);
      const pass = this.#passes.get(name);
      if (pass === undefined) this.#run(this.#inTurn(name));
      else pass.isAgain = true;
    });
  }

  #run(work: Promise<void>): void {
    const running = work.finally(() => this.#running.delete(running));
    this.#running.add(running);
  }

  async #inTurn(name: string): Promise<void> {
    const pass: Pass = { isAgain: false };
    this.#passes.set(name, pass);
    this.#turn = this.#turn.then(() => this.#pass(name, pass));
    await this.#turn;
  }

  /** Never rejects. */
  async #pass(name: string, pass: Pass): Promise<void> {
    pass.isAgain = false;
    if (this.#timers.stopped) return;
    try {
      const object = this.#sources.get({ name });
      if (object !== undefined && this.options.owns(name) && this.#clusters.synced()) await this.#keepInStep(object);
    } catch (error) {
      this.options.log.warn({ source: name, error: troubleOf(error) }, 'could not follow a FleetClusterSource');
    } finally {
      this.#passes.delete(name);
      if (pass.isAgain) this.#queue(name);
    }
  }

  async #keepInStep(object: KubernetesObject): Promise<void> {
    const source = FleetClusterSource.safeParse(object).data;
    if (source === undefined) return this.#report(object, undefined, UNREADABLE);
    if (source.spec.paused) return this.#report(object, undefined, PAUSED);
    const { follower, writes } = this.#followed(source);
    const followed = await follower.followed(source);
    if (followed === undefined) return;
    if ('trouble' in followed) return this.#report(object, undefined, await this.#withRole(source, followed.trouble));
    await this.#write(object, source, followed.readings, writes);
  }

  async #write(
    object: KubernetesObject,
    { metadata: { name }, spec: { namePrefix } }: FleetClusterSource,
    readings: readonly ForeignReading[],
    writes: SourceWrites,
  ): Promise<void> {
    const existing = this.#clusters.list();
    const held = new Map(existing.map((one) => [one.metadata.name, one]));
    const plan = planImport({ readings, existing, source: name, namePrefix });
    const refused = [...plan.refused];
    let written = 0;
    let trouble: SourceTrouble | undefined;
    try {
      for (const wanted of plan.wanted) {
        if (this.#timers.stopped) return;
        const found = await writes.apply(wanted, held.get(wanted.metadata.name));
        if (found === undefined) written += 1;
        else refused.push({ origin: originMark(wanted) ?? '', refused: found.refused });
      }
      for (const left of existing.filter(({ metadata }) => plan.left.includes(metadata.name ?? '')))
        await writes.announce(left);
    } catch (error) {
      if (!KubeApiError.is(error)) throw error;
      trouble = refusedWrite(error);
    }
    await this.#report(object, { refused, left: plan.left, written }, trouble);
  }

  #followed(source: FleetClusterSource): Following {
    const { hub, clock, log } = this.options;
    const { name } = source.metadata;
    const uid = String(source.metadata['uid']);
    const known = this.#following.get(name);
    if (known !== undefined) return known;
    const onChange = () => this.#queue(name);
    const following = {
      uid,
      follower: new SourceFollower({ hub, source, clock, log, onChange }),
      writes: new SourceWrites({ hub, source: name, clock, log }),
    };
    this.#following.set(name, following);
    return following;
  }

  async #withRole({ spec }: FleetClusterSource, trouble: SourceTrouble): Promise<SourceTrouble> {
    if (trouble.reason !== 'Forbidden') return trouble;
    try {
      const accounts = await this.options.accounts();
      return { ...trouble, role: importRole({ tool: spec.from, namespace: spec.namespace, accounts }) };
    } catch (error) {
      this.options.log.debug({ error: troubleOf(error) }, 'could not read the accounts of the hub');
      return trouble;
    }
  }

  async #report(
    known: KubernetesObject,
    plan: Parameters<typeof sourceStatus>[1]['plan'],
    trouble: SourceTrouble | undefined,
  ): Promise<void> {
    const { hub, clock } = this.options;
    const at = clock.now().toISOString();
    const { generation, name = '' } = known.metadata;
    const finding = { generation, trouble, ...(plan === undefined ? {} : { plan }) };
    if (sourceStatus(statusOf(known), finding, at) === statusOf(known)) return;
    const object = await hub.get({ apiVersion: FLEET_API, kind: 'FleetClusterSource', name });
    if (object === undefined || object.metadata.uid !== known.metadata.uid) return;
    const before = statusOf(object);
    const status = sourceStatus(before, finding, at);
    if (status === before) return;
    try {
      await hub.updateStatus({ ...object, status });
    } catch (error) {
      if (!KubeApiError.is(error, 'Conflict', 'NotFound')) throw error;
    }
  }
}

const NO_STATUS: FleetClusterSourceStatus = {};
const statusOf = ({ status }: KubernetesObject): FleetClusterSourceStatus =>
  (status as FleetClusterSourceStatus | undefined) ?? NO_STATUS;

const PAUSED: SourceTrouble = { reason: 'Paused', message: 'spec.paused is true' };
const UNREADABLE: SourceTrouble = {
  reason: 'InvalidSpec',
  message: 'it does not follow its schema: apply the definitions of k8s/crds/fleet, then correct it',
};

const refusedWrite = (error: KubeApiError): SourceTrouble => ({
  reason: 'WriteRefused',
  message: KubeApiError.is(error, 'Forbidden')
    ? `the poller may not create and patch FleetClusters: bind ClusterRole flotilla:fleet-import to it (${error.said})`
    : `FleetClusters could not be written: ${troubleOf(error)}`,
});

/** Returns the fields of a FleetCluster that an import compares. */
function keptCluster({ apiVersion, kind, metadata, spec, status }: KubernetesObject): KubernetesObject {
  const { name, uid, resourceVersion, labels, annotations, deletionTimestamp } = metadata;
  const { conditions = [] } = (status ?? {}) as Readonly<{ conditions?: readonly Readonly<{ type: string }>[] }>;
  const kept = { name, uid, resourceVersion, labels, annotations, deletionTimestamp };
  const own = { conditions: conditions.filter(({ type }) => type === 'InSource') };
  return { apiVersion, kind, metadata: kept, spec, status: own };
}

const comparedOf = ({ metadata, spec, status }: KubernetesObject) => {
  const { uid, labels, annotations, deletionTimestamp } = metadata;
  return { uid, labels, annotations, deletionTimestamp, spec, status };
};
