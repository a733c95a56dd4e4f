import { describe, expect, it } from 'vitest';
import type { ClusterServiceVersion } from '../api/cluster-service-version.js';
import { gear, installedDeployments, millers, NOW, world } from './csv-world.fixture.js';
import type { CsvWorld } from './csv-world.js';
import { installFailed, stepCsv } from './step-csv.js';

const at = (phase: string, reason = 'Whatever', more: object = {}) => ({
  phase,
  reason,
  message: 'before',
  lastTransitionTime: '2026-01-01T00:09:00Z',
  ...more,
});

const badRule = {
  install: {
    strategy: 'deployment',
    spec: { deployments: [], permissions: [{ serviceAccountName: 'pilot', rules: [{ verbs: [] }] }] },
  },
};
const webhooks = (rule: object) => ({
  webhookdefinitions: [
    { generateName: 'guard', type: 'ValidatingAdmissionWebhook', deploymentName: 'gear', rules: [rule] },
  ],
});
const owns = { customresourcedefinitions: { owned: [{ name: 'gears.example.com', version: 'v1', kind: 'Gear' }] } };
const crd = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'gears.example.com', uid: 'uid-of-gears' },
  spec: { versions: [{ name: 'v1', served: true }] },
  status: {
    conditions: [
      { type: 'Established', status: 'True' },
      { type: 'NamesAccepted', status: 'True' },
    ],
  },
};
const withCrd = { crds: new Map([['gears.example.com', crd]]) };
const annotated = {
  ...millers(),
  metadata: { ...millers().metadata, annotations: { 'olm.providedAPIs': 'Gear.v1.example.com' } },
};

type Row = Readonly<{
  csv: ClusterServiceVersion;
  others?: readonly ClusterServiceVersion[];
  parts?: Partial<CsvWorld>;
  to: string;
  because: string;
}>;

