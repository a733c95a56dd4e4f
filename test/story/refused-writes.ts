import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { InstallPlan } from '#core/kernel/api/install-plan';
import type { KubernetesObject } from '#core/kernel/api/kubernetes-object';
import { forbidden, Refusal } from '#testing/cluster/objects/refusal';
import type { RequestMatch } from '#testing/cluster/simulated-cluster';
import { PATIENCE_MS, pause } from '#testing/patience';
import { ApplierBench } from '../integration/applier-support/applier-bench.js';
import { madeCrd, offer } from '../integration/applier-support/made-operator.js';
import type { Reads } from './reads.js';

const PLAN = { apiVersion: 'operators.coreos.com/v1alpha1', kind: 'InstallPlan' } as const;

/** Objects of the made-up operator of each test, besides its CSV and rights. */
const objectsOf = (name: string, version: string): KubernetesObject[] => [
  madeCrd({ kind: kindOf(name), group: `${name}.example.com`, description: version }, [{ name: 'v1', storage: true }]),
  { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'settings' }, data: { version } },
  { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'seal' }, stringData: { version } },
  {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: 'metrics' },
    spec: { ports: [{ port: 80 }], selector: { version } },
  },
  {
    apiVersion: 'policy/v1',
    kind: 'PodDisruptionBudget',
    metadata: { name: 'budget' },
    spec: { minAvailable: version === '1.0.0' ? 1 : 2, selector: { matchLabels: { name } } },
  },
];
/** In the order of a plan's steps, with how OLM begins its error about each. */
const CREATED: readonly (readonly [resource: string, says: string])[] = [
  ['clusterserviceversions', 'error creating csv \\S+: '],
  ['customresourcedefinitions', 'customresourcedefinitions '],
  ['configmaps', 'error updating configmap: settings: '],
  ['secrets', 'error updating secret: seal: '],
  ['services', 'error updating service: metrics: '],
  ['poddisruptionbudgets', 'error creating unstructured object budget: '],
  ['serviceaccounts', 'error creating service account: \\S+: '],
  ['roles', 'error creating role \\S+: '],
  ['rolebindings', 'error creating rolebinding \\S+: '],
];
const CHANGED: typeof CREATED = [
  ['customresourcedefinitions', 'error updating CRD "\\S+": '],
  ['configmaps', 'error updating configmap: settings: '],
  ['secrets', 'error updating secret: seal: '],
  ['services', 'error updating service: metrics: '],
  ['poddisruptionbudgets', 'error updating unstructured object budget: '],
];
const webhook = 'admission webhook "guard.example.com" denied the request: not on my watch';
const MORE_DENIALS = [
  { because: 'denies as invalid', refusal: new Refusal(422, 'Invalid', webhook), says: webhook },
  {
    because: 'is slower than the API server waits',
    refusal: new Refusal(504, 'Timeout', 'request did not complete within requested timeout'),
    says: 'did not complete',
  },
];
const noRight = (resource: string) => forbidden({ group: '', resource }, 'it', 'no right to write it');
const kindOf = (name: string): string => `Thing${name.replaceAll('-', '')}`;

