import type { FleetDecision } from '#core/kernel/api/fleet/fleet-decision';
import { FLEET_API } from '#core/kernel/api/fleet/fleet-fields';
import type { FleetObject } from '#core/kernel/api/fleet/fleet-kinds';
import type { KubernetesObject } from '#core/kernel/api/kubernetes-object';
import { EventLog } from '#core/rollout/controller/record/event-log';
import { FleetFiles } from '#core/rollout/controller/record/subjects';
import type { Decision } from '#core/rollout/controller/step/decisions';
import { durationMs } from '#core/rollout/placement/waves';
import { playClusterFaults } from '#core/rollout/simulation/controller-faults';
import { Faults } from '#core/rollout/simulation/faults';
import type { FleetScenario } from '#core/rollout/simulation/scenario';
import { addCluster, playScript, type ScriptedHub } from '#core/rollout/simulation/script';
import type { VirtualCluster } from '#core/rollout/simulation/virtual-cluster';
import { VirtualWorld } from '#core/rollout/simulation/world';
import type { Due } from '#core/rollout/simulation/world-options';
import { Agenda } from '#core/rollout/windows/agenda';
import type { KubeClient } from '#platform/kube/client/kube-client.port';
import { silentLog } from '#platform/telemetry/log.port';
import { storedRows } from '../../assignments/stored-rollout.js';
import { RolloutController } from '../rollout-controller.js';
import { PlayedFleet, type PlayedServer } from '../rollouts.fixture.js';
import { AskedGates } from '../state/asked-gates.js';
import { type FleetSource, listedFrom } from '../state/fleet-state.js';
import { PlayedAppliers } from './played-appliers.fixture.js';
import { eventText, rowText, type StoryEnd, statusText } from './story-end.fixture.js';

/** Passes of one instant after which a story must be at rest. */
const MOST_PASSES = 60;

const WRITES: ReadonlySet<string> = new Set(['create', 'update', 'updateStatus', 'patch', 'delete', 'apply']);

/** The controller was killed. */
class Killed extends Error {}

const refOf = (kind: string, name: string, namespace?: string) => ({
  ...{ apiVersion: FLEET_API, kind, name },
  ...(namespace === undefined ? {} : { namespace }),
});

type PlayedController = Pick<RolloutController, 'pass' | 'noteNews'>;

/** The controller of an earlier release, in milliseconds after the start. */
export type EarlierController = Readonly<{
  until: number;
  open: (hub: PlayedServer['cluster'], ...parts: ConstructorParameters<typeof RolloutController>) => PlayedController;
}>;

/** Plays a scenario of `simulate` with the live controller, over a simulated hub API. */
export class PlayedStory implements ScriptedHub {
  readonly files: FleetFiles & ScriptedHub['files'];
  readonly #agenda = new Agenda<Due>();
  readonly #world: VirtualWorld;
  readonly #appliers: PlayedAppliers;
  readonly #start: number;
  #controller: PlayedController;
  #decided = 0;
  #killedUntil = Number.NEGATIVE_INFINITY;

