import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PLAN_MARK_ANNOTATION, REFUSE_FOREIGN_ANNOTATION } from '#core/classic/install-plan/plan/plan-mark';
import { ADVICE } from '#core/cluster/advice/advice';
import { diagnoseInstallPlan } from '#core/cluster/diagnosis/diagnose-install-plan';
import { InstallPlan, type InstallPlanStep } from '#core/kernel/api/install-plan';
import { ApplierBench } from './applier-support/applier-bench.js';

const PLAN = { apiVersion: 'operators.coreos.com/v1alpha1', kind: 'InstallPlan' } as const;
const RBAC = 'rbac.authorization.k8s.io/v1';
const LIGHTHOUSE = 'lighthouse-operator.v1.0.0';

type Made = Readonly<{ apiVersion: string; kind: string; metadata: Readonly<{ name: string }> }>;

function stepOf(object: Made, resource: object = {}, resolving = ''): InstallPlanStep {
  const { apiVersion, kind, metadata } = object;
  const [version = '', group = ''] = apiVersion.split('/').toReversed();
  return {
    resolving,
    status: 'Unknown',
    resource: {
      ...{ group, version, kind, name: metadata.name },
      ...{ sourceName: 'samples', sourceNamespace: 'olm', manifest: JSON.stringify(object), ...resource },
    },
  };
}

const binding = (namespace: string) => ({
  ...{ apiVersion: RBAC, kind: 'ClusterRoleBinding', metadata: { name: `admin-of-${namespace}` } },
  roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cluster-admin' },
  subjects: [{ kind: 'ServiceAccount', name: 'default', namespace }],
});

/** The attack of a user who may write InstallPlans and their status in a namespace. */
class Attack {
  constructor(private readonly bench: ApplierBench) {}

  async write(
    namespace: string,
    steps: readonly InstallPlanStep[],
    annotations: Readonly<Record<string, string>> = {},
  ): Promise<void> {
    const metadata = { name: 'by-hand', namespace, annotations };
    const spec = { approval: 'Automatic', approved: true, clusterServiceVersionNames: [] };
    this.bench.cluster.create({ ...PLAN, metadata, spec });
    await this.setSteps(namespace, 'by-hand', steps);
  }

  async setSteps(namespace: string, name: string, plan: readonly InstallPlanStep[]): Promise<void> {
    const live = this.plan(namespace, name);
    const { message: _old, ...before } = live.status ?? { catalogSources: [] };
    await this.bench.client.updateStatus({ ...live, status: { ...before, phase: 'Installing', plan: [...plan] } });
  }

  plan(namespace: string, name = 'by-hand'): InstallPlan {
    return InstallPlan.parse(this.bench.cluster.get({ ...PLAN, namespace, name }));
  }

  /** Phase and message, once the plan has ended or says why it has not. */
  async ended(namespace: string, name = 'by-hand'): Promise<string> {
    const text = () => {
      const { phase, message = '' } = this.plan(namespace, name).status ?? {};
      return `${phase}: ${message}`;
    };
    await this.bench.settle(namespace, () => !['Installing: ', 'RequiresApproval: '].includes(text()));
    return text();
  }

  isBound(namespace: string): boolean {
    const name = `admin-of-${namespace}`;
    return this.bench.cluster.get({ apiVersion: RBAC, kind: 'ClusterRoleBinding', name }) !== undefined;
  }
}

const FOREIGN = 'Failed: the hub did not create this InstallPlan, or it was changed since: the hub does not execute it';
const secretStep = (name: string) => stepOf({ apiVersion: 'v1', kind: 'Secret', metadata: { name } }, { manifest: '' });
const fromSamples = { catalogSourceName: 'samples', catalogSourceNamespace: 'olm' };

