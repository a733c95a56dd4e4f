import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { InstallPlanStep } from '#core/kernel/api/install-plan';
import type { KubernetesObject } from '#core/kernel/api/kubernetes-object';
import { ClassicCluster, objectOf, refTo } from '../classic-cluster.fixture.js';
import { lampCsv } from '../csvs/csvs.fixture.js';
import {
  PLAN,
  PlanBench,
  type PlanParts,
  phaseOf,
  planOf,
  step,
  stepsOf,
} from '../install-plans/install-plans.fixture.js';

let at: ClassicCluster;
let bench: PlanBench;
beforeEach(async () => {
  at = await ClassicCluster.start();
  at.namespace('shop');
  at.put(
    objectOf('CatalogSource', 'shelf', 'olm', { spec: { sourceType: 'grpc', image: 'registry.example/shelf:1' } }),
  );
  bench = new PlanBench();
});
afterEach(() => at.stop());

const IMAGE = 'registry.example/lamp:1';
const SETTINGS = objectOf('ConfigMap', 'settings', undefined, { data: { glow: 'warm' } });
const referred = (object: KubernetesObject, name: string, kind = 'BundleImage', more: object = {}): InstallPlanStep => {
  const reference = { kind, name, catalogSourceName: 'shelf', catalogSourceNamespace: 'olm', ...more };
  const made = step(object);
  return { ...made, resource: { ...made.resource, manifest: JSON.stringify(reference) } };
};
const pass = (parts: PlanParts = {}, waitsMs?: number) =>
  at.pass('shop', [bench.stage(parts)], waitsMs === undefined ? {} : { waitsMs });
const offered = (source: { image: string } | { inline: string }, namespace = 'shop') => ({
  offers: [{ namespace, source }],
});
/** A plan of another author with the two steps of the bundle. */
const foreign = (name: string, kind?: string) =>
  at.put(
    planOf({ steps: [referred(lampCsv('shop'), name, kind, { replaces: 'lamp.v0' }), referred(SETTINGS, name, kind)] }),
  );

describe('install-plans.md §2: steps that refer to their bundle', () => {
  it.each([
    ['BundleImage', { image: IMAGE }],
    ['BundleContent', { inline: '' }],
  ])('%s: the manifest is that of the bundle, edited as in every plan, and fetched once', async (kind, source) => {
    bench.registry.put(IMAGE, [lampCsv('shop'), SETTINGS]);
    const digest = await bench.content.put(new TextEncoder().encode(JSON.stringify([lampCsv('shop'), SETTINGS])));
    const name = 'image' in source ? IMAGE : digest;
    foreign(name, kind);
    await pass(offered('image' in source ? source : { inline: digest }));
    expect([phaseOf(at), stepsOf(at)]).toEqual([
      'Complete',
      ['ClusterServiceVersion lamp.v1: Created', 'ConfigMap settings: Created'],
    ]);
    expect(at.csv('shop', 'lamp.v1')?.spec.replaces).toBe('lamp.v0');
    expect(at.get(refTo('ConfigMap', 'settings', 'shop'))?.['data']).toEqual({ glow: 'warm' });
    expect(bench.registry.pulled).toHaveLength(kind === 'BundleImage' ? 1 : 0);
  });

  it('the login of the CatalogSource goes with the pull', async () => {
    const auth = Buffer.from(JSON.stringify({ auths: { 'registry.example': { auth: btoa('clerk:secret') } } }));
    at.put(
      objectOf('Secret', 'login', 'olm', {
        type: 'kubernetes.io/dockerconfigjson',
        data: { '.dockerconfigjson': auth.toString('base64') },
      }),
    );
    at.cluster.edit(refTo('CatalogSource', 'shelf', 'olm'), ({ spec }) =>
      Object.assign(spec as object, { secrets: ['login'] }),
    );
    bench.registry.put(IMAGE, [lampCsv('shop'), SETTINGS]);
    foreign(IMAGE);
    await pass(offered({ image: IMAGE }));
    expect(bench.registry.pulled).toEqual([`${IMAGE} registry.example`]);
  });

  it('a step that is not in the bundle fails the plan', async () => {
    bench.registry.put(IMAGE, [lampCsv('shop')]);
    foreign(IMAGE);
    await pass({ ...offered({ image: IMAGE }), retryTimeoutMs: 0 });
    expect(phaseOf(at)).toBe(`Failed: couldn't find unpacked step for ConfigMap settings in ${IMAGE}`);
  });

  it('a bundle that is still being fetched: the plan waits, without a write', async () => {
    bench.registry.put(IMAGE, [lampCsv('shop'), SETTINGS]);
    const release = bench.registry.hold(IMAGE);
    foreign(IMAGE);
    expect(await pass(offered({ image: IMAGE }), 0)).toMatchObject({
      result: 'waits',
      waitsFor: 'bundles to be fetched: lamp.v1',
      againAfterMs: 30_000,
    });
    expect(at.writes()).toEqual([]);
    release();
    await pass(offered({ image: IMAGE }));
    expect(phaseOf(at)).toBe('Complete');
  });
});

