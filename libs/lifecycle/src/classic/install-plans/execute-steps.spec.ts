import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Refusal } from '#testing/cluster/objects/refusal';
import { ClassicCluster, objectOf, refTo, settled } from '../classic-cluster.fixture.js';
import { lampCsv } from '../csvs/csvs.fixture.js';
import { crdWith, PLAN, PlanBench, phaseOf, planOf, step, stepsOf } from './install-plans.fixture.js';

let at: ClassicCluster;
let bench: PlanBench;
beforeEach(async () => {
  at = await ClassicCluster.start();
  bench = new PlanBench();
});
afterEach(() => at.stop());

const pass = () => at.pass('shop', [bench.stage({ retryTimeoutMs: 0 })]);
const settings = objectOf('ConfigMap', 'settings', 'shop', { data: { glow: 'warm' } });
const CRD = refTo('CustomResourceDefinition', 'lamps.example.com');
const SERVED = { name: 'v1alpha1' };
const STORED = { name: 'v1', storage: true };
const group = (annotations: Record<string, string>) =>
  at.cluster.edit(refTo('OperatorGroup', 'shop-group', 'shop'), ({ metadata }) =>
    Object.assign(metadata, { annotations }),
  );

describe('install-plans.md §5: client identity', () => {
  const CLERK = 'system:serviceaccount:shop:clerk';
  const RBAC = 'rbac.authorization.k8s.io';
  const grant = (rules: readonly unknown[]) => {
    at.put(objectOf('ClusterRole', 'clerk', undefined, { rules }));
    const subjects = [{ kind: 'ServiceAccount', name: 'clerk', namespace: 'shop' }];
    const roleRef = { apiGroup: RBAC, kind: 'ClusterRole', name: 'clerk' };
    at.put(objectOf('ClusterRoleBinding', 'clerk', undefined, { roleRef, subjects }));
  };

  beforeEach(() => {
    at.namespace('shop', { targetNamespaces: ['shop'], serviceAccountName: 'clerk' });
    const account = { kind: 'ServiceAccount', name: 'clerk', namespace: 'shop' };
    at.cluster.edit(
      refTo('OperatorGroup', 'shop-group', 'shop'),
      ({ status }) => Object.assign(status as object, { serviceAccountRef: account }),
      'status',
    );
    at.put(objectOf('ServiceAccount', 'clerk', 'shop'));
  });

  it('every step but CRDs is written in the name of the group’s service account', async () => {
    grant([{ apiGroups: ['*'], resources: ['*'], verbs: ['*'] }]);
    at.put(planOf({ steps: [step(lampCsv('shop')), step(crdWith([STORED])), step(settings)] }));
    await pass();
    await settled();
    await pass();
    expect(phaseOf(at)).toBe('Complete');
    const creates = at.asked().filter(({ verb }) => verb === 'create');
    const user = (resource: string) => creates.find((one) => one.resource === resource)?.impersonatedUser;
    expect([user('clusterserviceversions'), user('configmaps')]).toEqual([CLERK, CLERK]);
    expect(creates.map(({ resource }) => resource)).toContain('customresourcedefinitions');
    expect(user('customresourcedefinitions')).toBeUndefined();
    expect(user('events')).toBeUndefined();
  });

  it('a right that it lacks is named, and the plan goes on once it is granted', async () => {
    grant([{ apiGroups: ['operators.coreos.com'], resources: ['*'], verbs: ['*'] }]);
    at.put(planOf({ steps: [step(lampCsv('shop')), step(settings)] }));
    await pass();
    expect(phaseOf(at)).toContain(`User "${CLERK}" cannot create resource "configmaps"`);
    expect(stepsOf(at)).toEqual(['ClusterServiceVersion lamp.v1: Created', 'ConfigMap settings: Unknown']);
    at.cluster.edit(refTo('ClusterRole', 'clerk'), (live) =>
      Object.assign(live, { rules: [{ apiGroups: ['*'], resources: ['*'], verbs: ['*'] }] }),
    );
    await pass();
    expect(phaseOf(at)).toBe('Complete');
  });

  it.each([
    { may: false, becomes: /^Installing: retrying .*cannot update resource "customresourcedefinitions"/, kind: 'Lamp' },
    { may: true, becomes: /^Complete$/, kind: 'Lamp' },
  ])('a CRD of others is replaced only if the account may: $may', async ({ may, becomes }) => {
    const verbs = may ? ['*'] : ['get'];
    grant([
      { apiGroups: ['operators.coreos.com'], resources: ['*'], verbs: ['*'] },
      { apiGroups: ['apiextensions.k8s.io'], resources: ['customresourcedefinitions'], verbs },
    ]);
    at.put(crdWith([STORED]));
    await settled();
    at.put(planOf({ steps: [step(lampCsv('shop')), step(crdWith([STORED, SERVED]))] }));
    await pass();
    expect(phaseOf(at)).toMatch(becomes);
    const versions = (at.get(CRD)?.['spec'] as { versions: object[] } | undefined)?.versions;
    expect(versions).toHaveLength(may ? 2 : 1);
  });
});