describe('an InstallPlan written by hand, where the hub executes such plans', () => {
  let bench: ApplierBench;
  let attack: Attack;
  beforeAll(async () => {
    bench = await ApplierBench.start();
    attack = new Attack(bench);
  });
  afterAll(() => bench.stop());

  it('copies no Secret of the global namespace but one that a catalog lists as its pull secret', async () => {
    for (const name of ['hub-token', 'pull-login']) {
      const metadata = { name, namespace: 'olm' };
      bench.cluster.create({ apiVersion: 'v1', kind: 'Secret', metadata, data: { secret: 'R0xPQkFM' } });
    }
    const catalog = { apiVersion: PLAN.apiVersion, kind: 'CatalogSource', name: 'samples', namespace: 'olm' };
    bench.cluster.edit(catalog, (live) => Object.assign(live['spec'] as object, { secrets: ['pull-login'] }));
    bench.namespace('thief');
    const own = { apiVersion: PLAN.apiVersion, kind: 'CatalogSource', metadata: { name: 'own', namespace: 'thief' } };
    bench.cluster.create({ ...own, spec: { sourceType: 'grpc', image: 'example.com/own:1', secrets: ['hub-token'] } });
    await attack.write('thief', [secretStep('pull-login'), secretStep('hub-token')]);
    expect(await attack.ended('thief')).toMatch(
      /secret hub-token is not copied: no CatalogSource of namespace olm lists it in spec\.secrets$/,
    );
    const copies = bench.cluster.list({ apiVersion: 'v1', kind: 'Secret', namespace: 'thief' });
    expect(copies.map(({ metadata }) => metadata.name)).toEqual(['pull-login']);
  });

  it('gets no content that the hub holds by naming its digest', async () => {
    const wanted = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'private' }, data: { key: 'PRIVATE' } };
    const csv = {
      ...{ apiVersion: PLAN.apiVersion, kind: 'ClusterServiceVersion', metadata: { name: 'private.v1' } },
      spec: { install: { strategy: 'deployment' } },
    };
    const bytes = new TextEncoder().encode(JSON.stringify([csv, wanted]));
    const digest = await bench.content.put(bytes);
    bench.namespace('reader');
    bench.subscribe('reader', 'lighthouse-operator', 'Manual');
    const manifest = JSON.stringify({ kind: 'BundleContent', name: digest, ...fromSamples });
    await attack.write('reader', [stepOf(wanted, { manifest })]);
    expect(await attack.ended('reader')).toContain(
      `CatalogSource olm/samples does not offer ${digest} to this namespace, and the hub did not create the plan`,
    );
    const made = { apiVersion: 'v1', kind: 'ConfigMap', name: 'private', namespace: 'reader' };
    expect(bench.cluster.get(made)).toBeUndefined();
  });

  it('gets an image of a repository that its catalogs offer, and of no other', async () => {
    const stepAt = async (repository: string) => {
      const path = `v2/flotilla-samples/${repository}/manifests/v1.0.0`;
      const answer = await fetch(`http://${bench.registry.host}/${path}`, { method: 'HEAD' });
      const digest = answer.headers.get('docker-content-digest');
      const name = `${bench.registry.host}/flotilla-samples/${repository}@${digest}`;
      const manifest = JSON.stringify({ kind: 'BundleImage', name, ...fromSamples, replaces: '', properties: '' });
      const csv = { apiVersion: PLAN.apiVersion, kind: 'ClusterServiceVersion', metadata: { name: LIGHTHOUSE } };
      return stepOf(csv, { manifest }, LIGHTHOUSE);
    };
    bench.namespace('puller');
    bench.subscribe('puller', 'lighthouse-operator', 'Manual');
    await attack.write('puller', [await stepAt('harbor-operator-bundle')]);
    expect(await attack.ended('puller')).toMatch(/does not offer .*harbor-operator-bundle@sha256/);
    await attack.setSteps('puller', 'by-hand', [await stepAt('lighthouse-operator-bundle')]);
    expect(await attack.ended('puller')).toBe('Complete: ');
    expect(bench.describe('puller')).toContain(LIGHTHOUSE);
  });

  it('is executed, as in OLM, but not where an annotation of the namespace refuses it', async () => {
    for (const namespace of ['open', 'closed']) {
      bench.namespace(namespace);
      await attack.write(namespace, [stepOf(binding(namespace))]);
    }
    bench.cluster.edit({ apiVersion: 'v1', kind: 'Namespace', name: 'closed' }, ({ metadata }) =>
      Object.assign(metadata, { annotations: { [REFUSE_FOREIGN_ANNOTATION]: 'true' } }),
    );
    expect(await attack.ended('open')).toBe('Complete: ');
    const because = `annotation ${REFUSE_FOREIGN_ANNOTATION} of namespace closed`;
    expect(await attack.ended('closed')).toBe(`${FOREIGN} (${because})`);
    expect(['open', 'closed'].map((namespace) => attack.isBound(namespace))).toEqual([true, false]);
  });
});

