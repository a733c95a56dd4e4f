import { describe, expect, it } from 'vitest';
import { csv, group, plan, source, state, step } from '../../cluster/diagnosis/diagnosis.fixture.js';
import {
  observedCsv,
  observedNames,
  observedOperatorGroup,
  observedSubscription,
} from '../../cluster/observation/observed-part.js';
import type { KubernetesObject } from '../../kernel/api/kubernetes-object.js';
import { SUBSCRIPTION_API } from '../../kernel/api/subscription.js';
import { operatorChain } from '../questions/operator-chain.js';
import { namespaceRows } from './namespace-rows.js';
import type { PlanFacts } from './plan-row.js';
import { type RowPart, rowPart } from './row-parts.js';
import { ViewRow } from './rows.js';

const NOW = '2026-11-25T10:00:00.000Z';
const KEEP: Readonly<Record<string, (object: KubernetesObject) => KubernetesObject>> = {
  Subscription: observedSubscription,
  ClusterServiceVersion: observedCsv,
  OperatorGroup: observedOperatorGroup,
  InstallPlan: observedNames,
};

const entry = (name: string, replaces: string, version: string) => ({
  ...{ name, channel: 'stable', version, replaces, skips: [], skipRange: '', properties: [] },
  source: { image: `r.example/${name}` },
});
const record = {
  ...{ name: 'mill', defaultChannel: 'stable' },
  entries: [entry('mill.v1', '', '1.0.0'), entry('mill.v2', 'mill.v1', '2.0.0')],
};

const subscription = (status?: Readonly<Record<string, unknown>>, more: Readonly<Record<string, unknown>> = {}) => ({
  ...SUBSCRIPTION_API,
  metadata: { name: 'mill', namespace: 'team', annotations: { note: 'x'.repeat(1_000) } },
  spec: { name: 'mill', channel: 'stable', source: 'c', sourceNamespace: 'olm', ...more },
  ...(status && { status }),
});

/** The rows of what the poller keeps of these objects, as the console reads them. */
function rowsOf(objects: readonly KubernetesObject[], catalog = source(state('READY'))): readonly ViewRow[] {
  const parts = new Map<string, RowPart>();
  for (const one of objects) {
    const part = rowPart(one.kind, one, 'olm');
    if (part !== undefined) parts.set(`${one.kind}/${one.metadata.name}`, part);
  }
  const kept = <T>(kind: string) =>
    objects.filter((one) => one.kind === kind).map((one) => (KEEP[kind] ?? observedNames)(one) as T);
  const rows = namespaceRows(
    {
      ...{ cluster: 'east', namespace: 'team' },
      subscriptions: kept('Subscription'),
      operatorGroups: kept('OperatorGroup'),
      csvs: kept('ClusterServiceVersion'),
      plans: [...parts.values()].filter((part): part is PlanFacts => part.kind === 'InstallPlan'),
      catalogs: [{ source: catalog, digest: '', packages: 1, isGlobal: true, nextTry: '', record: () => record }],
      partOf: ({ kind, metadata }) => parts.get(`${kind}/${metadata.name}`),
      isShared: (definition) => definition === 'lamps.example.com',
    },
    { now: NOW },
  );
  return rows.map((row) => ViewRow.parse(JSON.parse(JSON.stringify(row))));
}

const installed = { installedCSV: 'mill.v1', currentCSV: 'mill.v1', state: 'AtLatestKnown' };
const onItsWay = {
  ...installed,
  currentCSV: 'mill.v2',
  state: 'UpgradePending',
  installPlanRef: { name: 'install-1' },
};
const succeeded = csv({ phase: 'Succeeded', reason: 'InstallSucceeded' });
const withVersion = { ...succeeded, spec: { version: '1.0.0', description: 'long' } };

