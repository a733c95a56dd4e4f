import { createHash } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { APPLIER, POLLER } from '#core/kernel/actions/field-managers';
import type { KubernetesObject } from '#core/kernel/api/kubernetes-object';
import { byCodeUnit, canonicalJson } from '#core/kernel/canonical/canonical-json';
import { CONTROLLER_LEASE } from '#lifecycle/rollouts/controller/live-controller';
import { parseKubeconfig } from '#platform/kube/access/kubeconfig';
import type { RestartableRedis } from '../story/restartable-redis.js';
import { type FleetHub, HUB_NAMESPACE } from './fleet-hub.js';
import { type GatedServer, type GatedWrite, WriteGate } from './write-gate.js';

/** Services that write to API servers, by how they call themselves there. */
const SERVICES: Readonly<Record<string, string>> = {
  [APPLIER]: 'applier',
  [POLLER]: 'catalog-poller',
  'flotilla-fleet-controller': 'fleet-controller',
};
/** Selected for every seed: the approval of a plan. A cluster begins to change with it. */
const ALWAYS = 'applier: patch installplans';
const REDIS_AWAY_MS = 300;

export type KillPlan = Readonly<{
  /** Chooses the kinds of writes, and for each whether it is lost, or only its answer. */
  seed: number;
  /** One kind of this many is selected. */
  stride: number;
  redis: RestartableRedis;
  /** At every how many-th kill Redis is killed, too, and comes back with nothing in it. */
  redisEvery: number;
}>;

/** Gates before all API servers of a hub. They kill services at their writes. */
export class KillGates {
  /** One for each context; they lead through the gates. */
  readonly kubeconfigs: string[] = [];
  /** Writes at which a service was killed. */
  readonly killed: string[] = [];
  /** Written contents by object, without metadata and status. */
  readonly #contents = new Map<string, Set<string>>();
  readonly #gates: WriteGate[] = [];
  #fleet: FleetHub | undefined;
  #plan: KillPlan | undefined;
  #kills: Promise<void> = Promise.resolve();
  readonly #reached = new Set<string>();

  private constructor(private readonly folder: string) {}

  /** Before the API servers of all contexts in these kubeconfigs. */
  static async start(files: readonly string[]): Promise<KillGates> {
    const gates = new KillGates(await mkdtemp(join(tmpdir(), 'flotilla-gates-')));
    for (const file of files) {
      const config = parseKubeconfig(file, await readFile(file, 'utf8'));
      for (const name of config.contexts) gates.kubeconfigs.push(await gates.#open(name, config.access(name)));
    }
    return gates;
  }

  async #open(name: string, { cluster, user }: Readonly<{ cluster: unknown; user: unknown }>): Promise<string> {
    const gate = await WriteGate.start(name, cluster as GatedServer, {
      passes: (write, when) => this.#passes(write, when),
      noted: (write, object) => this.#note(write, object),
    });
    this.#gates.push(gate);
    const config = {
      ...{ apiVersion: 'v1', kind: 'Config', 'current-context': name },
      clusters: [{ name, cluster: gate.access }],
      users: [{ name, user }],
      contexts: [{ name, context: { cluster: name, user: name } }],
    };
    const path = join(this.folder, `${name}.json`);
    await writeFile(path, JSON.stringify(config), { mode: 0o600 });
    return path;
  }

  /** A story begins; `plan` undefined: undisturbed. */
  begin(fleet: FleetHub, plan: KillPlan | undefined): void {
    this.#fleet = fleet;
    this.#plan = plan;
    this.killed.length = 0;
    this.#reached.clear();
  }

  /** No service is killed any more, and those that were run again. */
  async end(): Promise<void> {
    this.#plan = undefined;
    await this.#kills;
  }

  async stop(): Promise<void> {
    for (const gate of this.#gates) await gate.stop();
    await rm(this.folder, { recursive: true, force: true, maxRetries: 5 });
  }

  /** Counts the contents that each object of a kind was written with, by kind, if `isOfStory`. */
  contentsByKind(isOfStory: (key: string) => boolean): Readonly<Record<string, readonly number[]>> {
    const found = new Map<string, number[]>();
    for (const [key, contents] of this.#contents) {
      const [kind = ''] = key.split(' ');
      if (isOfStory(key)) found.set(kind, [...(found.get(kind) ?? []), contents.size]);
    }
    const sorted = [...found].map(([kind, sizes]) => [kind, sizes.toSorted((a, b) => a - b)] as const);
    return Object.fromEntries(sorted.toSorted(([a], [b]) => byCodeUnit(a, b)));
  }

  #note({ cluster, by }: GatedWrite, object: KubernetesObject): void {
    if (SERVICES[by] === undefined) return;
    const { apiVersion: _version, kind, metadata, status: _status, ...content } = object;
    const key = `${kind} ${cluster} ${metadata.namespace ?? ''}/${metadata.name}`;
    const contents = this.#contents.get(key) ?? new Set();
    this.#contents.set(key, contents.add(canonicalJson(content)));
  }

  async #passes({ by, what }: GatedWrite, when: 'before' | 'after'): Promise<boolean> {
    const service = SERVICES[by];
    if (service === undefined) return true;
    const kind = `${service}: ${what}`;
    const plan = this.#plan;
    if (plan === undefined || this.#reached.has(kind) || when !== killingOf(kind, plan)) return true;
    this.#reached.add(kind);
    this.killed.push(`${when} ${kind}`);
    const isRedisToo = this.#reached.size % plan.redisEvery === 0;
    const killing = this.#kills.then(() => this.#kill(service, isRedisToo ? plan.redis : undefined));
    this.#kills = killing;
    await killing;
    return false;
  }

  async #kill(service: string, redis: RestartableRedis | undefined): Promise<void> {
    const fleet = this.#fleet;
    if (fleet === undefined) return;
    const processes = [...fleet.environment.services, ...fleet.controllers].filter((one) => one.service === service);
    await Promise.all(processes.map((one) => one.stop('SIGKILL')));
    if (redis !== undefined) {
      this.killed.push('Redis with it');
      await redis.crash(REDIS_AWAY_MS);
    }
    for (const one of processes) one.start();
    // A walk does not wait until the lease of a killed controller has expired.
    if (service !== 'fleet-controller') return;
    const lease = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', namespace: HUB_NAMESPACE };
    await fleet.hub.delete({ ...lease, name: CONTROLLER_LEASE });
  }
}

/** When a service is killed at a kind of write; undefined: not at this one. */
export function killingOf(
  kind: string,
  { seed, stride }: Pick<KillPlan, 'seed' | 'stride'>,
): 'before' | 'after' | undefined {
  const [turn = 0, half = 0] = createHash('sha256').update(`${seed} ${kind}`).digest();
  if (turn % stride !== 0 && kind !== ALWAYS) return undefined;
  return half % 2 === 0 ? 'before' : 'after';
}
