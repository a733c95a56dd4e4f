import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { KubernetesObject } from '#core/kernel/api/kubernetes-object';
import type { ReadLimits } from '#core/kernel/read-budget/read-limits';
import { type SimulatedFleet, startSimulatedFleet } from '#testing/cluster/simulated-fleet';
import { type AttackName, attacks } from '#testing/hostile/attacks';
import { type HostileApiServer, startHostileApiServer } from '#testing/hostile/hostile-api-server';
import { PATIENCE } from '#testing/patience';
import { ManualClock } from '../../clock/manual-clock.js';
import { Reflector } from '../cache/reflector.js';
import { HttpKubeClient } from '../client/http-kube-client.js';
import { KubeApiError } from '../client/kube-client.port.js';
import { fixedCredentials } from '../transport/credentials.js';
import { HttpTransport } from '../transport/http-transport.js';
import { ReadBudget } from './read-budget.js';

const MIB = 1024 * 1024;
const LIMITS: ReadLimits = {
  answerBytes: MIB,
  listBytes: 64 * MIB,
  objects: 3_000,
  clusterBytes: 32 * MIB,
  processBytes: 64 * MIB,
};
const CATALOG_SOURCES = { apiVersion: 'operators.coreos.com/v1alpha1', kind: 'CatalogSource' };
const CONFIG_MAPS = { apiVersion: 'v1', kind: 'ConfigMap' };
const NAMESPACES = { apiVersion: 'v1', kind: 'Namespace' };
const CRD = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'catalogsources.operators.coreos.com' },
  spec: {
    group: 'operators.coreos.com',
    names: {
      kind: 'CatalogSource',
      plural: 'catalogsources',
      singular: 'catalogsource',
      listKind: 'CatalogSourceList',
    },
    scope: 'Namespaced',
    versions: [
      {
        name: 'v1alpha1',
        served: true,
        storage: true,
        schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
      },
    ],
  },
};

let fleet: SimulatedFleet;
let server: HostileApiServer;
const endings: (() => Promise<unknown>)[] = [];

beforeEach(async () => {
  fleet = await startSimulatedFleet({ clusters: ['west'] });
  server = await startHostileApiServer(new URL(fleet.cluster('west').url));
  const west = fleet.cluster('west');
  west.create(CRD);
  const established = () => JSON.stringify(west.get({ ...CRD, name: CRD.metadata.name })?.['status'] ?? {});
  await expect.poll(established, PATIENCE).toContain('"Established"');
});
afterEach(async () => {
  for (const end of endings.splice(0).toReversed()) await end();
  await server.stop();
  await fleet.stop();
});

/** Moved on by tests, for the pauses of budgets. */
let now = 0;

function clientOf(limits = LIMITS, requestTimeoutMs = 60_000): HttpKubeClient {
  const headers = { authorization: `Bearer ${fleet.cluster('west').token}` };
  const transport = new HttpTransport({
    server: new URL(`https://127.0.0.1:${server.port}/clusters/west`),
    credentials: fixedCredentials({ headers, tls: { rejectUnauthorized: false } }),
    maxResponseBytes: limits.answerBytes,
    requestTimeoutMs,
    connectTimeoutMs: 500,
  });
  const client = new HttpKubeClient({
    cluster: 'west',
    transport,
    fieldManager: 'test',
    budget: new ReadBudget('west', limits, () => now),
  });
  endings.push(() => client.close());
  return client;
}

const failure = (work: Promise<unknown>): Promise<KubeApiError> =>
  work.then(
    () => expect.unreachable('the read should have failed'),
    (error: unknown) => {
      if (KubeApiError.is(error)) return error;
      throw error;
    },
  );

function reflecting(client: HttpKubeClient, kind = CATALOG_SOURCES) {
  const clock = new ManualClock();
  const gone: string[] = [];
  const reflector = new Reflector<KubernetesObject>({
    client,
    kind,
    clock,
    random: () => 0.5,
    handlers: { onDelete: ({ metadata }) => gone.push(metadata.name ?? '') },
  });
  endings.push(() => reflector.stop());
  reflector.start();
  return { reflector, clock, gone };
}

