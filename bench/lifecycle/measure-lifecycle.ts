import type { KubernetesObject } from '#core/kernel/api/kubernetes-object';
import { type Usage, usageOf } from '../fleet/process-usage.js';
import type { CountedRequest } from './counted-requests.js';
import {
  type LifecycleEnvironment,
  type LifecycleEnvironmentOptions,
  startLifecycleEnvironment,
} from './lifecycle-environment.js';
import { catalogSource, createPatiently, namespace, operatorGroup, subscription } from './lifecycle-objects.js';
import { type Journey, type Milestone, Milestones } from './milestones.js';
import { catalogImage, csvName, type Edition, type OperatorShape, putOperators } from './operator-images.js';

/**
 * One operator brought to one version: seconds from the Subscription to each milestone, and the requests of
 * our services.
 */
export type Passage = Readonly<{
  seconds: ReadonlyMap<Milestone, number>;
  requests: readonly CountedRequest[];
  /** Processor time of each service. */
  cpuSeconds: ReadonlyMap<string, number>;
}>;

export type LifecycleMeasures = Readonly<{
  passages: readonly Readonly<{ shape: OperatorShape; what: 'install' | 'upgrade'; runs: readonly Passage[] }>[];
  crowd: Readonly<{ namespaces: number; install: Passage & Crowd; upgrade: Passage & Crowd }>;
  idle: Readonly<{ seconds: number; requests: readonly CountedRequest[] }>;
  /** After a restart of the poller: a pass over every namespace, as at a resync, and nothing has changed. */
  passedAgain: readonly CountedRequest[];
  usage: ReadonlyMap<string, Usage | undefined>;
}>;

/** Seconds of every namespace until its CSV Succeeded and until its Subscription was AtLatestKnown. */
type Crowd = Readonly<{ all: Readonly<Record<'CSV Succeeded' | 'Subscription AtLatestKnown', readonly number[]>> }>;

export type LifecycleOptions = LifecycleEnvironmentOptions &
  Readonly<{ runs: number; namespaces: number; idleSeconds: number }>;

const GLOBAL = 'olm';
const QUIET_MS = 1_500;
const PATIENCE_MS = 180_000;
const SHAPES: readonly OperatorShape[] = ['plain', 'full'];

export async function measureLifecycle(options: LifecycleOptions): Promise<LifecycleMeasures> {
  const environment = await startLifecycleEnvironment(options);
  const milestones = new Milestones(environment.client);
  try {
    await milestones.start();
    return await new Lifecycle(environment, milestones).measure(options);
  } catch (error) {
    for (const service of environment.services) process.stderr.write(`--- ${service.name}\n${await service.tail()}\n`);
    throw error;
  } finally {
    await milestones.stop();
    await environment.stop();
  }
}

class Lifecycle {
  constructor(
    private readonly environment: LifecycleEnvironment,
    private readonly milestones: Milestones,
  ) {}

  async measure({ runs, namespaces, idleSeconds }: LifecycleOptions): Promise<LifecycleMeasures> {
    const subscriptions = SHAPES.flatMap((shape) =>
      Array.from({ length: runs + 1 }, (_, run) => ({ shape, run, name: `${shape}-${run}` })),
    );
    await putOperators(this.environment.registry, [...subscriptions, { name: 'crowd', shape: 'plain' }]);
    await this.#create(namespace(GLOBAL));
    const each: (Readonly<Record<'install' | 'upgrade', Passage>> & Readonly<{ shape: OperatorShape }>)[] = [];
    for (const { name, shape, run } of subscriptions) {
      const passages = await this.#installAndUpgrade(name);
      if (run > 0) each.push({ shape, ...passages }); // the first warms up processes and connections
    }
    const crowd = await this.#crowd(namespaces);
    await this.#quiet();
    await pause(idleSeconds * 1_000);
    const idle = { seconds: idleSeconds, requests: await this.environment.requests.take() };
    const passedAgain = await this.#passAgain();
    const passages = SHAPES.flatMap((shape) =>
      (['install', 'upgrade'] as const).map((what) => ({
        shape,
        what,
        runs: each.filter((one) => one.shape === shape).map((one) => one[what]),
      })),
    );
    return { passages, crowd, idle, passedAgain, usage: await this.#usage() };
  }

  /** In a namespace of its own, with a catalog of its own. */
  async #installAndUpgrade(name: string): Promise<Readonly<Record<'install' | 'upgrade', Passage>>> {
    const journey = this.milestones.journey(name, csvName(name, 1));
    await this.#prepare(name);
    await this.#create(catalogSource(name, catalogImage(this.environment.registry.host, 1)));
    await until(async () => journey.seen.has('catalog READY'));
    await this.#quiet();
    const install = await this.#passage([[name, csvName(name, 1)]], () => this.#create(subscription(name, name, name)));
    const upgrade = await this.#passage([[name, csvName(name, 2)]], () => this.#offer(name, 2));
    return { install, upgrade };
  }

