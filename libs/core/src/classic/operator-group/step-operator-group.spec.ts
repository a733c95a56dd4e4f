import { describe, expect, it } from 'vitest';
import type { KubernetesObject } from '../../kernel/api/kubernetes-object.js';
import type { OperatorGroup } from '../../kernel/api/operator-group.js';
import { gear, millers, NOW } from '../csv/world/csv-world.fixture.js';
import { orphanedGroupClusterRoles } from './group-cluster-roles.js';
import type { OperatorGroupWorld } from './group-world.js';
import { unlabelOrphans } from './namespace-labels.js';
import { reconcileApis } from './provided-apis.js';
import { stepOperatorGroup } from './step-operator-group.js';

const namespace = (name: string, labels: Record<string, string> = {}): KubernetesObject => ({
  apiVersion: 'v1',
  kind: 'Namespace',
  metadata: { name, labels },
});
const fresh = (spec: NonNullable<OperatorGroup['spec']>): OperatorGroup => {
  const { status: _none, ...group } = millers(spec);
  return group;
};
const world = (parts: Partial<OperatorGroupWorld> = {}): OperatorGroupWorld => ({
  now: NOW,
  operatorGroups: [millers()],
  namespaces: [namespace('mill'), namespace('quarry', { team: 'stone' }), namespace('silo', { team: 'grain' })],
  csvs: [],
  serviceAccount: undefined,
  clusterRoles: [],
  ...parts,
});
const expression = (operator: string, values: string[] = []) => ({
  selector: { matchExpressions: [{ key: 'team', operator, values }] },
});

describe('operator-groups.md §1, target selection → status.namespaces', () => {
  it.each<{ spec: NonNullable<OperatorGroup['spec']>; targets: string[] | undefined; because: string }>([
    {
      spec: { targetNamespaces: ['silo', 'ghost'] },
      targets: ['ghost', 'silo'],
      because: 'targetNamespaces non-empty: exactly those (need not exist)',
    },
    {
      spec: { targetNamespaces: ['silo'], selector: { matchLabels: { team: 'stone' } } },
      targets: ['silo'],
      because: 'targetNamespaces non-empty: exactly those, whatever the selector',
    },
    { spec: {}, targets: [''], because: 'selector nil: all namespaces' },
    { spec: { selector: {} }, targets: [''], because: 'selector empty: all namespaces' },
    {
      spec: { selector: { matchLabels: { team: 'stone' } } },
      targets: ['quarry'],
      because: 'selector: names of matching namespaces, by label',
    },
    { spec: expression('In', ['stone', 'grain']), targets: ['quarry', 'silo'], because: 'selector: operator In' },
    {
      spec: expression('NotIn', ['stone']),
      targets: ['mill', 'silo'],
      because: 'selector: operator NotIn takes those without the label',
    },
    { spec: expression('Exists'), targets: ['quarry', 'silo'], because: 'selector: operator Exists' },
    { spec: expression('DoesNotExist'), targets: ['mill'], because: 'selector: operator DoesNotExist' },
    { spec: { selector: { matchLabels: { team: 'nobody' } } }, targets: [], because: 'selector: possibly none' },
  ])('$because → $targets', ({ spec, targets }) => {
    const { status } = stepOperatorGroup(fresh(spec), world());
    expect(status?.namespaces ?? []).toEqual(targets);
    expect(status?.lastUpdated).toBe('2026-01-01T00:10:00Z');
  });

  it('an entry "" is an error: sync fails, status unchanged', () => {
    const step = stepOperatorGroup(millers({ targetNamespaces: ['', 'silo'] }), world());
    expect(step).toMatchObject({ problem: 'TargetNamespaces cannot contain NamespaceAll: [ silo]' });
    expect(step.status).toBeUndefined();
  });

  it('a selector that cannot be read is an error: sync fails, status unchanged', () => {
    const step = stepOperatorGroup(millers(expression('Near', ['stone'])), world());
    expect(step).toMatchObject({ problem: '"Near" is not a valid label selector operator' });
    expect(step.status).toBeUndefined();
  });

  it('writes nothing when the same namespaces come in another order', () => {
    const group = millers({ targetNamespaces: ['quarry', 'mill'] });
    group.status = { namespaces: ['quarry', 'mill'], lastUpdated: '2026-01-01T00:00:00Z' };
    expect(stepOperatorGroup(group, world()).status).toBeUndefined();
  });

  it('labels its targets and takes its label off all others', () => {
    const key = 'olm.operatorgroup.uid/uid-of-millers';
    const namespaces = [namespace('mill'), namespace('quarry', { [key]: '' })];
    const { actions } = stepOperatorGroup(millers({ targetNamespaces: ['mill'] }), world({ namespaces }));
    expect(actions).toMatchObject([
      { ref: { name: 'mill' }, patch: { metadata: { labels: { [key]: '' } } } },
      { ref: { name: 'quarry' }, patch: { metadata: { labels: { [key]: null } } } },
    ]);
    expect(stepOperatorGroup(fresh({}), world({ namespaces })).actions).toMatchObject([{ ref: { name: 'quarry' } }]);
    expect(unlabelOrphans([], namespaces)).toMatchObject([{ ref: { name: 'quarry' } }]);
    expect(unlabelOrphans([millers()], namespaces)).toEqual([]);
  });
});

