import { LONG_PATIENCE_MS, pause } from '#testing/patience';
import type { InMemoryRegistry } from '#testing/registry/in-memory-registry';
import { injectFault } from './faults/inject-fault.js';
import { type ChaosHub, type HubForm, startChaosHub } from './hub/chaos-hub.js';
import { CATALOGS, catalogReference, offerEdition } from './hub/chaos-operators.js';
import type { OwnEnd } from './hub/supervised-services.js';
import { type LeftState, leftState } from './judge/left-state.js';
import { ProgressPatience } from './judge/progress-patience.js';
import { Recoveries } from './judge/recoveries.js';
import { type ResourcesUsed, resourcesUsed } from './judge/resources-used.js';
import { stateReport } from './judge/state-report.js';
import { WrittenContents } from './judge/written-contents.js';
import type { FaultName } from './plan/fault-kinds.js';
import type { ChangePlan } from './plan/plan-changes.js';
import type { PlannedFault } from './plan/plan-faults.js';
import { ClusterUser } from './users/cluster-user.js';

export type RunPlan = Readonly<{
  form: HubForm;
  clusters: readonly string[];
  changes: ChangePlan;
  faults: readonly PlannedFault[];
  editions: number;
  /** Factor for the planned times of changes and editions; those of faults stay. */
  pace: number;
  say: (line: string) => void;
  /** Gets every change and every phase of a ClusterServiceVersion. */
  trace: (line: string) => void;
}>;

export type PlayedRun = Readonly<{
  /** By cluster. */
  left: ReadonlyMap<string, LeftState>;
  contents: WrittenContents;
  recoveries: Recoveries;
  /** Writes of the services in the time of rest. */
  writesAtRest: readonly string[];
  used: ResourcesUsed;
  ownEnds: readonly OwnEnd[];
  /** Faults that this machine does not let happen, with why. */
  impossible: ReadonlyMap<FaultName, string>;
  seconds: number;
}>;

/** Thrown if something was not done in time. Names the pending work and the last fault. */
export class RunStuck extends Error {}

const TICK_MS = 250;
/** Longer than the longest pause after failures in a row, that of a catalog: five minutes, and a tenth. */
const MOST_STILL_MS = Math.max(LONG_PATIENCE_MS, 360_000);
/** Time without motion after which a run reports its pending work. */
const REPORTED_AFTER_MS = 45_000;
const BACK_UP_EVERY_MS = 3_000;
const QUIET_MS = 4_000;
const REST_MS = 12_000;
const WRITES = /^(create|update|patch|delete|deletecollection)$/;

/** Plays the changes and faults of a plan on a hub of its own, and returns the state that it left. */
export async function playRun(plan: RunPlan, registry: InMemoryRegistry): Promise<PlayedRun> {
  for (const catalog of CATALOGS) await offerEdition(registry, catalog, 1);
  const hub = await startChaosHub(plan.clusters, registry, plan.form);
  const run = new Run(plan, hub);
  try {
    return await run.play();
  } catch (error) {
    plan.say(await run.tails());
    throw error;
  } finally {
    run.over = true;
    await hub.stop();
  }
}

class Run {
  over = false;
  readonly #contents = new WrittenContents();
  #recoveries = new Recoveries();
  readonly #users: readonly ClusterUser[];
  readonly #editions = new Map<string, number>(CATALOGS.map((catalog) => [catalog, 1]));
  #lastFault = 'none';
  #begunAt = 0;