  /** The same operator in many namespaces at once, from one global catalog. */
  async #crowd(count: number): Promise<LifecycleMeasures['crowd']> {
    const names = Array.from({ length: count }, (_, n) => `crowd-${n + 1}`);
    for (const name of names) await this.#prepare(name);
    await this.#create(catalogSource(GLOBAL, catalogImage(this.environment.registry.host, 1)));
    await pause(QUIET_MS);
    await this.#quiet();
    const to = (edition: Edition) => names.map((name) => [name, csvName('crowd', edition)] as const);
    const subscribe = () => Promise.all(names.map((name) => this.#create(subscription(name, 'crowd', GLOBAL))));
    const install = await this.#passage(to(1), subscribe);
    const upgrade = await this.#passage(to(2), () => this.#offer(GLOBAL, 2));
    return { namespaces: count, install, upgrade };
  }

  async #passage(
    goals: readonly (readonly [namespace: string, csv: string])[],
    subscribe: () => Promise<unknown>,
  ): Promise<Passage & Crowd> {
    await this.environment.requests.take();
    const before = await this.#usage();
    const journeys = goals.map(([place, csv]) => this.milestones.journey(place, csv));
    const start = performance.now();
    await subscribe();
    await within(PATIENCE_MS, Promise.all(journeys.map(({ done }) => done)));
    const requests = await this.#quiet();
    const after = await this.#usage();
    const cpu = [...after].map(
      ([name, usage]) => [name, (usage?.cpuSeconds ?? 0) - (before.get(name)?.cpuSeconds ?? 0)] as const,
    );
    const of = (milestone: Milestone) => journeys.map((journey) => secondsTo(journey, milestone, start));
    return {
      seconds: new Map([...(journeys[0]?.seen ?? [])].map(([milestone, at]) => [milestone, (at - start) / 1_000])),
      requests,
      cpuSeconds: new Map(cpu),
      all: {
        'CSV Succeeded': of('CSV Succeeded').toSorted((a, b) => a - b),
        'Subscription AtLatestKnown': of('Subscription AtLatestKnown').toSorted((a, b) => a - b),
      },
    };
  }

  async #passAgain(): Promise<readonly CountedRequest[]> {
    const poller = this.environment.services.find(({ service }) => service === 'catalog-poller');
    await poller?.stop();
    await this.environment.requests.take();
    poller?.start();
    const first: CountedRequest[] = [];
    await until(async () => {
      first.push(...(await this.environment.requests.take()));
      return first.some(({ service }) => service === 'flotilla-applier');
    });
    return [...first, ...(await this.#quiet())].filter(({ service }) => service === 'flotilla-applier');
  }

  /** Waits until our services have requested nothing for a while; returns their requests until then. */
  async #quiet(): Promise<readonly CountedRequest[]> {
    const all: CountedRequest[] = [];
    let quietSince = performance.now();
    const deadline = quietSince + PATIENCE_MS;
    while (performance.now() - quietSince < QUIET_MS && performance.now() < deadline) {
      const taken = await this.environment.requests.take();
      all.push(...taken);
      if (taken.length > 0) quietSince = performance.now();
      await pause(50);
    }
    return all;
  }

  async #prepare(name: string): Promise<void> {
    await this.#create(namespace(name));
    await this.#create(operatorGroup(name));
  }

  #offer(place: string, edition: Edition): Promise<unknown> {
    const spec = { image: catalogImage(this.environment.registry.host, edition) };
    return this.environment.client.patch(
      { apiVersion: 'operators.coreos.com/v1alpha1', kind: 'CatalogSource', name: 'lifecycle', namespace: place },
      { spec },
    );
  }

  #create(object: KubernetesObject): Promise<void> {
    return createPatiently(this.environment.client, object);
  }

  async #usage(): Promise<ReadonlyMap<string, Usage | undefined>> {
    const used = this.environment.services.map(
      async ({ name, pid }) => [name, pid === undefined ? undefined : await usageOf(pid)] as const,
    );
    return new Map(await Promise.all(used));
  }
}

const secondsTo = ({ seen }: Journey, milestone: Milestone, start: number): number =>
  ((seen.get(milestone) ?? Number.NaN) - start) / 1_000;

async function until(reached: () => Promise<boolean>): Promise<void> {
  const deadline = performance.now() + PATIENCE_MS;
  while (!(await reached())) {
    if (performance.now() > deadline) throw new Error('what was waited for did not come');
    await pause(50);
  }
}

async function within(ms: number, work: Promise<unknown>): Promise<void> {
  const late = new AbortController();
  await Promise.race([work, pause(ms, late.signal).then(() => Promise.reject(new Error(`not done after ${ms} ms`)))]);
  late.abort();
}

function pause(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal?.addEventListener('abort', () => clearTimeout(timer));
  });
}
