import { Redis } from 'ioredis';
import type { KubernetesObject } from '#core/kernel/api/kubernetes-object';
import { pause } from '#testing/patience';
import { type LifecycleEnvironment, startLifecycleEnvironment } from '../lifecycle/lifecycle-environment.js';
import {
  catalogSource,
  createPatiently,
  namespace,
  operatorGroup,
  subscription,
} from '../lifecycle/lifecycle-objects.js';
import { Milestones } from '../lifecycle/milestones.js';
import { catalogImage, csvName, type Edition, putOperators } from '../lifecycle/operator-images.js';
import { type HubUsage, hubUsage } from './hub-usage.js';
import { catalogReference, type LargeCatalogs } from './large-catalogs.js';

/** Usage of a hub for one kind of work. */
export type Cost = Readonly<{ cpuSeconds: Readonly<Record<string, number>>; redisCommands: number; requests: number }>;

export type MeasuredHubOptions = Readonly<{
  /** Undefined: this checkout. */
  checkout: string | undefined;
  clusters: number;
  operators: number;
  profileFolder?: string | undefined;
}>;

const QUIET_MS = 1_500;
const PATIENCE_MS = 180_000;
const GLOBAL = 'olm';

/** A hub with services, Redis and simulated clusters of its own, asked to do one thing after the other. */
export class MeasuredHub {
  readonly #names: readonly string[];
  readonly #redis: Redis;
  readonly #milestones: Milestones;

  private constructor(
    private readonly environment: LifecycleEnvironment,
    operators: number,
  ) {
    this.#names = Array.from({ length: operators }, (_, n) => `plain-${n + 1}`);
    this.#redis = new Redis(environment.redisUrl);
    this.#milestones = new Milestones(environment.client);
  }

  /** With the namespaces, groups and catalogs of its operators in the first cluster, and nothing to do. */
  static async start({ checkout, clusters, operators, profileFolder }: MeasuredHubOptions): Promise<MeasuredHub> {
    const environment = await startLifecycleEnvironment({
      simulated: clusters,
      checkout,
      profileFolder,
      logLevel: 'info',
    });
    const hub = new MeasuredHub(environment, operators);
    try {
      await hub.#prepare();
      return hub;
    } catch (error) {
      for (const service of environment.services)
        process.stderr.write(`--- ${service.name}\n${await service.tail()}\n`);
      await hub.stop();
      throw error;
    }
  }

  /** The operators, one after the other. */
  install(from: number, to: number): Promise<Cost> {
    return this.#each(from, to, 1, (name) => this.#create(subscription(name, name, name)));
  }

  upgrade(from: number, to: number): Promise<Cost> {
    return this.#each(from, to, 2, (name) =>
      this.#offer(name, 'lifecycle', catalogImage(this.environment.registry.host, 2)),
    );
  }

  /** A catalog for all namespaces of the cluster becomes each of these in turn. */
  async refresh(catalogs: LargeCatalogs, from: number, to: number): Promise<Cost> {
    return this.#cost(async () => {
      for (const [at, image] of catalogs.slice(from, to).entries()) {
        const reference = catalogReference(this.environment.registry.host, from + at);
        this.environment.registry.put(reference, image);
        const journey = this.#milestones.journey(GLOBAL, '');
        if (from + at === 0) await this.#create(catalogSource(GLOBAL, reference));
        else await this.#offer(GLOBAL, 'lifecycle', reference);
        await until(() => journey.seen.has('catalog READY'));
      }
    });
  }

  idle(seconds: number): Promise<Cost> {
    return this.#cost(() => pause(seconds * 1_000));
  }

  usage(): Promise<HubUsage> {
    return hubUsage(this.environment, this.#redis);
  }

  async stop(): Promise<void> {
    await this.#milestones.stop();
    this.#redis.disconnect();
    await this.environment.stop();
  }

  async #prepare(): Promise<void> {
    await this.#milestones.start();
    const { registry } = this.environment;
    await putOperators(
      registry,
      this.#names.map((name) => ({ name, shape: 'plain' })),
    );
    await this.#create(namespace(GLOBAL));
    for (const name of this.#names) {
      const journey = this.#milestones.journey(name, '');
      for (const object of [namespace(name), operatorGroup(name), catalogSource(name, catalogImage(registry.host, 1))])
        await this.#create(object);
      await until(() => journey.seen.has('catalog READY'));
    }
    for (const client of this.environment.clients.slice(1)) {
      await createPatiently(client, namespace(GLOBAL));
      await createPatiently(client, catalogSource(GLOBAL, catalogImage(registry.host, 1)));
    }
    await this.#quiet();
  }

  #each(from: number, to: number, edition: Edition, change: (name: string) => Promise<unknown>): Promise<Cost> {
    return this.#cost(async () => {
      for (const name of this.#names.slice(from, to)) {
        const { done } = this.#milestones.journey(name, csvName(name, edition));
        await change(name);
        await Promise.race([
          done,
          pause(PATIENCE_MS).then(() => Promise.reject(new Error(`${name} not done after ${PATIENCE_MS} ms`))),
        ]);
      }
    });
  }

  async #cost(work: () => Promise<unknown>): Promise<Cost> {
    await this.environment.requests.take();
    const before = await this.usage();
    await work();
    const requests = await this.#quiet();
    const after = await this.usage();
    const used = Object.entries(after.cpuSeconds).map(
      ([name, seconds]) => [name, seconds - (before.cpuSeconds[name] ?? 0)] as const,
    );
    return {
      cpuSeconds: Object.fromEntries(used),
      redisCommands: after.redisCommands - before.redisCommands,
      requests,
    };
  }

  /**
   * Until the services have asked the first cluster for nothing for a while; how much they asked for until
   * then.
   */
  async #quiet(): Promise<number> {
    let requests = 0;
    for (let quietSince = performance.now(); performance.now() - quietSince < QUIET_MS; await pause(50)) {
      const { length } = await this.environment.requests.take();
      requests += length;
      if (length > 0) quietSince = performance.now();
    }
    return requests;
  }

  #offer(place: string, name: string, image: string): Promise<unknown> {
    const source = { apiVersion: 'operators.coreos.com/v1alpha1', kind: 'CatalogSource', name, namespace: place };
    return this.environment.client.patch(source, { spec: { image } });
  }

  #create(object: KubernetesObject): Promise<void> {
    return createPatiently(this.environment.client, object);
  }
}

async function until(reached: () => boolean): Promise<void> {
  const deadline = performance.now() + PATIENCE_MS;
  while (!reached()) {
    if (performance.now() > deadline) throw new Error(`not done after ${PATIENCE_MS} ms`);
    await pause(20);
  }
}