describe('operator-groups.md §2, conditions and service account', () => {
  const types = (group: OperatorGroup, parts: Partial<OperatorGroupWorld> = {}) =>
    (stepOperatorGroup(group, world(parts)).status?.conditions ?? []).map(({ type }) => type);

  it('report a second group in the namespace, and no longer once it is gone', () => {
    const two = stepOperatorGroup(millers(), world({ operatorGroups: [millers(), millers()] }));
    expect(two.status?.conditions).toEqual([
      {
        type: 'MultipleOperatorGroup',
        status: 'True',
        reason: 'MultipleOperatorGroupsFound',
        message: 'Multiple OperatorGroup found in the same namespace',
        lastTransitionTime: '2026-01-01T00:10:00Z',
      },
    ]);
    const group = { ...millers({ targetNamespaces: ['mill'] }), ...(two.status && { status: two.status }) };
    expect(stepOperatorGroup(group, world()).status?.conditions).toBeUndefined();
  });

  it('report a missing service account, and hold back the targets until it is there', () => {
    const group = fresh({ serviceAccountName: 'clerk', targetNamespaces: ['mill'] });
    const step = stepOperatorGroup(group, world());
    expect(step.problem).toContain('failed to get service account, sa=clerk');
    expect(step.status).toMatchObject({
      conditions: [{ reason: 'ServiceAccountNotFound', message: 'ServiceAccount clerk not found' }],
    });
    expect(step.status?.namespaces).toBeUndefined();
    const serviceAccount = {
      apiVersion: 'v1',
      kind: 'ServiceAccount',
      metadata: { name: 'clerk', namespace: 'mill', uid: 'u' },
    };
    const there = stepOperatorGroup(
      { ...group, ...(step.status && { status: step.status }) },
      world({ serviceAccount }),
    );
    expect(there.status).toMatchObject({ namespaces: ['mill'], serviceAccountRef: { name: 'clerk', uid: 'u' } });
    expect(there.status?.conditions).toBeUndefined();
    expect(there.actions[0]).toMatchObject({
      do: 'apply',
      object: { metadata: { labels: { 'olm.managed': 'true' } } },
    });
  });

  it('warn, with one Event, of a selector that has lost its terms', () => {
    const step = stepOperatorGroup(fresh({ selector: {} }), world());
    expect(step.afterwards[0]).toMatchObject({ do: 'emitEvent', type: 'Warning', reason: 'SelectorEmpty' });
    expect(types(fresh({ selector: {} }))).toEqual(['SelectorEmpty']);
    expect(types(fresh({}))).toEqual([]);
    const again = stepOperatorGroup(
      { ...fresh({ selector: {} }), ...(step.status && { status: step.status }) },
      world(),
    );
    expect(again.afterwards.filter((action) => action.do === 'emitEvent')).toEqual([]);
  });
});

