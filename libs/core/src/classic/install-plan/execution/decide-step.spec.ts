import { describe, expect, it } from 'vitest';
import { CATALOG_SOURCE_API } from '../../../kernel/api/catalog-source.js';
import type { InstallPlanStep } from '../../../kernel/api/install-plan.js';
import type { KubernetesObject } from '../../../kernel/api/kubernetes-object.js';
import { emptyWorld, withAnswer } from '../steps/step-world.js';
import { clusterWide, context, csv, decide, live, object, RBAC, step } from './decide-step.fixture.js';
import { decideStep } from './decide-step.js';
import { readsForStep } from './reads-for-step.js';

describe('install-plans.md §5, a step whose object is not there', () => {
  it.each<[why: string, made: KubernetesObject, expected: object]>([
    [
      'a CSV goes into the plan’s namespace, whatever the manifest says',
      csv('tug.v1', {}, 'elsewhere'),
      { metadata: { namespace: 'harbour', labels: { 'olm.managed': 'true' } } },
    ],
    [
      'a Subscription remembers the plan',
      object('Subscription', { spec: {}, status: { lastUpdated: null } }, 'operators.coreos.com/v1alpha1'),
      { metadata: { annotations: { 'olm.generated-by': 'install-1' } } },
    ],
    [
      'a Service is owned by the CSV',
      object('Service'),
      { metadata: { ownerReferences: [{ name: 'tug.v1', uid: 'uid-tug.v1', blockOwnerDeletion: false }] } },
    ],
    [
      'a Secret of the bundle is owned by the CSV',
      object('Secret'),
      { kind: 'Secret', metadata: { ownerReferences: [{ name: 'tug.v1' }] } },
    ],
    [
      'a monitor is owned by the CSV',
      object('ServiceMonitor', {}, 'monitoring.coreos.com/v1'),
      { metadata: { ownerReferences: [{ name: 'tug.v1' }] } },
    ],
    [
      'a ClusterRole has a label in place of an owner',
      object('ClusterRole', {}, RBAC),
      { metadata: { labels: { 'olm.owner': 'tug.v1', 'olm.managed': 'true' } } },
    ],
    [
      'other cluster-scoped kinds have all owner labels',
      object('PriorityClass', {}, 'scheduling.k8s.io/v1'),
      { metadata: { labels: { 'olm.owner.kind': 'ClusterServiceVersion', 'olm.owner.namespace': 'harbour' } } },
    ],
  ])('%s', (_why, made, expected) => {
    const decision = decide(step(made), made.kind === 'ClusterServiceVersion' ? [] : [csv('tug.v1')]);
    expect(decision).toMatchObject({ actions: [{ do: 'create', object: expected }], status: 'Created' });
  });

  it.each(['', 'rbac.authorization.k8s.io/v1beta1'])(
    'is written by the API of its kind, where the bundle says "%s"',
    (apiVersion) => {
      const decision = decide(step(object('ClusterRole', { rules: [] }, apiVersion)), [csv('tug.v1')]);
      expect(decision).toMatchObject({ actions: [{ object: { apiVersion: RBAC, kind: 'ClusterRole' } }] });
    },
  );

  it('never gives a namespace to what has none, nor a status to a Subscription', () => {
    const role = decide(step(object('ClusterRole', {}, RBAC)), []);
    expect(role).not.toHaveProperty('actions.0.object.metadata.namespace');
    const subscription = object('Subscription', { status: { lastUpdated: null } }, 'operators.coreos.com/v1alpha1');
    expect(decide(step(subscription), [])).not.toHaveProperty('actions.0.object.status');
  });

  it('cannot be owned by a CSV that is gone', () => {
    expect(decide(step(object('Service')), [])).toEqual({
      fail: 'error generating ownerrefs for service: it: clusterserviceversions.operators.coreos.com "tug.v1" not found',
    });
  });

  it('copies a pull secret from the operator’s namespace', () => {
    const pull = {
      ...step(object('Secret')),
      resource: { ...step(object('Secret')).resource, kind: 'Secret', manifest: '' },
    };
    const source = live('Secret', { data: { a: 'b' }, type: 'Opaque' }, 'v1', 'olm');
    const shelf = (secrets: readonly string[]) =>
      live('CatalogSource', { spec: { sourceType: 'grpc', secrets } }, CATALOG_SOURCE_API.apiVersion, 'olm');
    const listed = shelf(['other', 'it']);
    expect(decide(pull, [listed, source])).toMatchObject({
      actions: [
        {
          do: 'create',
          object: { kind: 'Secret', metadata: { name: 'it', namespace: 'harbour' }, data: { a: 'b' }, type: 'Opaque' },
        },
      ],
    });
    expect(decide(pull, [listed])).toEqual({ fail: 'secret it does not exist - secrets "it" not found' });
    for (const catalogs of [[], [shelf(['other'])]])
      expect(decide(pull, [...catalogs, source])).toEqual({
        fail: 'secret it is not copied: no CatalogSource of namespace olm lists it in spec.secrets',
      });
    expect(decide(pull, [source, live('Secret')])).toEqual({ actions: [], status: 'Present' });
  });
});