function makeCatalog(name: string): void {
  fleet.cluster('west').create({ ...CATALOG_SOURCES, metadata: { name, namespace: 'default' }, spec: {} });
}

describe('a list of a hostile API server', () => {
  const cases: readonly (readonly [AttackName, string])[] = [
    ['lists with a new continue token on every page', 'more than 3000 objects'],
    ['lists with the same continue token on every page', 'the list does not end'],
    ['lists with empty pages', 'the list does not end'],
    ['lists that never end, fast', 'one answer has more than 1Mi'],
    ['lists that unpack to gigabytes', 'one answer has more than 1Mi'],
  ];
  for (const [name, why] of cases) {
    it(`fails by name and is not asked for again at once: ${name}`, async () => {
      const client = clientOf();
      await client.list(CONFIG_MAPS);
      server.attack(attacks[name]);
      const error = await failure(client.list(CONFIG_MAPS));
      expect(error).toMatchObject({ cluster: 'west', reason: 'TooLarge', answered: true });
      expect(error.message).toContain(`cluster "west": too large: ConfigMap: ${why}`);
      expect(client.budget.problems()).toEqual([expect.stringContaining(`ConfigMap: ${why}`)]);
      server.attack(undefined);
      const asked = fleet.cluster('west').requests.length;
      expect((await failure(client.list(CONFIG_MAPS))).reason).toBe('TooLarge');
      expect(fleet.cluster('west').requests.length).toBe(asked);
      expect((await client.list(NAMESPACES))?.items.length).toBeGreaterThan(0);
    });
  }

  it('that trickles ends with the deadline of its request', async () => {
    const client = clientOf(LIMITS, 500);
    await client.list(CONFIG_MAPS);
    server.attack(attacks['lists that never end, slowly']);
    expect((await failure(client.list(CONFIG_MAPS))).reason).toBe('Timeout');
  });
});

describe('other answers of a hostile API server', () => {
  it('discovery without end fails, and names what was read', async () => {
    const client = clientOf();
    server.attack(attacks['discovery documents without end']);
    const error = await failure(client.list(CONFIG_MAPS));
    expect(error.message).toContain('cluster "west": too large: read which kinds /api/v1 serves: one answer');
  });

  it('a discovery document with more kinds than a cluster can have is not kept, and no kind counts as gone', async () => {
    const client = clientOf({ ...LIMITS, answerBytes: 8 * MIB });
    const resource = (n: number) => `{"name":"kinds${n}","kind":"Kind${n}","namespaced":true}`;
    const resources = Array.from({ length: 40_000 }, (_, n) => resource(n)).join(',');
    server.attack({
      answer: ({ path }, response) => {
        if (path !== '/api/v1') return false;
        response.writeHead(200, { 'content-type': 'application/json' });
        response.end(`{"kind":"APIResourceList","resources":[${resources}]}`);
        return true;
      },
    });
    expect((await failure(client.list(CONFIG_MAPS))).message).toContain('names more kinds than a cluster can have');
  });

  it('an access review without end fails, and is not asked for again at once', async () => {
    const client = clientOf();
    server.attack(attacks['answers to access reviews without end']);
    const review = { apiVersion: 'authorization.k8s.io/v1', kind: 'SelfSubjectAccessReview', metadata: {}, spec: {} };
    expect((await failure(client.create(review))).reason).toBe('TooLarge');
    server.attack(undefined);
    expect((await failure(client.create(review))).reason).toBe('TooLarge');
  });

  it('a TLS handshake that trickles ends with the deadline of connections', async () => {
    server.attack(attacks['TLS handshakes of one byte a second']);
    expect((await failure(clientOf().list(CONFIG_MAPS))).reason).toBe('Unreachable');
  });
});