describe('operator-groups.md §4, provided APIs and intersection', () => {
  const annotated = (apis: string, parts: Partial<OperatorGroup> = {}): OperatorGroup => {
    const group = millers();
    return { ...group, metadata: { ...group.metadata, annotations: { 'olm.providedAPIs': apis } }, ...parts };
  };
  const elsewhere = (apis: string, namespaces: string[]) => {
    const group = annotated(apis, { status: { namespaces } });
    return { ...group, metadata: { ...group.metadata, namespace: 'elsewhere' } };
  };
  const isStatic = { spec: { staticProvidedAPIs: true } };
  const A = 'A.v1.example.com';
  const B = 'B.v1.example.com';
  const ABSENT = 'P ⊆ G: no | P ∩ X ≠ ∅: no';
  const TAKEN = 'P ⊆ G: no | P ∩ X ≠ ∅: yes';
  const BOTH = 'P ⊆ G: yes | P ∩ X ≠ ∅: yes';
  const OURS = 'P ⊆ G: yes | P ∩ X ≠ ∅: no';
  it.each([
    { when: ABSENT, own: annotated(''), others: [], result: 'AddAPIs', because: 'nobody else has it' },
    { when: ABSENT, own: annotated('', isStatic), others: [], result: 'StaticGroup', because: 'static group' },
    { when: ABSENT, own: annotated(''), others: [elsewhere(A, ['silo'])], result: 'AddAPIs', because: 'targets apart' },
    { when: ABSENT, own: annotated(''), others: [elsewhere(A, [])], result: 'AddAPIs', because: 'no targets at all' },
    { when: ABSENT, own: annotated(''), others: [elsewhere(B, [''])], result: 'AddAPIs', because: 'another API' },
    { when: TAKEN, own: annotated(''), others: [elsewhere(A, [''])], result: 'APIConflict', because: 'a global group' },
    {
      when: TAKEN,
      own: annotated(''),
      others: [elsewhere(A, ['mill'])],
      result: 'APIConflict',
      because: 'our targets',
    },
    {
      when: TAKEN,
      own: annotated('', { status: { namespaces: ['elsewhere'] } }),
      others: [elsewhere(A, ['silo'])],
      result: 'APIConflict',
      because: 'the own namespace of the other is our target',
    },
    {
      when: TAKEN,
      own: annotated('', isStatic),
      others: [elsewhere(A, [''])],
      result: 'APIConflict',
      because: 'static group, same',
    },
    { when: BOTH, own: annotated(`${A},${B}`), others: [elsewhere(A, [''])], result: 'RemoveAPIs', because: 'G \\ P' },
    {
      when: BOTH,
      own: annotated(A, isStatic),
      others: [elsewhere(A, [''])],
      result: 'StaticGroup',
      because: 'static group',
    },
    { when: OURS, own: annotated(A), others: [], result: 'NoAPIConflict', because: 'continue' },
    { when: OURS, own: annotated(A, isStatic), others: [], result: 'NoAPIConflict', because: 'static group, continue' },
    {
      when: OURS,
      own: annotated(`${A},nonsense,,.x.y`),
      others: [elsewhere('nonsense', [''])],
      result: 'NoAPIConflict',
      because: 'unparsable entries are ignored',
    },
  ])('$when → $result: $because', ({ own, others, result }) => {
    const answer = reconcileApis(new Set([A]), own, others);
    expect(answer.result).toBe(result);
    if (answer.result === 'AddAPIs') expect(answer.annotation).toBe(A);
    if (answer.result === 'RemoveAPIs') expect(answer.annotation).toBe(B);
  });

  const owner = gear(
    'v1',
    { customresourcedefinitions: { owned: [{ name: 'as.example.com', version: 'v1', kind: 'A' }] } },
    { phase: 'Succeeded' },
  );
  const pruned = (group: OperatorGroup, csvs: OperatorGroupWorld['csvs']) =>
    stepOperatorGroup(
      { ...group, spec: { ...group.spec, targetNamespaces: ['mill'] } },
      world({ csvs }),
    ).afterwards.flatMap((action) => (action.do === 'patch' ? [action.patch] : []));

  it('lose what no member provides any more', () => {
    expect(pruned(annotated(`${A},${B}`), [owner])).toEqual([{ metadata: { annotations: { 'olm.providedAPIs': A } } }]);
    expect(pruned(annotated(A), [])).toEqual([{ metadata: { annotations: { 'olm.providedAPIs': '' } } }]);
    expect(pruned(annotated(A), [owner])).toEqual([]);
    expect(pruned(annotated(`${A},${B}`, isStatic), [owner])).toEqual([]);
  });

  it('are not pruned while a young member waits to have its own added', () => {
    expect(pruned(annotated(B), [{ ...owner, status: { phase: 'Pending' } }])).toEqual([]);
  });

  it('are gathered by three ClusterRoles that go with the group', () => {
    const group = { ...annotated(A), spec: { targetNamespaces: ['mill'] } };
    const created = stepOperatorGroup(group, world({ csvs: [owner] })).afterwards.flatMap((action) =>
      action.do === 'create' ? [action.object] : [],
    );
    expect(created.map(({ metadata }) => metadata.name?.split('-')[0])).toEqual([
      'olm.og.millers.admin',
      'olm.og.millers.edit',
      'olm.og.millers.view',
    ]);
    expect(stepOperatorGroup(group, world({ csvs: [owner], clusterRoles: created })).afterwards).toEqual([]);
    expect(orphanedGroupClusterRoles(created, [group])).toEqual([]);
    expect(orphanedGroupClusterRoles(created, [])).toHaveLength(3);
  });

  it('leave their rules behind in the ClusterRoles when the last of them goes', () => {
    const group = { ...annotated(''), spec: { targetNamespaces: ['mill'] } };
    const rules = [{ apiGroups: ['example.com'], resources: ['as'], verbs: ['*'] }];
    const filled = stepOperatorGroup({ ...group, ...annotated(A) }, world({ csvs: [owner] })).afterwards.flatMap(
      (action) => (action.do === 'create' ? [{ ...action.object, rules }] : []),
    );
    const updates = stepOperatorGroup(group, world({ clusterRoles: filled })).afterwards.flatMap((action) =>
      action.do === 'update' ? [action.object] : [],
    );
    expect(updates.map((role) => [role['rules'], role['aggregationRule']])).toEqual(
      filled.map(() => [rules, undefined]),
    );
  });
});