describe('the row of a Subscription', () => {
  it('says that an operator runs, its version, and the newest that its catalog has', () => {
    expect(rowsOf([subscription(installed), group(), withVersion])).toEqual([
      {
        ...{ kind: 'operator', id: 'subscription/team/mill', cluster: 'east', namespace: 'team', name: 'mill' },
        ...{ updatedAt: NOW, since: NOW, api: 'classic', package: 'mill', catalog: 'olm/c', channel: 'stable' },
        ...{ installed: 'mill.v1', version: '1.0.0', next: '', newest: 'mill.v2', approval: 'Automatic' },
        ...{ standing: 'well', plan: '', planHash: '', deprecated: false },
      },
    ]);
  });

  it('has the first thing to do about a cause that needs a user, without its command, and none while it waits', () => {
    const [blocked] = rowsOf([subscription()]);
    expect(blocked).toMatchObject({ cause: { todo: expect.stringMatching(/^Create an OperatorGroup in namespace /) } });
    const [failed] = rowsOf([subscription(onItsWay), group(), withVersion, plan('Failed', { message: 'CRD refused' })]);
    expect(failed).toMatchObject({ cause: { todo: expect.not.stringContaining('flotilla retry') } });
    const [waiting] = rowsOf([subscription(onItsWay), group(), withVersion, plan('RequiresApproval')]);
    expect(waiting).toHaveProperty('cause');
    expect(waiting).not.toHaveProperty('cause.todo');
  });

  it.each([
    {
      because: 'there is no OperatorGroup',
      objects: [subscription()],
      cause: { code: 'no-operator-group', kind: 'Namespace', names: ['team/team'], text: /^There is no OperatorGroup/ },
    },
    {
      because: 'its namespace could not be resolved',
      objects: [
        subscription({ conditions: [{ type: 'ResolutionFailed', status: 'True', reason: 'No', message: 'no way' }] }),
        group(),
      ],
      cause: { code: 'resolution-failed', kind: 'Subscription', names: ['mill'], text: /no way/ },
    },
    {
      because: 'its plan failed',
      objects: [subscription(onItsWay), group(), withVersion, plan('Failed', { message: 'CRD refused' })],
      cause: {
        code: 'plan-failed',
        kind: 'InstallPlan',
        names: ['mill'],
        text: /^The InstallPlan failed\. CRD refused\.$/,
      },
    },
    {
      because: 'its plan failed, which says nothing of it',
      objects: [subscription(onItsWay), group(), withVersion, plan('Failed')],
      cause: { code: 'plan-failed', kind: 'InstallPlan', names: ['mill'], text: /^The InstallPlan failed\.$/ },
    },
    {
      because: 'its operator lacks a requirement',
      objects: [
        subscription({ ...installed, installedCSV: '' }),
        group(),
        csv({
          ...{ phase: 'Pending', reason: 'RequirementsNotMet', message: 'one or more requirements' },
          requirementStatus: [
            { group: '', version: 'v1', kind: 'Service', name: 's', status: 'Present', message: '' },
            { group: 'g', version: 'v1', kind: 'ServiceAccount', name: 'me', status: 'NotPresent', message: 'gone' },
          ],
        }),
      ],
      cause: { code: 'requirements-not-met', kind: 'ClusterServiceVersion', names: ['mill'], text: /me: NotPresent/ },
    },
  ])('says why it is not well: $because', ({ objects, cause: { text, ...cause } }) => {
    const [row] = rowsOf(objects);
    expect(row).toMatchObject({ kind: 'operator', cause });
    if (text !== undefined) expect(row?.kind === 'operator' && row.cause?.text).toMatch(text);
  });

  it('says what runs all the same where a plan failed, also once the newer ClusterServiceVersion exists', () => {
    const failed = plan('Failed', { message: 'CRD refused' });
    const around = [group(), failed];
    const chainOf = (rows: readonly ViewRow[]) =>
      rows.flatMap((row) => (row.kind === 'operator' ? operatorChain(row) : [])).slice(-3);
    const chain = [
      { link: 'plan', state: 'stopped', standing: 'failed', since: NOW },
      { link: 'approval', state: 'not-reached', standing: 'well', text: '', since: '' },
      { link: 'running', state: 'not-reached', standing: 'well', since: '' },
    ];
    const before = rowsOf([subscription(onItsWay), withVersion, ...around]);
    expect(before[0]).toMatchObject({ installed: 'mill.v1', stillRuns: 'mill.v1' });
    expect(chainOf(before)).toMatchObject([{ ...chain[0], text: 'mill.v2' }, chain[1], { text: '1.0.0 still runs' }]);
    const pending = csv({ phase: 'Pending', reason: 'RequirementsUnknown' });
    const newer = { ...pending, metadata: { ...pending.metadata, name: 'mill.v2' }, spec: { replaces: 'mill.v1' } };
    const replaced = { ...withVersion, status: { phase: 'Replacing' } };
    const moved = { ...onItsWay, installedCSV: 'mill.v2' };
    const after = rowsOf([subscription(moved), newer, replaced, ...around]);
    expect(after[0]).toMatchObject({ installed: 'mill.v2', stillRuns: 'mill.v1' });
    expect(chainOf(after).at(-1)).toMatchObject({ ...chain[2], text: 'mill.v1 still runs' });
    // Its Deployments may be those of the newer one by now.
    const installing = { ...newer, status: { phase: 'Installing' } };
    expect(rowsOf([subscription(moved), installing, replaced, ...around])[0]).not.toHaveProperty('stillRuns');
  });

  it('names the catalog that keeps it from being resolved, so that equal causes are one', () => {
    const [row] = rowsOf([subscription(), group()], source(state('TRANSIENT_FAILURE')));
    expect(row).toMatchObject({ cause: { code: 'catalog-not-ready', kind: 'CatalogSource', names: ['olm/c'] } });
    expect(row?.kind === 'operator' && row.cause?.text).toMatch(/^CatalogSource olm\/c is TRANSIENT_FAILURE/);
  });

  it('keeps what it may hold, whatever a cluster says', () => {
    const message = '\u202eüberlang '.repeat(5_000);
    const failed = { type: 'ResolutionFailed', status: 'True', reason: 'No', message };
    const [row] = rowsOf([subscription({ conditions: [failed] }), group()]);
    expect(row?.kind === 'operator' && row.cause?.text).toMatch(/^.{199}…$/u);
  });
});

