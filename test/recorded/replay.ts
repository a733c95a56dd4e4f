import type { KubernetesObject, ObjectRef } from '#core/kernel/api/kubernetes-object';
import { KubeApiError, type KubeClient } from '#platform/kube/client/kube-client.port';
import { type CatalogServer, serveCatalog } from '#platform/registry/grpc/grpc-catalog-server';
import { freePorts } from '#testing/control-plane/free-ports';
import { pause } from '#testing/patience';
import { type ApiBackend, startApiBackend } from './api-backend.js';
import type { ClusterRecorder } from './cluster-recorder.js';
import { takeDump } from './dump.js';
import { Masks } from './masks.js';
import type { Dump, Recording } from './recording.js';
import { type Scope, scopeOf } from './scope.js';
import { kindRef, waitFor } from './waits.js';

/** Flotilla's behaviour during a replay of a recording. */
export type Replayed = Readonly<{
  checkpoints: Readonly<Record<string, Dump>>;
  final: Dump;
  scope: Scope;
  recorder: ClusterRecorder;
  masks: Masks;
  /** Events that the recorder saw and we did not, in its words. */
  missed: readonly string[];
  seconds: number;
}>;

export type ReplayOptions = Readonly<{
  client: KubeClient;
  recorder: ClusterRecorder;
  /** Address of the catalog, if the recording's steps do not serve it. */
  catalogAddress?: string;
  /** For one `reached:` line. */
  patienceMs: number;
  /** Nothing may move for so long before a dump is taken. */
  quietMs: number;
  /** True if a dump equals the recording. Otherwise it is taken again until `patienceMs` is over. */
  agrees: (label: string, recorded: Dump, dump: Dump) => boolean;
}>;

const POLL_EVERY_MS = 100;
const SEEN_EVERY_MS = 5;

/** Does the recorded actions to a cluster, in the same order. */
export async function replay(recording: Recording, options: ReplayOptions): Promise<Replayed> {
  const player = new Player(recording, options);
  const started = performance.now();
  try {
    for (const step of recording.steps) await player.take(step);
    const final = await player.dump('final', recording.final);
    const { checkpoints, missed, scope, masks } = player;
    const seconds = (performance.now() - started) / 1_000;
    return { checkpoints, missed, scope, masks, final, seconds, recorder: options.recorder };
  } finally {
    await player.end();
  }
}

/** Steps that the recorder did only after OLM had come to rest. */
const INTERFERES = /^(merge-patch|patch|delete) /;

type Act = (...parts: string[]) => Promise<unknown>;