  private constructor(
    private readonly scenario: FleetScenario,
    private readonly fleet: PlayedFleet,
    private readonly earlier: EarlierController | undefined,
  ) {
    const { file, seed } = scenario;
    const log = new EventLog(Date.parse(file.start), () => undefined);
    this.#start = log.start;
    this.files = new HubFiles(scenario.objects, fleet);
    this.#world = new VirtualWorld({
      ...{ seed, file, log, agenda: this.#agenda, faults: new Faults(seed, file.faults, log.start) },
      subjectOf: (key) => this.files.subjects.get(key),
      isAtLeast: (_, held, needed) => held === needed,
      changed: () => undefined,
    });
    this.#appliers = new PlayedAppliers(fleet.hub.cluster, this.#world, this.files);
    this.#controller = this.#started();
  }

  static async begin(scenario: FleetScenario, earlier?: EarlierController): Promise<PlayedStory> {
    const fleet = await PlayedFleet.begin([], () => ({}), { start: new Date(scenario.file.start).toISOString() });
    const story = new PlayedStory(scenario, fleet, earlier);
    for (const object of scenario.objects) if (object.kind !== 'FleetCluster') story.files.apply(object);
    for (const entry of scenario.clusters) addCluster(story.#world, entry);
    playClusterFaults(story.#world, () => undefined);
    playScript(scenario, story.#world, story);
    if (earlier !== undefined) {
      story.#world.at(story.#start + earlier.until, () => {
        story.#controller = story.#started();
      });
    }
    for (const { from } of story.#world.options.faults.all('assignmentsLost')) {
      story.#world.at(from, () => story.#loseAssignments());
    }
    for (const { from } of story.#world.options.faults.all('statusLost')) {
      story.#world.at(from, () => story.#loseStatuses());
    }
    return story;
  }

  #loseAssignments(): void {
    const { cluster: hub } = this.fleet.hub;
    for (const { metadata } of hub.list({ apiVersion: FLEET_API, kind: 'FleetAssignment' })) {
      hub.delete(refOf('FleetAssignment', metadata.name));
    }
    for (const cluster of this.#world.clusters.values()) cluster.orders.clear();
  }

  #loseStatuses(): void {
    const { cluster: hub } = this.fleet.hub;
    for (const kind of ['FleetRollout', 'FleetAssignment', 'FleetDecision']) {
      for (const { metadata } of hub.list({ apiVersion: FLEET_API, kind })) {
        const ref = refOf(kind, metadata.name, kind === 'FleetAssignment' ? undefined : metadata.namespace);
        hub.edit(ref, (stored) => Object.assign(stored, { status: undefined }), 'status');
      }
    }
  }

  stop(): Promise<void> {
    return this.fleet.stop();
  }

  /** As a process that has just started. */
  #started(): PlayedController {
    const { clock } = this.fleet;
    const client = this.#client;
    const { faults } = this.#world.options;
    const gates = new AskedGates({
      ...{ clock, log: silentLog },
      ask: async ({ gate, cluster: name, rollout, bundle }) => {
        const of = (cluster: VirtualCluster) =>
          faults.of(
            'gate',
            { cluster, rollout, bundle, attempt: 1 },
            this.#world.now,
            (fault) => fault.gate?.name === gate.name,
          );
        const all =
          name === null
            ? [...this.#world.clusters.values()]
            : [this.#world.clusters.get(name)].flatMap((one) => one ?? []);
        const answer = all.map(of).find((one) => one !== undefined)?.answer ?? 'green';
        return answer === 'none' ? { message: '' } : { green: answer === 'green', message: '' };
      },
    });
    gates.onAnswer(({ rollout, cluster }) => this.#controller.noteNews(rollout, cluster));
    const parts = [client, clock, silentLog, sameOrder(listedFrom(client)), gates] as const;
    const { until, open } = this.earlier ?? { until: 0 };
    return open !== undefined && this.#world.now < this.#start + until
      ? open(this.fleet.hub.cluster, ...parts)
      : new RolloutController(...parts);
  }

  release(subject: string, to: string | undefined): void {
    const found = this.files.subjects.get(subject);
    if (found !== undefined) this.#appliers.offer(subject, to ?? this.#world.usualTarget(found));
  }

  decide({ rollout, action, class: name, wave, clusters, by, reason, expiresAt }: Decision): void {
    const [namespace = '', of] = rollout.split('/');
    const spec = {
      ...{ rollout: of, action, by, reason },
      ...(name === null ? {} : { class: name }),
      ...(wave === null ? {} : { wave }),
      ...(clusters.length === 0 ? {} : { clusters }),
      ...(expiresAt === undefined ? {} : { expiresAt: new Date(expiresAt).toISOString() }),
    };
    const metadata = { name: `decision-${String(++this.#decided).padStart(2, '0')}`, namespace };
    this.fleet.hub.cluster.create({ apiVersion: FLEET_API, kind: 'FleetDecision', metadata, spec } as KubernetesObject);
  }

  changedAll(): void {}

  /** Plays to the end of the scenario. */
  async play(): Promise<StoryEnd> {
    const until = this.#start + this.scenario.until;
    for (let next: number | undefined = this.#start; next !== undefined && next <= until; ) {
      const { clock } = this.fleet;
      await clock.advance(next - clock.now().getTime());
      this.#world.now = next;
      next = await this.#instant(next);
    }
    return this.#end();
  }

  /** Everything that happens at one time; returns the next one. */
  async #instant(now: number): Promise<number | undefined> {
    let asked: number | undefined;
    for (let passes = 0, seen = ''; ; passes++) {
      if (passes > MOST_PASSES) throw new Error('the story does not come to rest');
      this.#playWorld(now);
      if (this.#awayUntil(now) > now) break;
      asked = await this.#pass();
      const version = this.#version();
      if (version === seen && (this.#agenda.nextAt ?? now + 1) > now) break;
      seen = version;
    }
    return this.#next(now, asked);
  }

  #next(now: number, askedInMs: number | undefined): number | undefined {
    const back = this.#awayUntil(now);
    const due = this.#agenda.dropWhile(({ isLive }) => !isLive());
    const pass = back > now ? back : askedInMs === undefined ? undefined : now + askedInMs;
    if (due === undefined) return back <= now && this.#isOver() ? undefined : pass;
    return pass === undefined ? due : Math.min(due, pass);
  }

  #playWorld(now: number): void {
    while (this.#agenda.nextAt !== undefined && this.#agenda.nextAt <= now) this.#agenda.take()?.act();
    this.#writeClusters();
    this.#appliers.readOrders();
    this.#appliers.writeReports();
  }

  /** Makes a pass. One that is killed after a write leaves the rest to the next controller. */
  async #pass(): Promise<number | undefined> {
    try {
      const asked = await this.#controller.pass();
      await new Promise((resolve) => setImmediate(resolve));
      return asked;
    } catch (error) {
      if (!(error instanceof Killed)) throw error;
      this.#controller = this.#started();
      return undefined;
    }
  }

  /** Until when no controller is there. */
  #awayUntil(now: number): number {
    let until = this.#killedUntil;
    for (const { from, controllerKilled } of this.scenario.file.faults) {
      const begin = this.#start + durationMs(from);
      const isAway = controllerKilled !== undefined && !('everyWrites' in controllerKilled) && begin <= now;
      if (isAway) until = Math.max(until, begin + durationMs(controllerKilled.down));
    }
    if (until > now) this.#controller = this.#started();
    return until;
  }

  /** The hub API, as a controller sees that is killed after every so many writes. */
  get #client(): KubeClient {
    const { client } = this.fleet.hub;
    const kill = this.scenario.file.faults.find(({ controllerKilled }) => 'everyWrites' in (controllerKilled ?? {}));
    const { everyWrites = 0, down = '0s' } = (kill?.controllerKilled ?? {}) as { everyWrites?: number; down?: string };
    if (everyWrites === 0) return client;
    const from = this.#start + durationMs(kill?.from ?? '0s');
    let isDead = false;
    let left = everyWrites;
    return new Proxy(client, {
      get: (target, name, of) => {
        const method = Reflect.get(target, name, of) as unknown;
        if (typeof method !== 'function') return method;
        return async (...given: unknown[]) => {
          if (isDead) throw new Killed();
          const answer = (await Reflect.apply(method, target, given)) as unknown;
          const isCounted = WRITES.has(String(name)) && this.#world.now >= from;
          if (!isCounted || --left > 0) return answer;
          isDead = true;
          this.#killedUntil = this.#world.now + durationMs(down);
          throw new Killed();
        };
      },
    });
  }

  #version(): string {
    const { cluster } = this.fleet.hub;
    const kinds = ['FleetRollout', 'FleetAssignment', 'FleetDecision'];
    const all = kinds.flatMap((kind) => cluster.list({ apiVersion: FLEET_API, kind }));
    return all.map(({ metadata }) => `${metadata.name} ${metadata['resourceVersion']}`).join();
  }

  #isOver(): boolean {
    const rollouts = this.fleet.hub.cluster.list({ apiVersion: FLEET_API, kind: 'FleetRollout' });
    const final = ['Completed', 'RolledBack', 'Aborted', 'Superseded'];
    return rollouts.every(({ status }) => final.includes((status as { phase?: string } | undefined)?.phase ?? ''));
  }

  /** FleetClusters are as the poller of each cluster would report them. */
  #writeClusters(): void {
    const { cluster: hub } = this.fleet.hub;
    for (const { metadata } of hub.list({ apiVersion: FLEET_API, kind: 'FleetCluster' })) {
      if (!this.#world.clusters.has(metadata.name)) hub.delete(refOf('FleetCluster', metadata.name));
    }
    for (const cluster of this.#world.clusters.values()) {
      const { name, labels, isPaused, allowedNamespaces } = cluster;
      const ref = refOf('FleetCluster', name);
      const spec = { access: { context: name }, paused: isPaused, ...(allowedNamespaces && { allowedNamespaces }) };
      const status = statusOf(cluster);
      const found = hub.get(ref);
      if (found === undefined) {
        hub.create({
          apiVersion: FLEET_API,
          kind: 'FleetCluster',
          metadata: { name, labels },
          spec,
        } as KubernetesObject);
      } else if (JSON.stringify([found.metadata.labels ?? {}, found.spec]) !== JSON.stringify([labels, spec])) {
        hub.edit(ref, (stored) => Object.assign(stored, { spec, metadata: { ...stored.metadata, labels } }));
      }
      if (JSON.stringify(hub.get(ref)?.['status']) === JSON.stringify(status)) continue;
      hub.edit(ref, (stored) => Object.assign(stored, { status }), 'status');
    }
  }

  #end(): StoryEnd {
    const { cluster: hub } = this.fleet.hub;
    const list = (kind: string) => hub.list({ apiVersion: FLEET_API, kind });
    const rows = list('FleetAssignment').flatMap((one) =>
      Object.entries(storedRows(one)).map(([rollout, { row }]) => rowText(rollout, row)),
    );
    const installed = [...this.#world.clusters.values()].flatMap((cluster) =>
      [...this.files.subjects.values()].map(
        (subject) => `${cluster.name} ${subject.key} ${this.#world.installed(cluster, subject)}`,
      ),
    );
    const decisions = list('FleetDecision').map((one) => {
      const { spec, status } = one as unknown as FleetDecision & { status?: { reason?: string } };
      return `${spec.action} ${status?.reason}`;
    });
    const statuses = list('FleetRollout').map(({ metadata, status }) => [metadata.name, statusText(status)]);
    return {
      statuses: Object.fromEntries(statuses) as StoryEnd['statuses'],
      rows: rows.sort(),
      installed: installed.sort(),
      decisions,
      events: hub.list({ apiVersion: 'v1', kind: 'Event' }).map(eventText).sort(),
    };
  }
}