describe('the row of an InstallPlan', () => {
  const waiting = plan(
    'RequiresApproval',
    {
      plan: [
        step('a', 'Unknown'),
        {
          ...step('lamps.example.com', 'Unknown'),
          resource: { ...step('', '').resource, ...crd('lamps.example.com') },
        },
      ],
    },
    false,
  );
  const asked = { ...waiting, spec: { ...waiting.spec, clusterServiceVersionNames: ['mill.v2', 'wheel.v0.1.0'] } };

  it('says what it moves and what an approver checks, with the hash that its operator names', () => {
    const rows = rowsOf([subscription(onItsWay, { installPlanApproval: 'Manual' }), group(), withVersion, asked]);
    const [operator, row] = rows;
    expect(row).toMatchObject({
      ...{ kind: 'plan', id: 'plan/team/install-1', phase: 'RequiresApproval', approved: false, change: 'major' },
      moves: [
        { package: 'mill', from: 'mill.v1', to: 'mill.v2' },
        { package: 'wheel', from: '', to: 'wheel.v0.1.0' },
      ],
      ...{ crds: true, rbac: false, shared: true },
    });
    const hash = row?.kind === 'plan' ? row.hash : '';
    expect(operator).toMatchObject({ standing: 'needs-approval', plan: 'install-1', planHash: hash });
    expect(hash).toMatch(/^[0-9a-f]{64}$/);
  });

  it('is there until the plan is complete', () => {
    expect(rowsOf([subscription(onItsWay), group(), withVersion, plan('Complete')])).toHaveLength(1);
  });
});

const crd = (name: string) => ({ kind: 'CustomResourceDefinition', name });