describe('a cache of a hostile cluster', () => {
  it('that a watch floods keeps what its budget allows, takes no object as gone, and recovers by itself', async () => {
    makeCatalog('harbour');
    const client = clientOf();
    const { reflector, clock, gone } = reflecting(client);
    await reflector.whenSynced();
    server.attack(attacks['a watch with a flood of ADDED events']);
    const problem = async () => {
      await clock.advance(1_000);
      return reflector.problem();
    };
    await expect.poll(problem, PATIENCE).toContain('cluster "west": too large: CatalogSource: ');
    expect(client.budget.problems()).toEqual([expect.stringContaining('CatalogSource: ')]);
    expect(reflector.store.size).toBeLessThanOrEqual(LIMITS.objects);
    expect(reflector.store.get({ namespace: 'default', name: 'harbour' })).toBeDefined();
    expect(gone).toEqual([]);
    server.attack(undefined);
    now += 60_000;
    const names = async () => {
      await clock.advance(60_000);
      return reflector.problem() ?? reflector.store.list().map(({ metadata }) => metadata.name);
    };
    await expect.poll(names, PATIENCE).toEqual(['harbour']);
  });

  it('keeps its objects while lists are aborted', async () => {
    makeCatalog('harbour');
    const client = clientOf();
    const { reflector, clock, gone } = reflecting(client);
    await reflector.whenSynced();
    for (const name of [
      'lists of one kind that is too large',
      'lists with the same continue token on every page',
    ] as const) {
      server.attack(attacks[name]);
      fleet.cluster('west').expireWatches();
      const problem = async () => {
        await clock.advance(60_000);
        return reflector.problem();
      };
      await expect.poll(problem, PATIENCE).toContain('too large: CatalogSource: ');
    }
    expect(reflector.store.list().map(({ metadata }) => metadata.name)).toEqual(['harbour']);
    expect(gone).toEqual([]);
  });

  it('ends a watch with an event that never ends', async () => {
    const client = clientOf({ ...LIMITS, answerBytes: 32 * MIB });
    const { reflector } = reflecting(client, CONFIG_MAPS);
    await reflector.whenSynced();
    server.attack(attacks['watches with one event that never ends']);
    await expect.poll(() => reflector.problem(), PATIENCE).toContain('too large: ConfigMap: one watch event');
  });

  it('gives its memory back to the budget when it is stopped', async () => {
    makeCatalog('harbour');
    const client = clientOf();
    const { reflector } = reflecting(client);
    await reflector.whenSynced();
    expect(client.budget.held).toBeGreaterThan(100);
    await reflector.stop();
    expect(client.budget.held).toBe(0);
  });
});

describe('a budget that was exceeded', () => {
  const budgetOf = () => {
    now = 0;
    return new ReadBudget('west', LIMITS, () => now);
  };
  const tried = (budget: ReadBudget, key: string) =>
    budget.run(key, async () => 'read').catch((error: unknown) => (KubeApiError.is(error) ? error.reason : 'other'));

  it('lets one read at a time try again after growing pauses, and reports it until the cluster has been well for a while', async () => {
    const budget = budgetOf();
    budget.exceed('a', 'A', 'objects');
    budget.exceed('b', 'B', 'objects');
    now = 9_999;
    expect(await tried(budget, 'a')).toBe('TooLarge');
    expect(await tried(budget, 'c')).toBe('read');
    now = 10_000;
    const probe = Promise.withResolvers<string>();
    const first = budget.run('a', () => probe.promise);
    expect(await tried(budget, 'b')).toBe('TooLarge');
    probe.resolve('read');
    expect(await first).toBe('read');
    expect(await tried(budget, 'b')).toBe('read');
    expect(budget.problems()).toHaveLength(2);
    now = 41_000;
    expect(budget.problems()).toEqual([]);
  });

  it('is read slowly as soon as long answers come one after the other, before any is given up', () => {
    const budget = budgetOf();
    budget.noteLongAnswer();
    budget.noteLongAnswer();
    budget.notePage();
    budget.noteLongAnswer();
    budget.noteLongAnswer();
    expect(budget.rest(3), 'a page has come between').toBeUndefined();
    budget.noteLongAnswer();
    expect(budget.rest(3)).toBeInstanceOf(Promise);
  });

  it('holds back every read that was too large when one of them is too large again', async () => {
    const budget = budgetOf();
    budget.exceed('a', 'A', 'objects');
    budget.exceed('b', 'B', 'objects');
    now = 10_000;
    await budget.run('a', async () => Promise.reject(budget.exceed('a', 'A', 'objects'))).catch(() => undefined);
    now = 29_999;
    expect(await tried(budget, 'b')).toBe('TooLarge');
    now = 30_000;
    expect(await tried(budget, 'b')).toBe('read');
  });
});
