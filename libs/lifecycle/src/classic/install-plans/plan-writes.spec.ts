import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Action } from '#core/kernel/actions/action';
import type { InstallPlan } from '#core/kernel/api/install-plan';
import { HubKey } from '#platform/hub/hub-key';
import { ClassicCluster, objectOf, refTo, settled } from '../classic-cluster.fixture.js';
import { crdWith, planOf, step } from './install-plans.fixture.js';
import { isAllowed } from './is-allowed.js';
import { PlanMarks } from './plan-marks.js';
import { rewriteObjects } from './rewrite-objects.js';
import { isAccepted } from './try-dry-run.js';

let at: ClassicCluster;
beforeEach(async () => {
  at = await ClassicCluster.start();
  at.namespace('shop');
});
afterEach(() => at.stop());

const settings = (data: Record<string, string> = { glow: 'warm' }) =>
  objectOf('ConfigMap', 'settings', 'shop', { data });
const SETTINGS = refTo('ConfigMap', 'settings', 'shop');

describe('a dry run of a step', () => {
  const patch = { metadata: { labels: { a: 'b' } } };
  const actions: readonly (readonly [string, Action])[] = [
    ['create', { do: 'create', object: objectOf('ConfigMap', 'more', 'shop') }],
    ['update', { do: 'update', object: settings({ glow: 'cold' }) }],
    ['patch', { do: 'patch', ref: SETTINGS, patch }],
    ['apply', { do: 'apply', object: settings({ glow: 'cold' }) }],
  ];
  it.each(actions)('%s: is accepted, and stores nothing', async (_, action) => {
    at.put(settings());
    expect(await isAccepted(at.client, [action])).toBe(true);
    expect(at.get(SETTINGS)).toMatchObject({ data: { glow: 'warm' } });
    expect(at.get(SETTINGS)?.metadata.labels).toBeUndefined();
    expect(at.names('ConfigMap', 'shop')).not.toContain('shop/more');
  });

  it.each([
    { status: 403, reason: 'Forbidden', accepted: false, because: 'the right is missing' },
    { status: 422, reason: 'Invalid', accepted: false, because: 'the object is invalid' },
    { status: 500, reason: 'InternalError', accepted: false, because: 'a webhook does not answer' },
    { status: 409, reason: 'Conflict', accepted: true, because: 'the next try has a newer object' },
    { status: 409, reason: 'AlreadyExists', accepted: true, because: 'the next try finds it' },
  ])('$reason: accepted is $accepted, since $because', async ({ status, reason, accepted }) => {
    at.cluster.failNext({ verb: 'create', resource: 'configmaps' }, status, reason);
    expect(await isAccepted(at.client, [{ do: 'create', object: settings() }])).toBe(accepted);
  });

  it('no answer is no verdict', async () => {
    at.cutOff(true);
    await expect(isAccepted(at.client, [{ do: 'create', object: settings() }])).rejects.toMatchObject({ status: 0 });
  });

  it('all writes of a step must be accepted', async () => {
    at.cluster.failNext({ verb: 'patch', resource: 'configmaps' }, 403, 'Forbidden');
    const both: Action[] = [
      { do: 'create', object: objectOf('ConfigMap', 'more', 'shop') },
      { do: 'patch', ref: SETTINGS, patch },
    ];
    expect(await isAccepted(at.client, both)).toBe(false);
  });
});

