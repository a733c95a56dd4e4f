import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ManualClock } from '#platform/clock/manual-clock';
import { silentLog } from '#platform/telemetry/log.port';
import type { DirectCluster } from '#testing/cluster/direct-client';
import { pause } from '#testing/patience';
import { clusterAccess } from './cluster-access.js';
import { followSource } from './follow-source.js';
import { loadSource } from './load-source.js';
import type { SharedCatalogs } from './shared-catalogs.js';
import { addSource, clusterWithSources } from './source-environment.fixture.js';

const NOW = new Date('2026-03-01T12:00:00Z');
const MAP = { apiVersion: 'v1', kind: 'ConfigMap', namespace: 'default', name: 'entries' };
const BY_MAP = { sourceType: 'configmap', configMap: 'entries', image: null };

let direct: DirectCluster;
let asked: string[];
let failure: unknown;
beforeEach(async () => {
  direct = await clusterWithSources();
  [asked, failure] = [[], undefined];
});
afterEach(() => direct.stop());

const EMPTY = { customResourceDefinitions: '[]', clusterServiceVersions: '[]', packages: '[]' };
const LOADED = { digest: 'sha256:1', content: 'sha256:2', packages: 0 };
const answer = (what: string) => {
  asked.push(what);
  return failure === undefined ? { value: LOADED, begunAt: 7 } : { error: failure, begunAt: 7, retryAt: 9 };
};
const catalogs = {
  ofImage: async (image: string) => answer(`image ${image}`),
  ofAddress: async (address: string) => answer(`address ${address}`),
  ofInline: async () => {
    asked.push('inline');
    if (failure !== undefined) throw failure;
    return LOADED;
  },
  follow: (address: string, onNews: () => void) => {
    asked.push(`follow ${address}`);
    onNews();
    return () => void asked.push(`leave ${address}`);
  },
} as unknown as SharedCatalogs;

const access = () => clusterAccess({ client: direct.client, clock: new ManualClock(NOW), log: silentLog });
const load = (spec: object) => {
  const source = addSource(direct, spec);
  return loadSource(source, { withinMs: 0, patient: false }, { catalogs, access: access(), now: () => NOW });
};
const entries = (data?: Record<string, string>) =>
  direct.cluster.create({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'entries', namespace: 'default' },
    ...(data && { data }),
  });

describe('a poll of the content of a CatalogSource', () => {
  it.each<[origin: string, spec: object, request: string]>([
    ['an image', {}, 'image registry.example/shop:latest'],
    ['an address', { image: null, address: 'shop.test:50051' }, 'address shop.test:50051'],
    ['an image, where there is an address too', { address: 'shop.test:50051' }, 'image registry.example/shop:latest'],
  ])('asks for %s', async (_, spec, request) => {
    expect(await load(spec)).toEqual({ value: LOADED, begunAt: 7 });
    expect(asked).toEqual([request]);
  });

  it('reads a ConfigMap, and says which version of it', async () => {
    const { metadata } = entries(EMPTY);
    expect(await load(BY_MAP)).toEqual({
      value: LOADED,
      begunAt: NOW.getTime(),
      configMap: {
        name: 'entries',
        namespace: 'default',
        uid: metadata.uid,
        resourceVersion: metadata.resourceVersion,
        readAt: '2026-03-01T12:00:00Z',
      },
    });
  });

  it('of a ConfigMap that does not exist fails in the words of OLM', async () => {
    const { error, reason, configMap } = Object(await load(BY_MAP));
    expect([reason, error.message, configMap]).toEqual([
      'ConfigMapError',
      'failed to get catalog config map entries: configmaps "entries" not found',
      undefined,
    ]);
  });

  it('of a ConfigMap that may not be read names the role that is missing', async () => {
    direct.cluster.failNext({ resource: 'configmaps' }, 403, 'Forbidden', 'not yours');
    const { error, reason } = Object(await load(BY_MAP));
    expect(reason).toBe('ConfigMapError');
    expect(error.message).toMatch(
      /not yours; bind ClusterRole \S+ \(k8s\/base\/managed-cluster\) to that user in namespace default$/,
    );
  });

  it('of a ConfigMap without a catalog is the fault of its content, and names the ConfigMap', async () => {
    entries(EMPTY);
    failure = new Error('no packages');
    expect(await load(BY_MAP)).toMatchObject({
      error: failure,
      reason: 'RegistryServerError',
      configMap: { name: 'entries' },
    });
  });

  it('of a ConfigMap that lacks a part names what it lacks', async () => {
    entries({ packages: '[]' });
    const { error, configMap } = Object(await load(BY_MAP));
    expect(error.message).toBe("couldn't find expected key customResourceDefinitions in configmap");
    expect(configMap).toMatchObject({ name: 'entries' });
  });

  it('that fails at the registry says when it is tried again', async () => {
    failure = new Error('the registry is away');
    expect(await load({})).toEqual({ error: failure, retryAt: 9, reason: 'RegistryServerError' });
  });

  it('of a spec that names nothing is a failure, too', async () => {
    const { error, reason } = Object(await load({ image: null }));
    expect([reason, error.message]).toEqual([
      'RegistryServerError',
      'image and address unset: at least one must be set for sourcetype: grpc',
    ]);
  });
});

describe('news of the origin of a CatalogSource', () => {
  const follow = (spec: object) => {
    const news: unknown[] = [];
    const end = followSource(addSource(direct, spec), { catalogs, access: access() }, (version) => news.push(version));
    return { news, end };
  };

  it('come from its registry server, until the end', () => {
    const { news, end } = follow({ image: null, address: 'shop.test:50051' });
    end();
    expect(news).toEqual([undefined]);
    expect(asked).toEqual(['follow shop.test:50051', 'leave shop.test:50051']);
  });

  it('come never from an image, which is polled', async () => {
    const { news, end } = follow({});
    await pause(5);
    end();
    expect([news, asked, asksForMaps()]).toEqual([[], [], []]);
  });

  const asksForMaps = () => direct.cluster.requests.filter(({ resource }) => resource === 'configmaps');

  it('come from its ConfigMap, with the version; no other ConfigMap counts', async () => {
    const first = entries({ packages: '[]' });
    const { news, end } = follow(BY_MAP);
    await expect.poll(() => news, { interval: 1 }).toEqual([first.metadata.resourceVersion]);
    await expect.poll(() => direct.cluster.openWatches(), { interval: 1 }).toBe(1);
    direct.cluster.create({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'other', namespace: 'default' } });
    const second = direct.cluster.edit(MAP, (object) => Object.assign(object, { data: { packages: '[1]' } }));
    await expect.poll(() => news.slice(1), { interval: 1 }).toEqual([second.metadata.resourceVersion]);
    direct.cluster.delete(MAP);
    await expect.poll(() => news.slice(2), { interval: 1 }).toEqual([undefined]);
    end();
    await expect.poll(() => direct.cluster.openWatches(), { interval: 1 }).toBe(0);
  });

  it('are not watched for under a name that no object can have', async () => {
    const { news, end } = follow({ ...BY_MAP, configMap: 'no,name' });
    await pause(5);
    end();
    expect([news, asksForMaps()]).toEqual([[], []]);
  });
});