describe('install-plans.md §5, a step whose object is there', () => {
  it.each<[why: string, made: KubernetesObject, there: KubernetesObject]>([
    ['a CSV is left', csv('tug.v1'), csv('tug.v1', { spec: { displayName: 'edited' } })],
    [
      'a Subscription is left',
      object('Subscription', {}, 'operators.coreos.com/v1alpha1'),
      live('Subscription', {}, 'operators.coreos.com/v1alpha1'),
    ],
  ])('%s', (_why, made, there) => {
    expect(decide(step(made), [there, csv('tug.v1')])).toEqual({ actions: [], status: 'Present' });
  });

  it.each<[why: string, made: KubernetesObject, there: KubernetesObject]>([
    ['a ConfigMap', object('ConfigMap', { data: { a: 'new' } }), live('ConfigMap', { data: { a: 'old', b: 'gone' } })],
    ['a Role', object('Role', { rules: [] }, RBAC), live('Role', { rules: [{ verbs: ['*'] }] }, RBAC)],
    [
      'a ClusterRole',
      object('ClusterRole', { rules: [] }, RBAC),
      clusterWide('ClusterRole', { rules: [{ verbs: ['*'] }] }),
    ],
  ])('%s is overwritten, locked to the version that was read', (_why, made, there) => {
    const { data, rules } = made;
    expect(decide(step(made), [there, csv('tug.v1')])).toMatchObject({
      actions: [{ do: 'update', object: { metadata: { resourceVersion: '42' }, ...(data ? { data } : { rules }) } }],
      status: 'Present',
    });
  });

  it('keeps a Service’s address, and the labels of the aggregation on whatever is overwritten', () => {
    const given = { clusterIP: '10.0.0.1', clusterIPs: ['10.0.0.1'] };
    const there = live('Service', {
      spec: given,
      metadata: { labels: { 'operators.coreos.com/tug.harbour': '', stray: 'x' } },
    });
    expect(decide(step(object('Service', { spec: { ports: [] } })), [there, csv('tug.v1')])).toMatchObject({
      actions: [
        {
          object: {
            spec: { ports: [], ...given },
            metadata: { labels: { 'operators.coreos.com/tug.harbour': '', 'olm.managed': 'true' } },
          },
        },
      ],
    });
  });

  it('merges a ServiceAccount and writes nothing when nothing is new', () => {
    const owner = (name: string, uid: string) => ({
      apiVersion: 'operators.coreos.com/v1alpha1',
      kind: 'ClusterServiceVersion',
      name,
      uid,
      controller: false,
      blockOwnerDeletion: false,
    });
    const made = object('ServiceAccount', { metadata: { name: 'it', ownerReferences: [owner('tug.v1', '')] } });
    const there = live('ServiceAccount', {
      secrets: [{ name: 'token' }],
      metadata: { annotations: { kept: 'yes' }, ownerReferences: [owner('tug.v0', 'uid-tug.v0')] },
    });
    const decision = decide(step(made), [there, csv('tug.v1')]);
    expect(decision).toMatchObject({
      actions: [
        {
          do: 'update',
          object: {
            secrets: [{ name: 'token' }],
            metadata: {
              annotations: { kept: 'yes' },
              ownerReferences: [owner('tug.v0', 'uid-tug.v0'), owner('tug.v1', 'uid-tug.v1')],
            },
          },
        },
      ],
    });
    const [written] = 'actions' in decision ? decision.actions : [];
    const merged = written !== undefined && 'object' in written ? written.object : there;
    expect(decide(step(made), [merged, csv('tug.v1')])).toEqual({ actions: [], status: 'Present' });
  });
});