describe('install-plans.md §7: CRDs that are there', () => {
  const lamp = (name: string, spec: object, version = 'v1') =>
    at.cluster.create({
      apiVersion: `example.com/${version}`,
      kind: 'Lamp',
      metadata: { name, namespace: 'shop' },
      spec,
    });

  beforeEach(async () => {
    at.namespace('shop');
    at.put(lampCsv('shop'));
  });

  it('is replaced, and marked with the CSV that brought it', async () => {
    at.put(crdWith([STORED]));
    await settled();
    at.put(planOf({ steps: [step(crdWith([STORED, SERVED]))] }));
    await pass();
    expect([phaseOf(at), stepsOf(at)]).toEqual(['Complete', ['CustomResourceDefinition lamps.example.com: Present']]);
    const annotations = at.get(CRD)?.metadata.annotations ?? {};
    expect(Object.entries(annotations)).toEqual([
      [expect.stringMatching(/^operatorframework.io\/installed-alongside-/), 'shop/lamp.v1'],
    ]);
  });

  it('existing objects that the new schema refuses fail the plan', async () => {
    at.put(crdWith([STORED]));
    await settled();
    lamp('old', { watts: 'many' });
    const strict = { ...STORED, properties: { watts: { type: 'integer' } } };
    at.put(planOf({ steps: [step(crdWith([strict]))] }));
    await pass();
    expect(phaseOf(at)).toMatch(
      /^Failed: error validating existing CRs against new CRD's schema for "lamps.example.com": .*updated validation is too restrictive/,
    );
    expect(JSON.stringify(at.get(CRD)?.['spec'])).not.toContain('integer');
  });

  it('a conversion webhook that fails for existing objects is named with its CRD and Service', async () => {
    at.put(crdWith([STORED]));
    await settled();
    at.put(planOf({ steps: [step(crdWith([{ ...STORED, properties: { watts: { type: 'integer' } } }]))] }));
    const said =
      'conversion webhook for example.com/v0, Kind=Lamp failed: Post "https://lamp.shop.svc:443/convert": EOF';
    at.cluster.failAll({ verb: 'list', resource: 'lamps' }, new Refusal(500, 'InternalError', said));
    await pass();
    expect(phaseOf(at)).toMatch(
      /: EOF; the conversion webhook is of CustomResourceDefinition lamps\.example\.com \(service shop\/lamp\)/,
    );
  });

  it('the list of existing objects that may not be read is no verdict for the plan', async () => {
    at.put(crdWith([STORED]));
    await settled();
    at.put(planOf({ steps: [step(crdWith([{ ...STORED, properties: { watts: { type: 'integer' } } }]))] }));
    const grant = at.cluster.failAll({ verb: 'list', resource: 'lamps' }, new Refusal(403, 'Forbidden', 'not yours'));
    await pass();
    expect(phaseOf(at)).toMatch(/^Installing: retrying execution due to error: .*not yours/);
    grant();
    await pass();
    expect(phaseOf(at)).toBe('Complete');
  });

  describe('a stored version that the new CRD drops', () => {
    const DROPPED =
      'risk of data loss updating "lamps.example.com": new CRD removes version v1alpha1 that is listed as a stored version on the existing CRD';
    beforeEach(async () => {
      at.put(crdWith([{ name: 'v1alpha1', storage: true }]));
      await settled();
      lamp('old', {}, 'v1alpha1');
      at.cluster.edit(CRD, (live) =>
        Object.assign(live['spec'] as object, { versions: versionsOf([{ name: 'v1alpha1', served: false }, STORED]) }),
      );
      await settled();
      at.put(planOf({ steps: [step(crdWith([STORED]))] }));
      // A CRD that changed just now is not migrated yet; the times of the simulated cluster are real ones.
      await at.clock.advance(Date.now() + 60_000 - at.clock.now().getTime());
    });
    const stored = () => at.status(CRD)['storedVersions'];

    it('fails the plan, with one Event that says how it can go', async () => {
      await pass();
      expect(phaseOf(at)).toBe(`Failed: ${DROPPED}`);
      expect(stored()).toEqual(['v1', 'v1alpha1']);
      expect(at.events('shop')).toEqual([
        expect.stringMatching(/^Warning CRDRefused InstallPlan\/install-1: .*migrate-stored-versions/),
      ]);
    });

    it('the Event is emitted once, however often the step is tried', async () => {
      const patient = () => at.pass('shop', [bench.stage({ retryTimeoutMs: 60_000 })]);
      for (let count = 0; count < 3; count += 1) await patient();
      const [event] = at.cluster.list({ ...refTo('Event', ''), namespace: 'shop' });
      expect(event).toMatchObject({ reason: 'CRDRefused', count: 1 });
    });

    it('with flotilla.dev/migrate-stored-versions: objects are rewritten, the version goes, the plan completes', async () => {
      group({ 'flotilla.dev/migrate-stored-versions': 'true' });
      const before = at.get({ apiVersion: 'example.com/v1', kind: 'Lamp', name: 'old', namespace: 'shop' });
      for (let count = 0; count < 4; count += 1) {
        await pass();
        await settled();
        await at.clock.advance(20_000);
      }
      expect([phaseOf(at), stored()]).toEqual(['Complete', ['v1']]);
      expect(at.writes()).toContain('update lamps shop/old');
      expect(at.get({ apiVersion: 'example.com/v1', kind: 'Lamp', name: 'old', namespace: 'shop' })?.['spec']).toEqual(
        before?.['spec'],
      );
      expect(at.events('shop')).toContainEqual(
        expect.stringMatching(
          /^Normal StoredVersionsMigrated InstallPlan\/install-1: 1 object of kind Lamp is now stored in v1/,
        ),
      );
    });

    it('an object that may not be rewritten: the version stays, and the plan says why', async () => {
      group({ 'flotilla.dev/migrate-stored-versions': 'true' });
      at.cluster.failAll({ verb: 'update', resource: 'lamps' }, new Refusal(403, 'Forbidden', 'not this one'));
      for (let count = 0; count < 3; count += 1) {
        await pass();
        await at.clock.advance(20_000);
      }
      expect(phaseOf(at)).toMatch(/error rewriting every Lamp in v1 so that v1alpha1 can go: .*not this one/);
      expect(stored()).toEqual(['v1', 'v1alpha1']);
    });
  });
});