/** Silence in milliseconds until the poller reports it. */
const NOTICED_AFTER = 40_000;

function statusOf(cluster: VirtualCluster): object {
  const { identity, isReachable, isReplaced, isPaused, pausedAt, joinedAt, lastContact } = cluster;
  const timeOf = (ms: number) => new Date(ms).toISOString();
  const noticedAt = isReachable ? lastContact : lastContact + NOTICED_AFTER;
  const condition = (type: string, isTrue: boolean, at: number, reason: string) => ({
    ...{ type, status: isTrue ? 'True' : 'False', reason, lastTransitionTime: timeOf(at) },
  });
  const conditions = [
    condition('Reachable', isReachable, noticedAt, isReachable ? 'Answering' : 'Timeout'),
    condition('IdentityStable', !isReplaced, joinedAt, isReplaced ? 'Changed' : 'Same'),
    condition('Managed', !isPaused, isPaused ? pausedAt : joinedAt, isPaused ? 'Paused' : 'Acting'),
  ];
  return { uid: String(identity), ...(isReachable ? {} : { lastAnswerAt: timeOf(lastContact) }), conditions };
}

/** Objects that users write, in the hub API as well. */
class HubFiles extends FleetFiles {
  constructor(
    objects: readonly FleetObject[],
    private readonly fleet: PlayedFleet,
  ) {
    super(objects);
  }