describe('decision 0137: what a plan of another author may have', () => {
  const REFUSED = /does not offer .* to this namespace, and the hub did not create the plan: recreate the plan: /;

  it.each([
    { what: 'nothing is offered', parts: {}, gets: false },
    { what: 'the image is offered to another namespace', parts: offered({ image: IMAGE }, 'mill'), gets: false },
    {
      what: 'another repository of the registry is offered',
      parts: offered({ image: 'registry.example/wick:1' }),
      gets: false,
    },
    {
      what: 'the same repository of another registry is offered',
      parts: offered({ image: 'other.example/lamp:1' }),
      gets: false,
    },
    {
      what: 'another tag of the repository is offered',
      parts: offered({ image: 'registry.example/lamp:2' }),
      gets: true,
    },
  ])('an image: $what', async ({ parts, gets }) => {
    bench.registry.put(IMAGE, [lampCsv('shop'), SETTINGS]);
    foreign(IMAGE);
    await pass({ ...parts, retryTimeoutMs: 0 });
    if (gets) expect(phaseOf(at)).toBe('Complete');
    else expect(phaseOf(at)).toMatch(REFUSED);
    expect(bench.registry.pulled).toHaveLength(gets ? 1 : 0);
  });

  it('content: its digest alone gives no right to what the hub holds', async () => {
    const digest = await bench.content.put(new TextEncoder().encode(JSON.stringify([lampCsv('shop'), SETTINGS])));
    foreign(digest, 'BundleContent');
    await pass({ ...offered({ inline: `sha256:${'1'.repeat(64)}` }), retryTimeoutMs: 0 });
    expect(phaseOf(at)).toMatch(REFUSED);
    expect(at.names('ClusterServiceVersion', 'shop')).toEqual([]);
  });

  it('a plan that the hub made has what it refers to, whatever the catalogs offer by now', async () => {
    bench.registry.put(IMAGE, [lampCsv('shop'), SETTINGS]);
    bench.own(at, planOf({ steps: [referred(lampCsv('shop'), IMAGE), referred(SETTINGS, IMAGE)] }));
    await pass();
    expect(phaseOf(at)).toBe('Complete');
  });
});

describe('a registry that is away', () => {
  const group = (annotations: Record<string, string>) =>
    at.cluster.edit(refTo('OperatorGroup', 'shop-group', 'shop'), ({ metadata }) =>
      Object.assign(metadata, { annotations }),
    );
  const phaseAfter = async (minutes: number, unpackTimeoutMs: number) => {
    const parts = { ...offered({ image: IMAGE }), unpackTimeoutMs };
    await pass(parts);
    await at.clock.advance(minutes * 60_000);
    await pass(parts);
    return at.status(PLAN)['phase'];
  };
  beforeEach(() => void foreign(IMAGE));

  it.each([
    { minutes: 9, unpackTimeoutMs: 600_000, phase: 'Installing', because: 'an unpack may take ten minutes' },
    { minutes: 11, unpackTimeoutMs: 600_000, phase: 'Failed', because: 'and no longer' },
    { minutes: 600, unpackTimeoutMs: 0, phase: 'Installing', because: '0 is no limit' },
  ])('after $minutes minutes: $phase, since $because', async ({ minutes, unpackTimeoutMs, phase }) => {
    expect(await phaseAfter(minutes, unpackTimeoutMs)).toBe(phase);
    expect(at.status(PLAN)['message']).toMatch(
      /error finding the unpacked bundle for ClusterServiceVersion lamp.v1: .*if the bundle is gone permanently, recreate the plan/,
    );
  });

  it('the annotation of the group comes before the setting of the hub; a bad one does not count', async () => {
    group({ 'operatorframework.io/bundle-unpack-timeout': '1m' });
    expect(await phaseAfter(2, 600_000)).toBe('Failed');
    at.cluster.delete(PLAN);
    foreign(IMAGE);
    group({ 'operatorframework.io/bundle-unpack-timeout': 'soon' });
    expect(await phaseAfter(2, 600_000)).toBe('Installing');
  });
});