describe('install-plans.md §5 and §6: a write that is refused', () => {
  beforeEach(() => {
    at.namespace('shop');
    at.put(lampCsv('shop'));
  });

  it('the steps after it are not tried, and those before it are not done again', async () => {
    const later = objectOf('ConfigMap', 'later', 'shop');
    at.put(
      planOf({
        steps: [step(settings), step(objectOf('Service', 'lamp', 'shop', { spec: { ports: [] } })), step(later)],
      }),
    );
    at.cluster.failAll({ verb: 'create', resource: 'services' }, new Refusal(403, 'Forbidden', 'no'));
    await pass();
    expect(stepsOf(at)).toEqual(['ConfigMap settings: Created', 'Service lamp: Unknown', 'ConfigMap later: Unknown']);
    at.writes();
    await pass();
    expect(at.writes().filter((write) => write.includes('configmaps'))).toEqual([]);
  });

  it('a conflict (409) is decided anew at once, up to five times', async () => {
    at.put(objectOf('ConfigMap', 'settings', 'shop', { data: { glow: 'cold' } }));
    at.put(planOf({ steps: [step(settings)] }));
    for (let count = 0; count < 4; count += 1)
      at.cluster.failNext({ resource: 'configmaps', name: 'settings', verb: 'patch' }, 409, 'Conflict');
    for (let count = 0; count < 4; count += 1)
      at.cluster.failNext({ resource: 'configmaps', name: 'settings', verb: 'update' }, 409, 'Conflict');
    await pass();
    expect([phaseOf(at), at.get(refTo('ConfigMap', 'settings', 'shop'))?.['data']]).toEqual([
      'Complete',
      { glow: 'warm' },
    ]);
  });

  it('a kind that the cluster does not serve is named as such', async () => {
    const monitor = {
      apiVersion: 'monitoring.coreos.com/v1',
      kind: 'ServiceMonitor',
      metadata: { name: 'lamp', namespace: 'shop' },
    };
    at.put(planOf({ steps: [step(monitor)] }));
    await pass();
    expect(phaseOf(at)).toMatch(
      /^Failed: api-server resource not found installing ServiceMonitor lamp: GroupVersionKind monitoring.coreos.com\/v1, Kind=ServiceMonitor not found on the cluster/,
    );
  });

  it.each([
    { because: 'a new definition', kind: 'CustomResourceDefinition', apiVersion: 'apiextensions.k8s.io/v1beta1' },
    {
      because: 'a definition that is there in v1',
      kind: 'CustomResourceDefinition',
      apiVersion: 'apiextensions.k8s.io/v1beta1',
    },
    { because: 'a budget', kind: 'PodDisruptionBudget', apiVersion: 'policy/v1beta1' },
    { because: 'a class', kind: 'PriorityClass', apiVersion: 'scheduling.k8s.io/v1beta1' },
  ])(
    '$because of an API version that no newer cluster serves fails the plan before anything is applied',
    async ({ because, kind, apiVersion }) => {
      if (because.includes('there in v1')) at.put(crdWith([STORED]));
      const { metadata, ...rest } = crdWith([STORED]);
      const old =
        kind === 'CustomResourceDefinition'
          ? { ...rest, metadata, apiVersion }
          : { apiVersion, kind, metadata, spec: {} };
      at.put(planOf({ steps: [step(lampCsv('shop', 'lamp.v2')), step(old), step(settings)] }));
      await pass();
      expect(phaseOf(at)).toBe(
        `Failed: api-server resource not found installing ${kind} lamps.example.com of bundle lamp.v1: this cluster does not serve ${apiVersion}, and no newer one does. Nothing was applied`,
      );
      expect(stepsOf(at)).toEqual([
        'ClusterServiceVersion lamp.v2: Unknown',
        `${kind} lamps.example.com: UnsupportedResource`,
        'ConfigMap settings: Unknown',
      ]);
      expect(at.csv('shop', 'lamp.v2')).toBeUndefined();
    },
  );

  it('a definition of an old API version is tried where the cluster says that it serves it', async () => {
    const old = { ...crdWith([STORED]), apiVersion: 'apiextensions.k8s.io/v1beta1' };
    at.client.serves = async () => true;
    at.put(planOf({ steps: [step(old)] }));
    await pass();
    expect(phaseOf(at)).not.toContain('no newer one does');
  });

  it('an object whose CSV is missing cannot be owned, and fails', async () => {
    at.cluster.delete(refTo('ClusterServiceVersion', 'lamp.v1', 'shop'));
    at.put(planOf({ steps: [step(settings)] }));
    await pass();
    expect(phaseOf(at)).toMatch(
      /^Failed: error generating ownerrefs for configmap: settings: clusterserviceversions.operators.coreos.com "lamp.v1" not found/,
    );
    expect(at.names('ConfigMap', 'shop')).not.toContain('shop/settings');
  });

  it('a plan that is deleted while its steps are carried out ends the pass without an error', async () => {
    at.put(planOf({ steps: [step(settings)] }));
    at.cluster.lossOf = ({ resource, verb, subresource }) => {
      if (resource === 'installplans' && verb === 'update' && subresource === 'status') at.cluster.delete(PLAN);
      at.cluster.lossOf = () => undefined;
      return undefined;
    };
    await pass();
    at.cluster.delete(PLAN);
    expect(await pass()).toMatchObject({ result: 'done' });
    expect(at.names('InstallPlan')).toEqual([]);
  });
});

const versionsOf = (versions: Parameters<typeof crdWith>[0]) =>
  (crdWith(versions)['spec'] as { versions: unknown }).versions;