describe('install-plans.md §5, row CSV: one not in clusterServiceVersionNames', () => {
  const owning = (name: string) =>
    csv(name, { spec: { customresourcedefinitions: { owned: [{ name: 'crd', version: 'v1', kind: 'K' }] } } });

  it.each<[why: string, there: KubernetesObject[], expected: object]>([
    ['nobody owns its CRD', [csv('other.v1')], { status: 'Created' }],
    [
      'another does',
      [owning('other.v1')],
      { fail: 'pre-existing CRD owners found for owned CRD(s) of dependent CSV dep.v1' },
    ],
    [
      'two do',
      [owning('a'), owning('b')],
      {
        fail: 'error checking crd owners for: dep.v1: Existing CSVs [a b] in namespace harbour all claim to own CRD crd',
      },
    ],
  ])('%s', (_why, there, expected) => {
    expect(decide(step(owning('dep.v1')), there)).toMatchObject(expected);
  });
});

describe('install-plans.md §7, a CRD step', () => {
  const crd = (
    more: Record<string, unknown> = {},
    versions: object[] = [{ name: 'v1', served: true }],
  ): KubernetesObject => ({
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'tugs.port.example.com' },
    spec: { group: 'port.example.com', names: { kind: 'Tug' }, versions },
    ...more,
  });
  const conditions = (established: string) => ({
    status: {
      conditions: [
        { type: 'Established', status: established },
        { type: 'NamesAccepted', status: 'True' },
      ],
    },
  });
  const mine = 'operatorframework.io/installed-alongside-';

  it('creates it with the memory of its CSV and waits for the API', () => {
    const decision = decide(step(crd()), []);
    expect(decision).toMatchObject({ status: 'WaitingForApi', actions: [{ do: 'create' }] });
    expect(JSON.stringify(decision)).toContain(`${mine}`);
    expect(JSON.stringify(decision)).toContain('"harbour/tug.v1"');
  });

  it.each(['v1', 'other.test/v1'])('reads the version of its apiVersion alone, as OLM does: %s', (apiVersion) => {
    const decision = decide(step(crd({ apiVersion })), []);
    expect(decision).toMatchObject({ actions: [{ do: 'create', object: { apiVersion: 'apiextensions.k8s.io/v1' } }] });
  });

  it('refuses a version for which OLM has no client', () => {
    expect(decide(step(crd({ apiVersion: 'apiextensions.k8s.io/v2' })), [])).toMatchObject({
      fail: 'CRD APIVersion from manifest not supported: v2',
    });
  });

  it.each<[why: string, there: KubernetesObject[], startTime: string, status: string]>([
    ['established', [crd(conditions('True'))], '2026-01-01T00:00:00Z', 'Created'],
    ['not yet', [crd(conditions('False'))], '2026-01-01T00:00:00Z', 'WaitingForApi'],
    ['not within the retry time', [crd(conditions('False'))], '2025-12-31T23:00:00Z', 'WaitingForApi'],
    ['vanished', [], '2026-01-01T00:00:00Z', 'NotPresent'],
  ])('is tried again: %s', (_why, there, startTime, status) => {
    const waiting = step(crd(), 'WaitingForApi');
    const [ref] = readsForStep(waiting, context, emptyWorld);
    if (ref === undefined) throw new Error('nothing was read');
    const world = withAnswer(emptyWorld, ref, { object: there[0] });
    const at = { ...context, plan: { ...context.plan, startTime } };
    expect(decideStep(waiting, at, world)).toMatchObject({ actions: [], status });
  });

  it('says for what a plan waits longer than its retry time', () => {
    const waiting = step(crd(), 'WaitingForApi');
    const [ref] = readsForStep(waiting, context, emptyWorld);
    if (ref === undefined) throw new Error('nothing was read');
    const taken = { type: 'NamesAccepted', status: 'False', message: 'plural name taken' };
    const world = withAnswer(emptyWorld, ref, { object: crd({ status: { conditions: [taken] } }) });
    const at = { ...context, plan: { ...context.plan, startTime: '2025-12-31T23:00:00Z' } };
    expect(decideStep(waiting, at, world)).toMatchObject({
      waitingFor: expect.stringMatching(/^waiting for CRD ".+" to be established: plural name taken$/),
    });
  });

  it('replaces one that is there and keeps only the memory of CSVs that exist and are no copies', () => {
    const annotations = {
      [`${mine}a`]: 'harbour/tug.v0',
      [`${mine}b`]: 'docks/gone.v1',
      [`${mine}c`]: 'docks/copy.v1',
      stray: 'x',
    };
    const there = crd({ metadata: { name: 'tugs.port.example.com', resourceVersion: '7', annotations } });
    const copy = csv('copy.v1', { status: { reason: 'Copied' } }, 'docks');
    const decision = decide(step(crd()), [there, csv('tug.v0'), copy]);
    expect(decision).toMatchObject({
      status: 'Present',
      actions: [{ do: 'update', object: { metadata: { resourceVersion: '7' } } }],
    });
    const [action] = 'actions' in decision ? decision.actions : [];
    const kept = action !== undefined && 'object' in action ? action.object.metadata.annotations : {};
    expect(Object.values(kept ?? {}).toSorted()).toEqual(['harbour/tug.v0', 'harbour/tug.v1']);
  });

  it('is refused when an existing object does not fit, and only warned of when a webhook converts', () => {
    const strict = { name: 'v1', served: true, schema: { openAPIV3Schema: { required: ['spec'] } } };
    const tug = { apiVersion: 'port.example.com/v1', kind: 'Tug', metadata: { name: 'big', namespace: 'harbour' } };
    const text =
      'port.example.com/v1, Kind=Tug "harbour/big": updated validation is too restrictive: [].spec: Required value';
    expect(decide(step(crd({}, [strict])), [crd(), tug])).toMatchObject({ fail: expect.stringContaining(text) });
    const converting = crd({}, [strict]);
    const webhook = { ...converting, spec: { ...(converting['spec'] as object), conversion: { strategy: 'Webhook' } } };
    expect(decide(step(webhook), [crd(), tug])).toMatchObject({
      actions: [
        {
          do: 'emitEvent',
          type: 'Warning',
          reason: 'CRDValidation',
          message: expect.stringContaining(`Validation Error: error validating ${text}`),
        },
        { do: 'update' },
      ],
    });
  });

  it('is not checked against objects by a step that changes nothing of it', () => {
    const strict = crd({}, [{ name: 'v1', served: true, schema: { openAPIV3Schema: { required: ['spec'] } } }]);
    const tug = { apiVersion: 'port.example.com/v1', kind: 'Tug', metadata: { name: 'big', namespace: 'docks' } };
    expect(decide(step(strict), [strict, tug], 'Tug')).toMatchObject({
      actions: [{ do: 'update' }],
      status: 'Present',
    });
  });

  it('is not replaced blindly when the objects cannot be listed', () => {
    expect(decide(step(crd({}, [{ name: 'v1', served: true, schema: {} }])), [crd()], 'Tug')).toEqual({
      fail: 'error validating existing CRs against new CRD\'s schema for "tugs.port.example.com": error listing resources: the server is on strike',
      forbidden: true,
    });
  });
});