class Player {
  readonly checkpoints: Record<string, Dump> = {};
  readonly missed: string[] = [];
  readonly masks = new Masks();
  readonly scope: Scope;
  #server: CatalogServer | undefined;
  #backend: ApiBackend | undefined;
  readonly #acts: readonly (readonly [RegExp, Act])[] = [
    [/^create (\S+)$/, (file = '') => this.#create(file)],
    [/^serve catalog (\S+)\/ on <catalog-address>$/, (folder = '') => this.#serve(folder)],
    // The recorder's work in place of the pods of an unpack Job: the hub pulls bundles itself (why:
    // classic.md "Unpack annotations").
    [/^(reached: unpack ConfigMap|opm alpha bundle extract: rc 0)$/, async () => undefined],
    [/^reached: (.+)$/, (text = '') => this.#reach(text)],
    [/^NOT reached within \d+s: (.+)$/, (text = '') => this.#doesNotReach(text)],
    [/^checkpoint (\S+)$/, (label = '') => this.#checkpoint(label)],
    [
      /^merge-patch (\w+) (\S+): (.+)$/,
      (kind = '', key = '', patch = '') => this.#patch(kind, key, JSON.parse(this.#filled(patch))),
    ],
    [/^delete (\w+) (\S+)$/, (kind = '', key = '') => this.#delete(kind, key)],
    [
      /^patch InstallPlan \(generation (\d+)\) in (\S+): spec\.approved=true$/,
      (generation = '', namespace = '') => this.#approve(Number(generation), namespace),
    ],
    [/^patch Role clerk: add apps\/\*$/, () => this.#grantDeployments()],
    [/^backend started with the certificate of the secret$/, () => this.#startBackend()],
  ];

  constructor(
    private readonly recording: Recording,
    private readonly options: ReplayOptions,
  ) {
    this.scope = scopeOf(recording);
    if (options.catalogAddress !== undefined) this.masks.noteAddress(options.catalogAddress);
  }

  async take(step: string): Promise<void> {
    if (INTERFERES.test(step)) await this.#quiet(performance.now() + this.options.patienceMs);
    for (const [pattern, act] of this.#acts) {
      const found = pattern.exec(step);
      if (found === null) continue;
      await act(...found.slice(1));
      return;
    }
    throw new Error(`the replay does not know the step "${step}"`);
  }

  /** Takes a dump once nothing moves any more. If it differs from the recording, waits and takes it again. */
  async dump(label: string, recorded: Dump): Promise<Dump> {
    const deadline = performance.now() + this.options.patienceMs;
    for (;;) {
      await this.#quiet(deadline);
      this.#numberPlans();
      const dump = await takeDump(this.options.client, this.scope, this.masks);
      if (this.options.agrees(label, recorded, dump) || performance.now() > deadline) return dump;
      await pause(POLL_EVERY_MS * 3);
    }
  }

  async end(): Promise<void> {
    await this.#backend?.stop();
    await this.#server?.stop();
  }

  async #quiet(deadline: number): Promise<void> {
    const { recorder, quietMs } = this.options;
    while (recorder.quietMs(this.scope) < quietMs && performance.now() < deadline) await pause(POLL_EVERY_MS);
  }

  /** Plans that are gone by the time of a dump have their number too. */
  #numberPlans(): void {
    const { recorder } = this.options;
    this.masks.notePlans([...recorder.statesOf('InstallPlan', this.scope).values()].flatMap(([first]) => first ?? []));
  }

  async #create(file: string): Promise<void> {
    for (const object of this.recording.input(file)) {
      const filled = JSON.parse(this.#filled(JSON.stringify(object))) as KubernetesObject;
      await this.#untilServed(() => this.options.client.create(filled));
    }
  }

  /** Repeats an action on a kind: a new definition is served a moment later. */
  async #untilServed(act: () => Promise<unknown>): Promise<void> {
    const deadline = performance.now() + this.options.patienceMs;
    for (;;) {
      try {
        await act();
        return;
      } catch (error) {
        const tooEarly = KubeApiError.is(error, 'NotFound') || KubeApiError.is(error, 'Forbidden');
        if (!tooEarly || performance.now() > deadline) throw error;
        await pause(POLL_EVERY_MS);
      }
    }
  }

  async #serve(folder: string): Promise<void> {
    const catalog = this.recording.catalog(folder);
    const [free = 0] = this.#server === undefined ? await freePorts(1) : [];
    const port = this.#server?.port ?? free;
    // Served anew as the recording did it: the server goes away, and comes back with other content.
    await this.#server?.stop();
    this.#server = await serveCatalog(catalog, { port });
    this.masks.noteAddress(this.#address);
  }

  /** The recorder waited for this in vain. */
  async #doesNotReach(text: string): Promise<void> {
    await this.#quiet(performance.now() + this.options.patienceMs);
    if (await this.#holds(text)) this.missed.push(`reached, though OLM did not: ${text}`);
  }

  #holds(text: string): Promise<boolean> {
    const { client, recorder } = this.options;
    return waitFor(text)({ client, recorder, recording: this.recording });
  }

  async #reach(text: string): Promise<void> {
    const { patienceMs } = this.options;
    const deadline = performance.now() + patienceMs;
    while (!(await this.#holds(text))) {
      if (performance.now() > deadline) {
        this.missed.push(`not reached within ${patienceMs / 1_000} s: ${text}`);
        return;
      }
      await pause(POLL_EVERY_MS);
    }
  }

  async #checkpoint(label: string): Promise<void> {
    this.checkpoints[label] = await this.dump(label, this.recording.checkpoints[label] ?? {});
  }

  async #patch(kind: string, key: string, patch: Readonly<Record<string, unknown>>): Promise<void> {
    const ref = this.#ref(kind, key);
    await this.#untilSeen(ref, () => this.options.client.patch(ref, patch));
  }

  async #delete(kind: string, key: string): Promise<void> {
    const ref = this.#ref(kind, key);
    await this.#untilSeen(ref, () => this.options.client.delete(ref));
  }

  /** Waits until the recorder has seen an action: kinds that it watches are judged by its eyes. */
  async #untilSeen(ref: ObjectRef, act: () => Promise<unknown>): Promise<void> {
    const version = () => this.options.recorder.versionOf(ref);
    const before = version();
    await act();
    const deadline = performance.now() + this.options.patienceMs;
    while (before !== undefined && version() === before && performance.now() < deadline) await pause(SEEN_EVERY_MS);
  }

  async #approve(generation: number, namespace: string): Promise<void> {
    const plans = await this.options.client.list(kindRef('InstallPlan'), { namespace });
    const plan = plans?.items.find(
      ({ spec }: KubernetesObject) => (spec as { generation?: number }).generation === generation,
    );
    await this.#patch('InstallPlan', `${namespace}/${plan?.metadata.name}`, { spec: { approved: true } });
  }

  async #startBackend(): Promise<void> {
    const [namespace = ''] = this.recording.namespaces;
    this.#backend = await startApiBackend(this.options.client, namespace);
  }

  async #grantDeployments(): Promise<void> {
    const [namespace = ''] = this.recording.namespaces;
    const ref = this.#ref('Role', `${namespace}/clerk`);
    const role = await this.options.client.get(ref);
    const granted = { apiGroups: ['apps'], resources: ['*'], verbs: ['*'] };
    await this.options.client.patch(ref, { rules: [...((role?.['rules'] as unknown[]) ?? []), granted] });
  }

  #ref(kind: string, key: string) {
    const [namespace = '', recorded = ''] = key.split('/');
    this.#numberPlans();
    const name = kind === 'InstallPlan' ? (this.masks.planNamed(recorded) ?? recorded) : recorded;
    return { ...kindRef(kind), namespace, name };
  }

  get #address(): string {
    return `127.0.0.1:${this.#server?.port}`;
  }

  #filled(text: string): string {
    return text
      .replaceAll('<catalog-address>', this.#address)
      .replaceAll('<time>', `${new Date().toISOString().slice(0, 19)}Z`);
  }
}
