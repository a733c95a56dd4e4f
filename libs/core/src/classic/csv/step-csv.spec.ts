import { describe, expect, it } from 'vitest';
import { installFailed, stepCsv } from './step-csv.js';
import { gear, installedDeployments, millers, NOW, world } from './world/csv-world.fixture.js';

const at = (phase: string, reason = 'Whatever', more: object = {}) => ({
  phase,
  reason,
  message: 'before',
  lastTransitionTime: '2026-01-01T00:09:00Z',
  ...more,
});

const owns = { customresourcedefinitions: { owned: [{ name: 'gears.example.com', version: 'v1', kind: 'Gear' }] } };
const annotated = {
  ...millers(),
  metadata: { ...millers().metadata, annotations: { 'olm.providedAPIs': 'Gear.v1.example.com' } },
};

describe('one step of a CSV', () => {
  it('does not wait for ever in a chain in which a second upgrade has overtaken the first', () => {
    const csv = gear('v1', {}, at('Replacing'));
    const csvs = [
      csv,
      gear('v2', { replaces: 'v1' }, at('Replacing')),
      gear('v3', { replaces: 'v2' }, at('Succeeded')),
    ];
    expect(stepCsv(csv, world({ csvs })).status).toMatchObject({ phase: 'Deleting', reason: 'Replaced' });
  });

  it('puts the clean-up finalizer on before anything else', () => {
    const csv = gear('v1');
    const { finalizers: _none, ...metadata } = csv.metadata;
    const step = stepCsv({ ...csv, metadata }, world());
    expect(step.status).toBeUndefined();
    expect(step.actions).toEqual([
      expect.objectContaining({
        do: 'patch',
        patch: { metadata: { resourceVersion: '1', finalizers: ['operators.coreos.com/csv-cleanup'] } },
      }),
    ]);
    expect(step.next).toEqual({ again: 'now' });
  });

  it('writes requirements that have changed, without an Event, while phase, reason and message stay', () => {
    const pending = at('Pending', 'RequirementsNotMet', { message: "one or more requirements couldn't be found" });
    const entry = (status: string, message: string) => ({
      ...{ group: 'apiextensions.k8s.io', version: 'v1', kind: 'CustomResourceDefinition', name: 'gears.example.com' },
      ...{ status, message },
    });
    const absent = entry('NotPresent', 'CRD is not present');
    const stale = { ...pending, requirementStatus: [entry('PresentNotSatisfied', 'CRD installed alongside others')] };
    const parts = { operatorGroups: [annotated] };
    const step = stepCsv(gear('v1', owns, stale), world(parts));
    expect([step.status, step.afterwards]).toEqual([{ ...pending, requirementStatus: [absent] }, []]);
    const known = gear('v1', owns, { ...pending, requirementStatus: [absent] });
    expect(stepCsv(known, world(parts)).status, 'nothing new').toBeUndefined();
  });

  it('clips the messages of requirements, and writes them once', () => {
    const spec = { ...owns, minKubeVersion: `99.0.0+${'a'.repeat(5_000)}` };
    const step = stepCsv(gear('v1', spec, at('Pending')), world({ operatorGroups: [annotated] }));
    const messages = (step.status?.requirementStatus ?? []).flatMap(({ message, dependents = [] }) => [
      message,
      ...dependents.map((one) => one.message ?? ''),
    ]);
    expect(messages.some((message) => message.endsWith('more bytes)'))).toBe(true);
    expect(Math.max(...messages.map((message) => Buffer.byteLength(message)))).toBeLessThanOrEqual(2_048);
    const again = stepCsv(gear('v1', spec, step.status), world({ operatorGroups: [annotated] }));
    expect(again.status).toBeUndefined();
  });

  it('leaves copies alone', () => {
    const copy = gear('v1', {}, at('Succeeded', 'Copied'));
    expect(stepCsv(copy, world())).toEqual({ actions: [], afterwards: [] });
  });

  it('emits a Warning for a failure, Normal for the rest, nothing when all stays as it was', () => {
    const failed = stepCsv(gear('v1', {}, at('Succeeded')), world());
    expect(failed.afterwards).toMatchObject([{ do: 'emitEvent', type: 'Warning', reason: 'ComponentUnhealthy' }]);
    const csv = gear('v1');
    const first = stepCsv(csv, world());
    expect(first.afterwards).toMatchObject([{ do: 'emitEvent', type: 'Normal', reason: 'RequirementsUnknown' }]);
    const healthy = gear(
      'v1',
      {},
      at('Succeeded', 'InstallSucceeded', { message: 'install strategy completed with no errors' }),
    );
    const calm = stepCsv(healthy, world({ csvs: [healthy], deployments: installedDeployments(healthy) }));
    expect(calm).toEqual({ actions: [], afterwards: [] });
  });

  it('deletes the Deployments of a CSV whose API another group provides', () => {
    const csv = gear('v1', owns, at('Succeeded'));
    const other = {
      ...annotated,
      metadata: { ...annotated.metadata, namespace: 'elsewhere' },
      status: { namespaces: [''] },
    };
    const deployments = installedDeployments(csv);
    const step = stepCsv(csv, world({ csvs: [csv], deployments, otherOperatorGroups: [other] }));
    expect(step.status).toMatchObject({ phase: 'Failed', reason: 'InterOperatorGroupOwnerConflict' });
    expect(step.actions).toMatchObject([{ do: 'delete', ref: { kind: 'Deployment', name: 'gear' } }]);
  });
});