  override apply(object: FleetObject): void {
    super.apply(object);
    if (object.kind === 'FleetCluster') return;
    const { cluster: hub } = this.fleet.hub;
    const { kind, metadata, spec } = object;
    const ref = refOf(kind, metadata.name, (metadata as { namespace?: string }).namespace);
    if (hub.get(ref) === undefined) {
      hub.create(JSON.parse(JSON.stringify({ apiVersion: FLEET_API, kind, metadata, spec })) as KubernetesObject);
    } else
      hub.edit(ref, (stored) =>
        Object.assign(stored, {
          spec: JSON.parse(JSON.stringify(spec)) as unknown,
          metadata: { ...stored.metadata, labels: metadata.labels ?? {} },
        }),
      );
  }

  override remove(key: string): void {
    super.remove(key);
    const [kind = '', first = '', second] = key.split('/');
    if (kind === 'FleetCluster') return;
    this.fleet.hub.cluster.delete(second === undefined ? refOf(kind, first) : refOf(kind, second, first));
  }
}

/** Gives a subject the UID of its rehearsal: the order of clusters in a rollout follows from it. */
const sameOrder =
  (source: FleetSource): FleetSource =>
  async (kind) =>
    (await source(kind)).map((kept) => {
      const open = () => {
        const object = kept.open();
        return { ...object, metadata: { ...object.metadata, uid: `1/${object.metadata.namespace}` } };
      };
      return kind === 'FleetOperator' ? { ...kept, open } : kept;
    });
