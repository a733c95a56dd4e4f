import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { InstallPlan } from '#core/kernel/api/install-plan';
import { ApplierBench } from './applier-support/applier-bench.js';
import { type MadeCrdVersion, type MadeVersion, madeCrd, offer } from './applier-support/made-operator.js';

const V1ALPHA1 = 'operators.coreos.com/v1alpha1';
const PLAN = { apiVersion: V1ALPHA1, kind: 'InstallPlan' } as const;
const CRD = { apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition' } as const;

describe('versions of CRDs come and go', () => {
  let bench: ApplierBench;
  beforeAll(async () => {
    bench = await ApplierBench.start();
  });
  afterAll(() => bench.stop());

  const plans = (namespace: string) =>
    bench.cluster
      .list({ ...PLAN, namespace })
      .map((plan) => InstallPlan.parse(plan))
      .toSorted((a, b) => (a.spec.generation ?? 0) - (b.spec.generation ?? 0));
  const newest = (namespace: string) => plans(namespace).at(-1);
  const storedVersions = (name: string): unknown =>
    (bench.cluster.get({ ...CRD, name })?.['status'] as { storedVersions?: unknown } | undefined)?.storedVersions;
  const events = (namespace: string, reason: string) =>
    bench.cluster
      .list({ apiVersion: 'v1', kind: 'Event', namespace })
      .filter((event) => event['reason'] === reason)
      .map((event) => event['message']);
  const annotate = (namespace: string, annotations: Record<string, string>) =>
    bench.cluster.edit(
      { apiVersion: 'operators.coreos.com/v1', kind: 'OperatorGroup', name: `${namespace}-group`, namespace },
      ({ metadata }) => {
        metadata.annotations = annotations;
      },
    );
  const upTo = (name: string, group: string, kind: string, steps: readonly (readonly MadeCrdVersion[])[]) =>
    offer(
      bench,
      name,
      steps.map(
        (versions, index): MadeVersion => ({
          version: `1.${index}.0`,
          ...(index === 0 ? {} : { replaces: `1.${index - 1}.0` }),
          objects: [madeCrd({ kind, group }, versions)],
        }),
      ),
    );

  /** The four steps of a removal of a version. */
  const REMOVAL: readonly (readonly MadeCrdVersion[])[] = [
    [{ name: 'v1alpha1', storage: true }],
    [{ name: 'v1alpha1' }, { name: 'v1', storage: true }],
    [
      { name: 'v1alpha1', served: false },
      { name: 'v1', storage: true },
    ],
    [{ name: 'v1', storage: true }],
  ];

  it('a version is removed in four steps; the last rewrites every object once the group allows it', async () => {
    const [group, crd] = ['yard.example.com', 'docks.yard.example.com'];
    bench.namespace('yard');
    bench.namespace('far-away');
    await upTo('yard', group, 'Dock', REMOVAL.slice(0, 1));
    bench.subscribe('yard', 'yard');
    await bench.installed('yard', 'yard.v1.0.0');
    const dock = (namespace: string) => ({
      apiVersion: `${group}/v1alpha1`,
      kind: 'Dock',
      metadata: { name: 'one', namespace },
    });
    for (const namespace of ['yard', 'far-away']) bench.cluster.create({ ...dock(namespace), spec: {} });
    for (const [index, installed] of ['yard.v1.1.0', 'yard.v1.2.0'].entries()) {
      await upTo('yard', group, 'Dock', REMOVAL.slice(0, index + 2));
      await bench.installed('yard', installed);
    }
    expect(storedVersions(crd)).toEqual(['v1', 'v1alpha1']);

    await upTo('yard', group, 'Dock', REMOVAL);
    bench.later(20_000); // beyond the retry timeout at the second pass
    await bench.settle('yard', () => newest('yard')?.status?.message !== undefined);
    bench.later(20_000);
    await bench.settle('yard', () => newest('yard')?.status?.phase === 'Failed');
    expect(newest('yard')?.status?.message).toBe(
      `risk of data loss updating "${crd}": new CRD removes version v1alpha1 that is listed as a stored version on the existing CRD`,
    );
    const refusals = bench.cluster.list({ apiVersion: 'v1', kind: 'Event', namespace: 'yard' });
    const counts = refusals.flatMap(({ reason, count }) => (reason === 'CRDRefused' ? [count] : []));
    expect(counts, 'an Event is for news, and three executions bring none').toEqual([1]);
    expect(events('yard', 'CRDRefused')).toEqual([
      'To remove it, set annotation flotilla.dev/migrate-stored-versions: "true" on the OperatorGroup: ' +
        'every Dock is then rewritten in v1, and v1alpha1 leaves status.storedVersions; this plan then continues',
    ]);

    bench.cluster.requests.clear();
    annotate('yard', { 'flotilla.dev/migrate-stored-versions': 'true' });
    await bench.installed('yard', 'yard.v1.3.0');
    const rewritten = bench.cluster.requests.filter(({ verb, resource }) => verb === 'update' && resource === 'docks');
    expect(rewritten.map(({ namespace, name }) => `${namespace}/${name}`).sort()).toEqual(['far-away/one', 'yard/one']);
    expect(storedVersions(crd)).toEqual(['v1']);
    expect(newest('yard')?.status?.phase).toBe('Complete');
    expect(events('yard', 'StoredVersionsMigrated')).toEqual([
      '2 objects of kind Dock are now stored in v1; v1alpha1 left status.storedVersions',
    ]);
  });

  it('objects that cannot be rewritten keep the stored version, and the plan says which', async () => {
    const [group, crd] = ['stuck.example.com', 'slips.stuck.example.com'];
    bench.namespace('stuck');
    annotate('stuck', { 'flotilla.dev/migrate-stored-versions': 'true' });
    await upTo('stuck', group, 'Slip', REMOVAL.slice(0, 1));
    bench.subscribe('stuck', 'stuck');
    await bench.installed('stuck', 'stuck.v1.0.0');
    for (const name of ['busy', 'sealed', 'gone'])
      bench.cluster.create({
        apiVersion: `${group}/v1alpha1`,
        kind: 'Slip',
        metadata: { name, namespace: 'stuck' },
        spec: {},
      });
    await upTo('stuck', group, 'Slip', REMOVAL.slice(0, 3));
    await bench.installed('stuck', 'stuck.v1.2.0');
    await upTo('stuck', group, 'Slip', REMOVAL);
    const refuse = (name: string, status: number, reason: string, message: string) =>
      bench.cluster.failNext({ verb: 'update', resource: 'slips', namespace: 'stuck', name }, status, reason, message);
    refuse('busy', 409, 'Conflict', 'the object has been modified');
    refuse('gone', 404, 'NotFound', 'slips "gone" not found');
    for (let times = 0; times < 12; times += 1)
      refuse('sealed', 403, 'Forbidden', 'admission webhook "seal" denied the request');
    bench.later(20_000);
    await bench.settle('stuck', () => newest('stuck')?.status?.message !== undefined);
    expect(newest('stuck')?.status?.message).toMatch(
      /error rewriting every Slip in v1 so that v1alpha1 can go: .*sealed.*admission webhook "seal" denied the request/,
    );
    expect(storedVersions(crd)).toEqual(['v1', 'v1alpha1']);
    await bench.installed('stuck', 'stuck.v1.3.0');
    expect(storedVersions(crd)).toEqual(['v1']);
  });

  it('who else has a CRD, and what changes for them, stands on the plan before it is approved', async () => {
    const [group, crd] = ['shared.example.com', 'quays.shared.example.com'];
    await upTo('shared', group, 'Quay', [[{ name: 'v1', storage: true }]]);
    for (const namespace of ['here', 'there']) bench.namespace(namespace);
    bench.subscribe('here', 'shared');
    await bench.installed('here', 'shared.v1.0.0');
    bench.subscribe('there', 'shared', 'Manual');
    await bench.settle('there', () => newest('there')?.status?.phase === 'RequiresApproval');
    expect(newest('there')?.metadata.annotations, 'the same CRD changes nothing').not.toHaveProperty(
      'flotilla.dev/shared-crds',
    );
    await bench.cluster.delete({ ...PLAN, namespace: 'there', name: newest('there')?.metadata.name ?? '' });
    await offer(bench, 'shared', [
      {
        version: '2.0.0',
        objects: [
          madeCrd({ kind: 'Quay', group }, [
            { name: 'v1', properties: { depth: { type: 'integer' } } },
            { name: 'v2', storage: true },
          ]),
        ],
      },
    ]);
    await bench.settle('there', () => newest('there')?.spec.clusterServiceVersionNames[0] === 'shared.v2.0.0');
    expect(newest('there')?.spec.approved).toBe(false);
    expect(JSON.parse(newest('there')?.metadata.annotations?.['flotilla.dev/shared-crds'] ?? '')).toEqual([
      {
        crd,
        owners: ['here/shared.v1.0.0'],
        changes: ['adds v2', 'changes the schema of v1', 'stores v2 instead of v1'],
      },
    ]);
    expect(events('there', 'SharedCRD')).toEqual([
      `CRD ${crd} also belongs to here/shared.v1.0.0; this plan adds v2, changes the schema of v1, stores v2 instead of v1`,
    ]);
  });

  it('a kind that no plan may hold fails it before anything is applied', async () => {
    const daemons = { apiVersion: 'apps/v1', kind: 'DaemonSet', metadata: { name: 'rats' }, spec: {} };
    await offer(bench, 'odd', [
      {
        version: '1.0.0',
        objects: [madeCrd({ kind: 'Rat', group: 'odd.example.com' }, [{ name: 'v1', storage: true }]), daemons],
      },
    ]);
    bench.namespace('odd');
    bench.subscribe('odd', 'odd');
    await bench.settle('odd', () => newest('odd')?.status?.phase === 'Failed');
    expect(newest('odd')?.status?.message).toBe(
      'the InstallPlan contains invalid data: bundle odd.v1.0.0 brings DaemonSet "rats", and objects of this kind cannot be installed by a plan. Nothing was applied',
    );
    expect(bench.csvs('odd')).toEqual([]);
    expect(bench.cluster.get({ ...CRD, name: 'rats.odd.example.com' })).toBeUndefined();
    expect(
      bench.cluster.get({ apiVersion: 'v1', kind: 'ServiceAccount', name: 'odd', namespace: 'odd' }),
    ).toBeUndefined();
  });
});
