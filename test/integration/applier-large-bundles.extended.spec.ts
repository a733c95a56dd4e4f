import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { InstallPlan } from '#core/kernel/api/install-plan';
import { ApplierBench } from './applier-support/applier-bench.js';
import { madeCrd, offer } from './applier-support/made-operator.js';

const PLAN = { apiVersion: 'operators.coreos.com/v1alpha1', kind: 'InstallPlan' } as const;
const CRD = { apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition' } as const;
const KINDS = ['Barge', 'Ferry', 'Tanker', 'Trawler'];
const CRD_BYTES = 750_000;

/** Three megabytes of CRDs: too much for an InstallPlan. */
const crds = (group: string, edition: string) =>
  KINDS.map((kind) =>
    madeCrd({ kind, group, description: `${edition} ${'long '.repeat(CRD_BYTES / 5)}` }, [
      { name: 'v1', storage: true },
    ]),
  );

describe('bundles that no InstallPlan could hold', () => {
  let bench: ApplierBench;
  beforeAll(async () => {
    bench = await ApplierBench.start();
  });
  afterAll(() => bench.stop());

  const plans = (namespace: string) =>
    bench.cluster.list({ ...PLAN, namespace }).map((plan) => InstallPlan.parse(plan));
  const phases = (namespace: string) => plans(namespace).map(({ status }) => status?.phase);
  const approve = (namespace: string) => {
    for (const { metadata } of plans(namespace)) {
      bench.cluster.edit({ ...PLAN, namespace, name: metadata.name ?? '' }, (plan) => {
        Object.assign(plan['spec'] as object, { approved: true });
      });
    }
  };
  const descriptionOf = (name: string): string => JSON.stringify(bench.cluster.get({ ...CRD, name })).slice(0, 2_000);

  it('are installed from a plan that names the bundle by digest, and holds what people read', async () => {
    const group = 'large.example.com';
    await offer(bench, 'fleet', [{ version: '1.0.0', objects: crds(group, 'first') }]);
    bench.namespace('large');
    bench.subscribe('large', 'fleet');
    await bench.installed('large', 'fleet.v1.0.0');
    const [plan] = plans('large');
    const steps = (plan?.status?.plan ?? []).flatMap((step) => (step === null ? [] : [step]));
    expect(plan?.status?.phase).toBe('Complete');
    expect(JSON.stringify(plan).length).toBeLessThan(1_500_000);
    const manifests = new Map(steps.map(({ resource }) => [resource.name, JSON.parse(resource.manifest ?? '')]));
    expect(manifests.get('fleet.v1.0.0')).toMatchObject({ kind: 'ClusterServiceVersion' });
    const referred = [...manifests.values()].filter(({ kind }) => kind === 'BundleImage');
    expect(referred.length).toBeGreaterThanOrEqual(3);
    expect(referred[0]).toEqual({
      kind: 'BundleImage',
      name: expect.stringMatching(/^127\.0\.0\.1:\d+\/made\/fleet@sha256:[0-9a-f]{64}$/),
      catalogSourceName: 'samples',
      catalogSourceNamespace: 'olm',
    });
    for (const kind of KINDS) expect(descriptionOf(`${kind.toLowerCase()}s.${group}`)).toContain('first long long');
  });

  it('are what was approved, even if the tag has moved since', async () => {
    const group = 'moved.example.com';
    await offer(bench, 'moved', [{ version: '1.0.0', objects: crds(group, 'approved') }]);
    bench.namespace('moved');
    bench.subscribe('moved', 'moved', 'Manual');
    await bench.settle('moved', () => phases('moved')[0] === 'RequiresApproval');
    await offer(bench, 'moved', [{ version: '1.0.0', objects: crds(group, 'pushed later') }]);
    approve('moved');
    await bench.settle('moved', () => phases('moved')[0] === 'Complete');
    expect(descriptionOf(`barges.${group}`)).toContain('approved long');
  });

  it('wait for a registry that is away, as long as an unpack may take, and say so', async () => {
    const group = 'away.example.com';
    await offer(bench, 'away', [{ version: '1.0.0', objects: crds(group, 'first') }]);
    bench.namespace('away');
    bench.subscribe('away', 'away', 'Manual');
    await bench.settle('away', () => phases('away')[0] === 'RequiresApproval');
    bench.restart();
    bench.registry.failNext({ path: /made\/away\/manifests/, status: 404, times: 15 });
    approve('away');
    await bench.settle('away', () => plans('away')[0]?.status?.message !== undefined);
    expect(plans('away')[0]?.status).toMatchObject({
      phase: 'Installing',
      message: expect.stringMatching(
        /^retrying execution due to error: error finding the unpacked bundle for \w+ .*away.*flotilla retry installplan \S+ -n away --replan/,
      ),
    });
    bench.later(30_000); // well beyond the retry timeout of other errors
    await bench.pass('away');
    expect(phases('away')).toEqual(['Installing']);
    await bench.settle('away', () => phases('away')[0] === 'Complete');
  });
});