  constructor(
    private readonly plan: RunPlan,
    private readonly hub: ChaosHub,
  ) {
    this.#users = hub.clusters.map(
      ({ cluster }, index) => new ClusterUser(cluster, `${hub.registry.host}/${catalogReference(catalogOf(index))}`),
    );
  }

  async play(): Promise<PlayedRun> {
    this.hub.services.start();
    await this.#until('the clusters to be joined', () => this.hub.clusters.filter(({ cluster }) => !isJoined(cluster)));
    this.#recoveries = new Recoveries();
    for (const { cluster } of this.hub.clusters) {
      this.#contents.watch(cluster);
      this.#recoveries.watch(cluster);
      cluster.onChange(({ resource, type, object, previous }) => {
        const [now, before] = [object, previous].map((one) => Object(one?.status).phase);
        if (resource.startsWith('clusterserviceversions.') && (now !== before || type === 'DELETED'))
          this.plan.trace(`${this.#now()} s: ${cluster.name} ${object.metadata.name} ${type} ${now}`);
      });
    }
    this.#begunAt = performance.now();
    void this.#tick();
    void this.#backUp();
    await Promise.all([this.#faults(), this.#offer(), ...this.#users.map((user) => this.#change(user))]);
    await this.#until('all changes to be carried out', () => this.#pending());
    for (const user of this.#users) user.stopPolling();
    const seconds = (performance.now() - this.#begunAt) / 1_000;
    await this.#untilQuiet();
    const writesAtRest = await this.#rest();
    return {
      left: new Map(this.hub.clusters.map(({ name, cluster }) => [name, leftState(cluster)])),
      contents: this.#contents,
      recoveries: this.#recoveries,
      writesAtRest,
      used: await resourcesUsed(this.hub),
      ownEnds: this.hub.services.ownEnds,
      impossible: this.#impossible(),
      seconds,
    };
  }

  async tails(): Promise<string> {
    const tails = await Promise.all(
      this.hub.services.all.map(async (service) => `--- ${service.name}\n${await service.tail(15)}`),
    );
    return tails.join('\n');
  }

  #impossible(): ReadonlyMap<FaultName, string> {
    const { whyNot } = this.hub.disk;
    return new Map(whyNot === undefined ? [] : [['content disk full', whyNot] as const]);
  }

  #pending(): readonly string[] {
    return this.#users.flatMap((user, index) => user.pending(this.#editions.get(catalogOf(index))));
  }

  async #tick(): Promise<void> {
    for (; !this.over; await pause(TICK_MS)) {
      for (const [index, user] of this.#users.entries()) {
        user.tick();
        this.#recoveries.note(user.cluster.name, user.pending(this.#editions.get(catalogOf(index))).length > 0);
      }
    }
  }

  async #backUp(): Promise<void> {
    for (; !this.over; await pause(BACK_UP_EVERY_MS)) for (const cluster of this.hub.clusters) cluster.backUp();
  }

  async #faults(): Promise<void> {
    await Promise.all(
      this.plan.faults.map(async (fault) => {
        await this.#at(fault.atMs);
        if (this.over) return;
        this.#lastFault = `${fault.fault} on ${fault.target} for ${fault.forMs} ms`;
        this.plan.say(`${(fault.atMs / 1_000).toFixed(1)} s: ${this.#lastFault}`);
        if (fault.fault === 'API server restored from a backup') this.#contents.forget(fault.target);
        const endedAt = await injectFault(this.hub, fault);
        const met = this.plan.clusters.includes(fault.target) ? [fault.target] : this.plan.clusters;
        this.#recoveries.ended(fault.fault, met, endedAt);
      }),
    );
  }

  async #offer(): Promise<void> {
    for (const { catalog, edition, atMs } of this.plan.changes.editions.toSorted((a, b) => a.atMs - b.atMs)) {
      await this.#at(atMs * this.plan.pace);
      await this.#arrived(catalog);
      if (this.over) return;
      await offerEdition(this.hub.registry, catalog, edition);
      this.#editions.set(catalog, edition);
    }
  }

  /**
   * Until each cluster of the catalog has had the version that is offered now: with two new ones at once a
   * slow cluster takes another path. Not all at the same moment: their users go on changing.
   */
  async #arrived(catalog: string): Promise<void> {
    const edition = this.#editions.get(catalog);
    const users = this.#users.filter((_, index) => catalogOf(index) === catalog);
    await Promise.all(
      users.map((user) =>
        this.#until(`${user.cluster.name} to have version ${edition} of ${catalog}`, () => user.pending(edition)),
      ),
    );
  }

  async #change(user: ClusterUser): Promise<void> {
    for (const change of this.plan.changes.changes.filter(({ cluster }) => cluster === user.cluster.name)) {
      await this.#at(change.atMs * this.plan.pace);
      await this.#until(`${change.cluster} to be ready for "${change.kind} ${change.operator}"`, () =>
        user.pending(undefined),
      );
      this.plan.trace(`${this.#now()} s: ${change.cluster} ${change.kind} ${change.operator}`);
      user.change(change);
    }
  }

  #now(): string {
    return ((performance.now() - this.#begunAt) / 1_000).toFixed(1);
  }

  async #at(ms: number): Promise<void> {
    await pause(Math.max(this.#begunAt + ms - performance.now(), 0));
  }

  /** Gives up only if no pending work moves any more: a machine may be slow. */
  async #until(what: string, pending: () => readonly unknown[]): Promise<void> {
    const patience = new ProgressPatience(MOST_STILL_MS, performance.now());
    let reported = false;
    for (; !this.over; await pause(TICK_MS)) {
      const names = pending().map((one) => (typeof one === 'string' ? one : ''));
      if (names.length === 0) return;
      const lasts = patience.lasts(names.join('\n'), performance.now());
      if (!reported && patience.stillFor(performance.now()) > REPORTED_AFTER_MS) {
        reported = true;
        await this.#report(names);
      }
      if (lasts) continue;
      throw new RunStuck(`waited in vain for ${what}; last fault: ${this.#lastFault}\n${names.join('\n')}`);
    }
  }

  async #report(pending: readonly string[]): Promise<void> {
    for (const { name, cluster } of this.hub.clusters.filter((one) => pending.some((text) => text.includes(one.name))))
      this.plan.say(`${this.#now()} s: ${name} stands still\n${await stateReport(cluster, this.hub.services.all)}`);
  }

  /** Until no service has written anything for a while. */
  async #untilQuiet(): Promise<void> {
    for (const since = performance.now(); (await this.#writesWithin(QUIET_MS)).length > 0; ) {
      if (performance.now() - since > LONG_PATIENCE_MS) throw new RunStuck('the services never stop writing');
    }
  }

  #rest(): Promise<readonly string[]> {
    return this.#writesWithin(REST_MS);
  }

  async #writesWithin(ms: number): Promise<readonly string[]> {
    for (const { cluster } of this.hub.clusters) cluster.requests.clear();
    await pause(ms);
    return this.hub.clusters.flatMap(({ name, cluster }) =>
      cluster.requests
        .filter(({ verb, resource = '' }) => WRITES.test(verb) && !resource.endsWith('reviews'))
        .map(({ verb, path, userAgent }) => `${name}: ${userAgent} ${verb} ${path}`),
    );
  }
}

const catalogOf = (index: number): string => CATALOGS[index % CATALOGS.length] ?? CATALOGS[0];

type Cluster = ChaosHub['clusters'][number]['cluster'];
const JOINED = { apiVersion: 'operators.coreos.com/v1', kind: 'OLMConfig', name: 'cluster' };
function isJoined(cluster: Cluster): boolean {
  return cluster.get(JOINED) !== undefined;
}