/** `all`: further refusals of each kind, too. */
export const describeRefusedWrites = ({ how, cached }: Reads, { all }: Readonly<{ all: boolean }>) =>
  describe(`an API server that refuses (${how})`, () => {
    let bench: ApplierBench;
    beforeAll(async () => {
      bench = await ApplierBench.start({ cached });
    });
    afterAll(() => bench.stop());

    /** Ends with the test, whatever becomes of it. */
    const refuse = (match: RequestMatch, refusal: Refusal): (() => void) => {
      const end = bench.cluster.failAll(match, refusal);
      onTestFinished(end);
      return end;
    };
    const plan = (namespace: string) =>
      bench.cluster
        .list({ ...PLAN, namespace })
        .map((found) => InstallPlan.parse(found))
        .toSorted((a, b) => (a.spec.generation ?? 0) - (b.spec.generation ?? 0))
        .at(-1);
    const conditions = (namespace: string) =>
      bench.cluster
        .list({ apiVersion: 'operators.coreos.com/v2', kind: 'OperatorCondition', namespace })
        .map(({ metadata }) => metadata.name);
    const message = (namespace: string) => plan(namespace)?.status?.message;
    const subscribeTo = async (name: string) => {
      bench.namespace(name);
      await offer(bench, name, [{ version: '1.0.0', objects: objectsOf(name, '1.0.0') }]);
      bench.subscribe(name, name);
    };
    const upgrade = (name: string) =>
      offer(bench, name, [
        { version: '1.0.0', objects: objectsOf(name, '1.0.0') },
        { version: '2.0.0', replaces: '1.0.0', objects: objectsOf(name, '2.0.0') },
      ]);

    describe('for want of rights', () => {
      it('to create anything: the plan waits at each step in turn, however long, says so, and goes on once it may', async () => {
        await subscribeTo('may-not-create');
        const rights = new Map(
          CREATED.map(([resource]) => [resource, refuse({ verb: 'create', resource }, noRight(resource))]),
        );
        for (const [resource, says] of CREATED) {
          await waitsAtStep('may-not-create', new RegExp(`^retrying execution due to error: ${says}.*no right`));
          rights.get(resource)?.();
        }
        await bench.installed('may-not-create', 'may-not-create.v1.0.0');
        expect(plan('may-not-create')?.status).toMatchObject({ phase: 'Complete' });
        expect(message('may-not-create')).toBeUndefined();
      });

      if (all) {
        it('to change anything: so does the upgrade, and meanwhile the old version stays', async () => {
          await subscribeTo('may-not-change');
          await bench.installed('may-not-change', 'may-not-change.v1.0.0');
          await upgrade('may-not-change');
          const verbs = ['update', 'patch'];
          const rights = new Map(
            CHANGED.map(([resource]) => [resource, verbs.map((verb) => refuse({ verb, resource }, noRight(resource)))]),
          );
          for (const [resource, says] of CHANGED) {
            await waitsAtStep('may-not-change', new RegExp(`^retrying execution due to error: ${says}.*no right`));
            expect(bench.describe('may-not-change')).toContain('may-not-change.v1.0.0 ');
            for (const grant of rights.get(resource) ?? []) grant();
          }
          await bench.installed('may-not-change', 'may-not-change.v2.0.0');
          expect(plan('may-not-change')?.status).toMatchObject({ phase: 'Complete' });
        });
      }

      it('to do something else for an operator: the operator runs without it, and it is done once it may be', async () => {
        await subscribeTo('may-not-accompany');
        const grant = refuse({ verb: 'create', resource: 'operatorconditions' }, noRight('operatorconditions'));
        await bench
          .settle(
            'may-not-accompany',
            () => bench.describe('may-not-accompany') === 'may-not-accompany.v1.0.0 Succeeded',
          )
          .catch(() => undefined);
        expect(bench.describe('may-not-accompany')).toBe('may-not-accompany.v1.0.0 Succeeded');
        expect(conditions('may-not-accompany')).toEqual([]);
        await expect(bench.pass('may-not-accompany'), 'the queue hears of it').rejects.toThrow('no right to write it');
        grant();
        await bench.installed('may-not-accompany', 'may-not-accompany.v1.0.0');
        expect(conditions('may-not-accompany')).toEqual(['may-not-accompany.v1.0.0']);
      });

      /** However long it takes. */
      const waitsAtStep = async (name: string, says: RegExp) => {
        await bench.settle(name, () => says.test(message(name) ?? ''));
        bench.later(120_000);
        await bench.pass(name);
        expect(plan(name)?.status).toMatchObject({ phase: 'Installing', message: expect.stringMatching(says) });
      };
    });

    describe('because a webhook', () => {
      const slow =
        'Internal error occurred: failed calling webhook "guard.example.com": failed to call webhook: Post "https://guard.guards.svc:443/validate?timeout=10s": context deadline exceeded';

      it.each([
        { because: 'denies with a code of its own', refusal: new Refusal(400, '', webhook), says: webhook },
        { because: 'takes too long', refusal: new Refusal(500, 'InternalError', slow), says: slow },
        ...(all ? MORE_DENIALS : []),
      ])('$because: the plan tries for its time, then fails with the words of the server', async (row) => {
        const name = `denied-${row.refusal.body.code}`;
        await subscribeTo(name);
        const end = refuse({ verb: 'create', resource: 'configmaps', namespace: name }, row.refusal);
        await bench.settle(name, () => message(name) !== undefined);
        expect(plan(name)?.status).toMatchObject({ phase: 'Installing' });
        expect(message(name)).toContain(`retrying execution due to error: error updating configmap: settings: `);
        expect(message(name)).toContain(row.says);
        bench.later(20_000);
        await bench.settle(name, () => plan(name)?.status?.phase === 'Failed');
        expect(message(name)).toContain(row.says);
        end();
      });

      it('denies for a moment only: the plan goes on', async () => {
        await subscribeTo('denied-once');
        bench.cluster.failNext({ verb: 'create', resource: 'services', namespace: 'denied-once' }, 400, '', webhook);
        await bench.installed('denied-once', 'denied-once.v1.0.0');
      });

      it('forbids: the plan waits, as for rights', async () => {
        await subscribeTo('denied-403');
        const match = { verb: 'create', resource: 'configmaps', namespace: 'denied-403' };
        const end = refuse(match, new Refusal(403, 'Forbidden', webhook));
        await bench.settle('denied-403', () => message('denied-403') !== undefined);
        bench.later(120_000);
        await bench.pass('denied-403');
        expect(plan('denied-403')?.status).toMatchObject({
          phase: 'Installing',
          message: expect.stringContaining(webhook),
        });
        end();
        await bench.installed('denied-403', 'denied-403.v1.0.0');
      });

      it.each([
        { status: 400, reason: '', phase: 'Failed', because: 'a verdict on the operator, tried again after a pause' },
        { status: 500, reason: 'InternalError', phase: 'InstallReady', because: 'no verdict, tried again' },
      ])('refuses a Deployment with $status: $because', async ({ status, reason, phase }) => {
        const name = `deployment-${status}`;
        const csv = 'lighthouse-operator.v1.0.0';
        bench.namespace(name);
        bench.subscribe(name, 'lighthouse-operator');
        const match = { verb: 'create', resource: 'deployments', namespace: name };
        const end = refuse(match, new Refusal(status, reason, webhook));
        await bench.settle(name, () => bench.describe(name) === `${csv} ${phase}`);
        const found = bench.csvs(name)[0]?.status;
        if (phase === 'Failed')
          expect(found).toMatchObject({ reason: 'InstallComponentFailed', message: expect.stringContaining(webhook) });
        end();
        bench.later(10_000);
        await bench.installed(name, csv);
      });
    });

    it('with a storm of conflicts at every status: all is written in the end, once', async () => {
      await subscribeTo('stormy');
      const resources = [
        'installplans',
        'clusterserviceversions',
        'subscriptions',
        'operatorgroups',
        'operatorconditions',
      ];
      for (const resource of resources) {
        for (let times = 0; times < 12; times += 1) {
          bench.cluster.failNext(
            { verb: 'update', resource, subresource: 'status', namespace: 'stormy' },
            409,
            'Conflict',
          );
        }
      }
      await bench.installed('stormy', 'stormy.v1.0.0');
      expect(bench.cluster.list({ ...PLAN, namespace: 'stormy' })).toHaveLength(1);
      expect(bench.csvs('stormy')[0]?.status?.conditions?.map(({ phase }) => phase)).not.toContain('Failed');
    });

    it('a step because another client wrote first, when the time of the plan is over: no verdict, tried again', async () => {
      await subscribeTo('raced');
      await bench.installed('raced', 'raced.v1.0.0');
      await upgrade('raced');
      const grant = refuse({ verb: 'update', resource: 'configmaps' }, noRight('configmaps'));
      await bench.settle('raced', () => message('raced') !== undefined);
      bench.later(120_000);
      grant();
      for (let times = 0; times < 3; times += 1) {
        bench.cluster.failNext({ verb: 'update', resource: 'configmaps', namespace: 'raced' }, 409, 'Conflict');
      }
      await bench.installed('raced', 'raced.v2.0.0');
      expect(plan('raced')?.status?.phase).toBe('Complete');
    });

    it('no more: it is gone for a moment when the time of the plan is over, which is no verdict either', async () => {
      await subscribeTo('lost');
      const grant = refuse({ verb: 'create', resource: 'services' }, noRight('services'));
      await bench.settle('lost', () => message('lost') !== undefined);
      bench.later(120_000);
      grant();
      bench.cluster.lossOf = ({ verb, resource }) => {
        if (verb !== 'create' || resource !== 'services') return undefined;
        bench.cluster.lossOf = () => undefined;
        bench.cluster.dropConnections();
        return 'request';
      };
      await expect(bench.pass('lost')).rejects.toMatchObject({ status: 0 });
      await bench.installed('lost', 'lost.v1.0.0');
    });

    it.each([
      { name: 'busy', details: { retryAfterSeconds: 1 }, because: 'and says when to come again' },
      ...(all ? [{ name: 'busier', details: {}, because: 'and does not say for how long' }] : []),
    ])('because it has too much to do, $because: nothing fails, nothing is done twice', async ({ name, details }) => {
      await subscribeTo(name);
      const tooMany = new Refusal(429, 'TooManyRequests', 'Too many requests, please try again later.', details);
      const ends = [
        { verb: 'create', namespace: name },
        { verb: 'update', namespace: name },
        { verb: 'patch', namespace: name },
      ].map((match) => refuse(match, tooMany));
      void pause(1_500).then(() => ends.forEach((end) => void end()));
      const failures: unknown[] = [];
      for (const deadline = performance.now() + PATIENCE_MS; performance.now() < deadline; ) {
        await bench.observe(name);
        await bench.pass(name).catch((error: unknown) => failures.push(error));
        if (bench.describe(name) === `${name}.v1.0.0 Succeeded`) break;
        await pause(100);
      }
      expect(bench.describe(name)).toBe(`${name}.v1.0.0 Succeeded`);
      expect(failures.map(String).filter((text) => !text.includes('Too many requests'))).toEqual([]);
      expect(bench.cluster.list({ ...PLAN, namespace: name })).toHaveLength(1);
      const complaints = bench.subscriptions(name).flatMap(({ status }) => status?.conditions ?? []);
      const reported = complaints.filter(({ status, type }) => status === 'True' && type !== 'CatalogSourcesUnhealthy');
      expect(reported).toEqual([]);
    });

    it('to make a plan because it has too much to do: that is no fault of the bundle', async () => {
      await subscribeTo('crowded');
      const end = refuse({ verb: 'create', resource: 'installplans' }, new Refusal(429, 'TooManyRequests', 'too many'));
      await bench.observe('crowded');
      await expect(bench.pass('crowded')).rejects.toThrow('too many');
      end();
      await bench.installed('crowded', 'crowded.v1.0.0');
    });
  });