describe('a hub that executes only plans of its own', () => {
  let bench: ApplierBench;
  let attack: Attack;
  beforeAll(async () => {
    bench = await ApplierBench.start({ foreignInstallPlans: 'refuse' });
    attack = new Attack(bench);
  });
  afterAll(() => bench.stop());

  const REFUSED = `${FOREIGN} (setting FLOTILLA_FOREIGN_INSTALL_PLANS of the hub)`;
  const plans = (namespace: string) =>
    bench.cluster.list({ ...PLAN, namespace }).map((plan) => InstallPlan.parse(plan));

  async function planned(namespace: string): Promise<InstallPlan> {
    await bench.settle(namespace, () => plans(namespace)[0]?.status?.phase === 'RequiresApproval');
    return InstallPlan.parse(plans(namespace)[0]);
  }
  async function subscribed(namespace: string): Promise<InstallPlan> {
    bench.namespace(namespace);
    bench.subscribe(namespace, 'lighthouse-operator', 'Manual');
    return planned(namespace);
  }
  const approve = ({ metadata: { name = '', namespace } }: InstallPlan) =>
    bench.cluster.edit({ ...PLAN, name, namespace }, (live) =>
      Object.assign(live['spec'] as object, { approved: true }),
    );

  it('installs from its own, also after another process took over', async () => {
    const plan = await subscribed('own');
    bench.restart();
    approve(plan);
    await bench.installed('own', LIGHTHOUSE);
  });

  it('refuses one by hand, with the mark of another plan, too', async () => {
    const own = await subscribed('copied');
    const mark = own.metadata.annotations?.[PLAN_MARK_ANNOTATION] ?? '';
    expect(mark).not.toBe('');
    await attack.write('copied', [stepOf(binding('copied'))], { [PLAN_MARK_ANNOTATION]: mark });
    expect(await attack.ended('copied')).toBe(REFUSED);
    expect(attack.isBound('copied')).toBe(false);
  });

  it('refuses its own once a step was added; the advice has it made anew, and that one is installed', async () => {
    const plan = await subscribed('changed');
    const { name = '' } = plan.metadata;
    const steps = (plan.status?.plan ?? []).flatMap((step) => (step === null ? [] : [step]));
    await attack.setSteps('changed', name, [...steps, stepOf(binding('changed'))]);
    approve(plan);
    expect(await attack.ended('changed', name)).toBe(REFUSED);
    expect(bench.csvs('changed')).toEqual([]);
    const advised = diagnoseInstallPlan(attack.plan('changed', name), []).todo;
    expect(advised).toEqual([ADVICE.replanForeign('changed', name)]);

    // The annotation that the advised command sets.
    bench.cluster.edit({ ...PLAN, name, namespace: 'changed' }, ({ metadata }) =>
      Object.assign(metadata, { annotations: { ...metadata.annotations, 'flotilla.dev/retry': 'replan' } }),
    );
    approve(await planned('changed'));
    await bench.installed('changed', LIGHTHOUSE);
    expect(attack.isBound('changed')).toBe(false);
  });
});