const failForward = { operatorGroups: [millers({ upgradeStrategy: 'TechPreviewUnsafeFailForward' })] };
const rows: readonly Row[] = [
  { csv: gear('v1'), to: 'Pending/RequirementsUnknown', because: 'a CSV never seen before' },
  { csv: gear('v1', {}, at('Pending')), to: 'InstallReady/AllRequirementsMet', because: 'nothing is required' },
  {
    csv: gear('v1', { install: { strategy: 'magic' } }, at('Pending')),
    to: 'Failed/InvalidInstallStrategy',
    because: 'only deployments can be installed',
  },
  { csv: gear('v1', badRule, at('Pending')), to: 'Failed/InvalidInstallStrategy', because: 'a rule without verbs' },
  {
    csv: gear('v1', { minKubeVersion: '1.99.0' }, at('Pending')),
    to: 'Pending/RequirementsNotMet',
    because: 'the server is too old',
  },
  {
    csv: gear('v1', webhooks({ apiGroups: ['*'] }), at('Pending')),
    to: 'Failed/InvalidWebhookDescription',
    because: 'a webhook for every group would catch the cluster itself',
  },
  {
    csv: gear('v1', webhooks({ apiGroups: ['apps'] }), at('Pending')),
    to: 'InstallReady/AllRequirementsMet',
    because: 'its webhooks ask about others only',
  },
  {
    csv: gear('v2', owns, at('Pending')),
    others: [gear('other', owns, at('Succeeded'))],
    parts: { ...withCrd, operatorGroups: [annotated] },
    to: 'Failed/OwnerConflict',
    because: 'a stranger in the namespace owns the CRD',
  },
  {
    csv: gear('v2', { ...owns, replaces: 'v1' }, at('Pending')),
    others: [gear('v1', owns, at('Replacing'))],
    parts: { ...withCrd, operatorGroups: [annotated] },
    to: 'InstallReady/AllRequirementsMet',
    because: 'a CRD passes on along the replacement chain',
  },
  {
    csv: gear('v2', { replaces: 'v1' }, at('Pending')),
    others: [gear('v1', {}, at('Succeeded'))],
    to: 'stays',
    because: 'the predecessor has not stepped back yet',
  },
  {
    csv: gear('v2', { replaces: 'v2' }, at('Pending')),
    to: 'InstallReady/AllRequirementsMet',
    because: 'replacing oneself is replacing nothing',
  },
  { csv: gear('v1', {}, at('InstallReady')), to: 'Installing/InstallSucceeded', because: 'the install was written' },
  { csv: gear('v1', {}, at('Installing')), to: 'Installing/InstallWaiting', because: 'no Deployment yet' },
  {
    csv: gear('v1', {}, at('Installing', 'InstallWaiting', { lastTransitionTime: '2026-01-01T00:05:00Z' })),
    to: 'Failed/InstallCheckFailed',
    because: 'five minutes are enough',
  },
  {
    csv: gear('v1', {}, at('Installing', 'InstallWaiting', { lastTransitionTime: '2026-01-01T00:05:01Z' })),
    to: 'Installing/InstallWaiting',
    because: 'one second less is not',
  },
  {
    csv: gear('v1', {}, at('Installing')),
    parts: { deployments: installedDeployments(gear('v1')) },
    to: 'Succeeded/InstallSucceeded',
    because: 'everything is available',
  },
  {
    csv: gear('v1', {}, at('Succeeded')),
    others: [gear('v2', { replaces: 'v1' })],
    to: 'Replacing/BeingReplaced',
    because: 'a successor has appeared',
  },
  {
    csv: gear('v1', { minKubeVersion: '1.99.0' }, at('Succeeded')),
    to: 'Failed/RequirementsNotMet',
    because: 'a requirement was lost',
  },
  { csv: gear('v1', {}, at('Succeeded')), to: 'Failed/ComponentUnhealthy', because: 'the Deployment is gone' },
  {
    csv: gear('v1', webhooks({ apiGroups: ['apps'] }), at('Succeeded')),
    to: 'Pending/NeedsReinstall',
    because: 'the certificate of its webhooks is gone',
  },
  { csv: gear('v1', {}, at('Failed', 'InstallCheckFailed')), to: 'Pending/NeedsReinstall', because: 'try again' },
  {
    csv: gear('v1', {}, at('Failed', 'ComponentUnhealthy')),
    parts: { deployments: installedDeployments(gear('v1')) },
    to: 'Succeeded/InstallSucceeded',
    because: 'it recovered by itself',
  },
  {
    csv: gear('v1', {}, at('Failed')),
    others: [gear('v2', { replaces: 'v1' })],
    parts: failForward,
    to: 'Replacing/BeingReplaced',
    because: 'a fail-forward group lets a failed CSV be replaced',
  },
  {
    csv: gear('v1', {}, at('Failed')),
    others: [gear('v2', { replaces: 'v1' })],
    to: 'Pending/NeedsReinstall',
    because: 'any other group does not',
  },
  {
    csv: gear(
      'v1',
      badRule,
      at('Failed', 'InvalidInstallStrategy', {
        message: 'install strategy invalid: policy rule must have at least one verb',
      }),
    ),
    to: 'stays',
    because: 'a bad strategy does not turn in circles',
  },
  ...['NoOperatorGroup', 'TooManyOperatorGroups', 'UnsupportedOperatorGroup', 'NoTargetNamespaces'].map((reason) => ({
    csv: gear('v1', {}, at('Failed', reason)),
    to: 'Pending/RequirementsUnknown',
    because: `${reason} is repaired`,
  })),
  {
    csv: gear('v1', {}, at('Replacing')),
    others: [gear('v2', { replaces: 'v1' }, at('Installing'))],
    to: 'stays',
    because: 'the successor is not up yet',
  },
  {
    csv: gear('v1', {}, at('Replacing')),
    others: [gear('v2', { replaces: 'v1' }, at('Succeeded'))],
    to: 'Deleting/Replaced',
    because: 'the successor is up',
  },
  {
    csv: gear('v2', { replaces: 'v1' }, at('Replacing')),
    others: [gear('v1', {}, at('Replacing')), gear('v3', { replaces: 'v2' }, at('Succeeded'))],
    to: 'stays',
    because: 'the oldest of a chain goes first',
  },
  {
    csv: gear('v1', {}, at('Replacing')),
    others: [gear('v2', { replaces: 'v1' }, at('Replacing')), gear('v3', { replaces: 'v2' }, at('Succeeded'))],
    to: 'Deleting/Replaced',
    because: 'a second upgrade that overtook the first does not block it',
  },
  { csv: gear('v1', {}, at('Failed', 'InstallComponentFailedNoRetry')), to: 'stays', because: 'frozen' },
  {
    csv: gear('v1', {}, at('Succeeded')),
    parts: { operatorGroups: [] },
    to: 'Failed/NoOperatorGroup',
    because: 'without a group nothing runs, in any phase',
  },
  {
    csv: gear('v1', {}, at('Succeeded')),
    parts: { operatorGroups: [millers(), millers()] },
    to: 'Failed/TooManyOperatorGroups',
    because: 'nor with two',
  },
  {
    csv: gear('v1', { customresourcedefinitions: { owned: [{ name: 'nodot', version: 'v1', kind: 'Gear' }] } }),
    to: 'stays',
    because: 'a CRD name without a dot is passed over in silence',
  },
];