describe('install-plans.md §5, a step that cannot be done', () => {
  it.each<[why: string, one: InstallPlanStep, expected: object]>([
    [
      'a kind that plans may not hold',
      step(object('Pod')),
      { fail: 'the InstallPlan contains invalid data', status: 'UnsupportedResource' },
    ],
    [
      'a kind named like an object method',
      step(object('toString')),
      { fail: 'the InstallPlan contains invalid data', status: 'UnsupportedResource' },
    ],
    [
      'a status nobody writes',
      step(object('Service'), 'NotCreated'),
      { fail: 'the InstallPlan contains invalid data' },
    ],
    [
      'a manifest that is no JSON',
      { ...step(object('Service')), resource: { ...step(object('Service')).resource, manifest: '{' } },
      { fail: 'error parsing step manifest: it' },
    ],
    [
      'a reference to a ConfigMap of OLM',
      {
        ...step(object('Role', {}, RBAC)),
        resource: {
          ...step(object('Role', {}, RBAC)).resource,
          manifest: '{"kind":"ConfigMap","name":"abc","namespace":"olm","catalogSourceName":"shelf"}',
        },
      },
      {
        fail: 'error finding unpacked bundle configmap for ref olm/abc: recreate the plan: flotilla retry installplan install-1 -n harbour --replan',
      },
    ],
  ])('%s', (_why, one, expected) => {
    expect(decide(one, [csv('tug.v1')])).toEqual(expected);
  });

  it('is not guessed at when its object cannot be read', () => {
    expect(decide(step(object('Role', {}, RBAC)), [csv('tug.v1')], 'Role')).toEqual({
      fail: 'error getting role it: the server is on strike',
      forbidden: true,
    });
  });

  it('takes manifests as OLM writes them: without kind, with null times', () => {
    const manifest = '{"metadata":{"name":"it","creationTimestamp":null},"rules":[]}';
    const one = step(object('Role', {}, RBAC));
    expect(decide({ ...one, resource: { ...one.resource, manifest } }, [csv('tug.v1')])).toMatchObject({
      actions: [
        { do: 'create', object: { apiVersion: RBAC, kind: 'Role', metadata: { name: 'it', namespace: 'harbour' } } },
      ],
    });
  });
});