describe('whether a service account may', () => {
  const may = {
    verb: 'update',
    group: 'apiextensions.k8s.io',
    resource: 'customresourcedefinitions',
    name: 'lamps.example.com',
  };
  const clerk = () =>
    at.client.actingAs({ user: 'system:serviceaccount:shop:clerk', groups: ['system:authenticated'] });

  it.each([
    { rules: [], allowed: false },
    {
      rules: [
        { apiGroups: [may.group], resources: [may.resource], verbs: ['update'], resourceNames: ['wicks.example.com'] },
      ],
      allowed: false,
    },
    {
      rules: [{ apiGroups: [may.group], resources: [may.resource], verbs: ['update'], resourceNames: [may.name] }],
      allowed: true,
    },
    { rules: [{ apiGroups: [may.group], resources: [may.resource], verbs: ['get'] }], allowed: false },
  ])('$rules: $allowed', async ({ rules, allowed }) => {
    at.put(objectOf('ClusterRole', 'clerk', undefined, { rules }));
    const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'clerk' };
    at.put(
      objectOf('ClusterRoleBinding', 'clerk', undefined, {
        roleRef,
        subjects: [{ kind: 'ServiceAccount', name: 'clerk', namespace: 'shop' }],
      }),
    );
    expect(await isAllowed(clerk(), may)).toBe(allowed);
  });

  it('an answer without a verdict is an error, and no right', async () => {
    const odd = { create: async () => ({ object: { ...objectOf('SelfSubjectAccessReview', '') }, warnings: [] }) };
    await expect(isAllowed(odd as unknown as Parameters<typeof isAllowed>[0], may)).rejects.toThrow();
  });
});

describe('objects that are rewritten in the storage version', () => {
  const KIND = { apiVersion: 'example.com/v1', kind: 'Lamp' };
  const { signal } = new AbortController();
  beforeEach(async () => {
    at.put(crdWith([{ name: 'v1', storage: true }]));
    await settled();
    at.namespace('mill');
    for (let count = 0; count < 20; count += 1) {
      const namespace = count % 2 === 0 ? 'shop' : 'mill';
      at.cluster.create({ ...KIND, metadata: { name: `lamp-${count}`, namespace }, spec: { watts: count } });
    }
    at.asked();
  });

  it('are all written back once as they are, in every namespace, and counted', async () => {
    const before = at.cluster.list(KIND);
    expect(await rewriteObjects(at.client, KIND, signal)).toBe(20);
    expect(at.writes().toSorted()).toEqual(
      before.map(({ metadata }) => `update lamps ${metadata.namespace}/${metadata.name}`).toSorted(),
    );
    expect(at.cluster.list(KIND)).toEqual(before);
  });

  it.each([
    { status: 409, reason: 'Conflict', because: 'another client has just written it' },
    { status: 404, reason: 'NotFound', because: 'it is gone' },
  ])('one that meets $reason needs nothing: $because', async ({ status, reason }) => {
    at.cluster.failNext({ verb: 'update', resource: 'lamps', name: 'lamp-3' }, status, reason);
    expect(await rewriteObjects(at.client, KIND, signal)).toBe(20);
  });

  it('any other refusal ends it, and names the object', async () => {
    at.cluster.failNext({ verb: 'update', resource: 'lamps', name: 'lamp-3' }, 403, 'Forbidden', 'denied');
    await expect(rewriteObjects(at.client, KIND, signal)).rejects.toThrow(/Lamp mill\/lamp-3.*denied/);
  });

  it('an end that was asked for leaves the rest for the next pass', async () => {
    const stop = new AbortController();
    at.cluster.lossOf = ({ verb }) => {
      if (verb === 'update') stop.abort();
      return undefined;
    };
    await expect(rewriteObjects(at.client, KIND, stop.signal)).rejects.toThrow();
    expect(at.writes().length).toBeLessThan(20);
  });

  it('a kind that is not served has no objects', async () => {
    expect(await rewriteObjects(at.client, { apiVersion: 'example.com/v1', kind: 'Wick' }, signal)).toBe(0);
  });
});

describe('the mark of a plan that the hub made (decision 0015)', () => {
  const marks = new PlanMarks(HubKey.random());
  const plan = planOf({ steps: [step(settings())] }) as InstallPlan;
  const marked = (cluster: string, by = marks): InstallPlan => ({
    ...plan,
    metadata: { ...plan.metadata, annotations: { 'flotilla.dev/made-by-hub': by.markOf(cluster, plan, plan.status) } },
  });

  it('is recognised in its cluster, and in no other', () => {
    expect(marks.isOwn('east', marked('east'))).toBe(true);
    expect(marks.isOwn('west', marked('east'))).toBe(false);
  });

  it('is not that of a hub with another key, and a plan without one is foreign', () => {
    expect(marks.isOwn('east', marked('east', new PlanMarks(HubKey.random())))).toBe(false);
    expect(marks.isOwn('east', plan)).toBe(false);
  });
});