describe('one step of a CSV', () => {
  it.each(rows)('$csv.status.phase → $to: $because', ({ csv, others = [], parts, to }) => {
    const { status } = stepCsv(csv, world({ csvs: [csv, ...others], ...parts }));
    expect(status === undefined ? 'stays' : `${status.phase}/${status.reason}`).toBe(to);
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

  it('leaves copies alone', () => {
    const copy = gear('v1', {}, at('Succeeded', 'Copied'));
    expect(stepCsv(copy, world())).toEqual({ actions: [], afterwards: [], wake: [] });
  });

  it('wakes its neighbours in the chain when its phase has moved', () => {
    const csv = gear('v2', { replaces: 'v1' }, at('Installing'));
    const csvs = [gear('v1', {}, at('Replacing')), csv, gear('v3', { replaces: 'v2' })];
    expect(stepCsv(csv, world({ csvs, deployments: installedDeployments(csv) })).wake).toEqual(['v1', 'v3']);
  });

  it('emits a Warning for a failure, Normal for the rest, nothing when all stays as it was', () => {
    const failed = stepCsv(gear('v1', {}, at('Succeeded')), world());
    expect(failed.afterwards).toMatchObject([{ do: 'emitEvent', type: 'Warning', reason: 'ComponentUnhealthy' }]);
    const csv = gear('v1');
    const first = stepCsv(csv, world());
    expect(first.afterwards).toMatchObject([{ do: 'emitEvent', type: 'Normal', reason: 'RequirementsUnknown' }]);
    const healthy = gear('v1', {}, at('Succeeded'));
    const calm = stepCsv(healthy, world({ csvs: [healthy], deployments: installedDeployments(healthy) }));
    expect(calm).toEqual({ actions: [], afterwards: [], wake: [] });
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

describe('a failed install', () => {
  const csv = gear('v1', {}, at('InstallReady'));

  it('freezes the CSV when forbidden, until rights change', () => {
    const { status } = installFailed(csv, { forbidden: true, message: 'no rights' }, NOW);
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
    const { status } = installFailed(csv, { forbidden: true, message: 'no rights' }, NOW);
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
    const step = installFailed(csv, { forbidden: false, reason, message: 'refused' }, NOW);
    expect(step.status?.reason).toBe(to);
    expect(step.next?.again).toBe('later');
  });
});