describe('csv-lifecycle.md §3, InstallReady | install error', () => {
  const csv = gear('v1', {}, at('InstallReady'));
  const writing = (kind: string) =>
    ({ do: 'apply', object: { apiVersion: 'v1', kind, metadata: { name: 'it' } } }) as const;
  const action = writing('Deployment');

  it.each([
    {
      action,
      forbidden: true,
      to: 'InstallComponentFailedNoRetry / install strategy failed: install strategy failed: no',
    },
    {
      action: writing('APIService'),
      forbidden: true,
      to: 'InstallComponentFailedNoRetry / install strategy failed: install strategy failed: no',
    },
    { action: writing('Service'), forbidden: true, to: 'InstallComponentFailed / install strategy failed: no' },
    {
      action: writing('ClusterRoleBinding'),
      forbidden: true,
      to: 'InstallComponentFailed / install strategy failed: no',
    },
    {
      action: {
        do: 'delete',
        ref: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'old' },
        propagation: 'Foreground',
        uid: 'u',
      } as const,
      forbidden: true,
      to: 'InstallComponentFailed / install strategy failed: no',
    },
    { action, forbidden: false, to: 'InstallComponentFailed / install strategy failed: no' },
  ])('$action.do $action.object.kind, forbidden $forbidden → Failed / $to', ({ action: refused, forbidden, to }) => {
    const { status } = installFailed(csv, { action: refused, forbidden, message: 'no', reason: 'Whatever' }, NOW);
    expect(`${status?.phase} / ${status?.reason} / ${status?.message}`).toBe(`Failed / ${to}`);
  });

  it('freezes the CSV when forbidden, until rights change', () => {
    const { status } = installFailed(csv, { action, forbidden: true, message: 'no rights' }, NOW);
    expect(status).toMatchObject({
      reason: 'InstallComponentFailedNoRetry',
      message: 'install strategy failed: install strategy failed: no rights',
    });
    const frozen = gear('v1', {}, status);
    expect(stepCsv(frozen, world({ csvs: [frozen] })).status).toBeUndefined();
  });

  it.each([
    { labels: { 'olm.managed': 'true' }, seconds: 60, wakes: true, because: 'a Role of ours changed afterwards' },
    {
      labels: { 'olm.managed': 'true' },
      seconds: -60,
      wakes: false,
      because: 'it was like that when the install failed',
    },
    { labels: {}, seconds: 60, wakes: false, because: 'OLM does not watch Roles that are not its own' },
  ])('wakes a frozen CSV: $wakes, since $because', ({ labels, seconds, wakes }) => {
    const { status } = installFailed(csv, { action, forbidden: true, message: 'no rights' }, NOW);
    const frozen = gear('v1', {}, status);
    const managedFields = [{ manager: 'kubectl', time: new Date(NOW.getTime() + seconds * 1_000).toISOString() }];
    const role = {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'Role',
      metadata: { name: 'clerk', labels, managedFields },
    };
    const step = stepCsv(frozen, world({ csvs: [frozen], roles: [role] }));
    expect(step.status?.reason).toBe(wakes ? 'DetectedClusterChange' : undefined);
  });

  it.each([
    { reason: 'Invalid', to: 'InstallComponentFailed', because: 'the API server will not have it' },
    { reason: 'Conflict', to: undefined, because: 'someone else wrote first: no verdict' },
    { reason: 'ServiceUnavailable', to: undefined, because: 'the API server is away: no verdict' },
  ])('$reason: $because', ({ reason, to }) => {
    const step = installFailed(csv, { action, forbidden: false, reason, message: 'refused' }, NOW);
    expect(step.status?.reason).toBe(to);
    expect(step.next?.again).toBe('later');
  });

  const ready = (seconds: number, conditions: readonly object[] = []) => {
    const lastTransitionTime = new Date(NOW.getTime() - seconds * 1_000).toISOString();
    return gear('v1', {}, at('InstallReady', 'AllRequirementsMet', { lastTransitionTime, conditions }));
  };
  const said = { phase: 'Failed', reason: 'InstallComponentFailed', message: 'no', lastUpdateTime: '' };
  it.each([
    { reason: 'InternalError', status: ready(1), to: undefined, because: 'it may pass' },
    { reason: 'InternalError', status: ready(5), to: 'InstallComponentFailed', because: 'it was tried again' },
    { reason: 'Timeout', status: ready(6), to: 'InstallComponentFailed', because: 'it was tried again' },
    { reason: 'InternalError', status: ready(0, [said]), to: 'InstallComponentFailed', because: 'it was told before' },
    {
      reason: 'InternalError',
      status: ready(0, [said, { phase: 'Succeeded', reason: 'InstallSucceeded', message: '' }]),
      to: undefined,
      because: 'it has succeeded since',
    },
    { reason: 'TooManyRequests', status: ready(60), to: undefined, because: 'the API server has too much to do' },
  ])('$reason → $to: $because', ({ reason, status, to }) => {
    const step = installFailed(status, { action, forbidden: false, reason, message: 'refused' }, NOW);
    expect(step.status?.reason).toBe(to);
    expect(step.next?.again).toBe('later');
  });
});
