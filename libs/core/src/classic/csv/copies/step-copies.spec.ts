import { describe, expect, it } from 'vitest';
import type { ClusterServiceVersion } from '../../../kernel/api/cluster-service-version.js';
import type { KubernetesObject } from '../../../kernel/api/kubernetes-object.js';
import type { OperatorGroup } from '../../../kernel/api/operator-group.js';
import { gear, millers } from '../world/csv-world.fixture.js';
import { type CopyWorld, copiesInOrder, orphanedCopies, stepCopies } from './step-copies.js';

const group = (...namespaces: string[]): OperatorGroup => ({ ...millers(), status: { namespaces } });
const original = (): ClusterServiceVersion => {
  const csv = gear('v1', {}, { phase: 'Succeeded', reason: 'InstallSucceeded', message: 'done' });
  const labels = { team: 'stone', 'operators.coreos.com/gear.mill': '' };
  const annotations = { ...csv.metadata.annotations, 'kubectl.kubernetes.io/last-applied-configuration': '{}' };
  return { ...csv, metadata: { ...csv.metadata, labels, annotations } };
};
const world = (parts: Partial<CopyWorld> = {}): CopyWorld => ({
  group: group(''),
  namespaces: ['mill', 'quarry', 'silo'],
  namesakes: [],
  roles: [],
  roleBindings: [],
  ...parts,
});
const namespacesOf = (actions: ReturnType<typeof stepCopies>, what: string) =>
  actions.flatMap((action) => {
    if (action.do !== what) return [];
    if (action.do === 'create') return [action.object.metadata.namespace];
    return action.do === 'delete' ? [action.ref.namespace] : [];
  });
/** The copy as the first pass makes it, read back without its status. */
function copyIn(namespace: string): ClusterServiceVersion {
  const [create] = stepCopies(original(), world({ namespaces: [namespace] }));
  if (create?.do !== 'create') throw new Error('nothing created');
  return { ...original(), metadata: { ...create.object.metadata, uid: `copy-in-${namespace}` }, status: {} };
}

describe('copies of a CSV', () => {
  it.each<{ parts: Partial<CopyWorld>; into: string[]; because: string }>([
    { parts: {}, into: ['quarry', 'silo'], because: 'a global group: everywhere but at home' },
    { parts: { group: group('mill') }, into: [], because: 'its own namespace only' },
    { parts: { group: group('silo', 'ghost') }, into: ['silo'], because: 'a target that does not exist yet' },
    { parts: { group: group() }, into: [], because: 'no targets at all' },
    {
      parts: { copiesOnlyIn: new Set(['silo']) },
      into: ['silo'],
      because: 'copying is off but for protected namespaces',
    },
    {
      parts: { copiesOnlyIn: new Set<string>(), group: group('silo') },
      into: ['silo'],
      because: 'which matters to global groups only',
    },
  ])('are made: $because', ({ parts, into }) => {
    expect(namespacesOf(stepCopies(original(), world(parts)), 'create')).toEqual(into);
  });

  it('carry spec, labels and annotations, but not what belongs to the original alone', () => {
    const { metadata, spec } = copyIn('silo');
    expect(spec).toEqual(original().spec);
    expect(metadata.labels).toEqual({ team: 'stone', 'olm.copiedFrom': 'mill' });
    expect(metadata.annotations).toEqual({ 'olm.operatorGroup': 'millers', 'olm.operatorNamespace': 'mill' });
    expect(metadata.finalizers).toBeUndefined();
  });

  it('get the status in the next pass, and are at rest after that', () => {
    const copy = copyIn('silo');
    const parts = { namespaces: ['silo'], namesakes: [copy] };
    const actions = stepCopies(original(), world(parts));
    expect(actions).toMatchObject([
      {
        do: 'updateStatus',
        object: {
          status: {
            phase: 'Succeeded',
            reason: 'Copied',
            message: 'The operator is running in mill but is managing this namespace',
          },
        },
      },
    ]);
    const [write] = actions;
    const settled =
      write?.do === 'updateStatus' ? ({ ...copy, status: write.object['status'] } as ClusterServiceVersion) : copy;
    expect(stepCopies(original(), world({ ...parts, namesakes: [settled] }))).toEqual([]);
  });

  it('are put right when edited by hand', () => {
    const edited = { ...copyIn('silo'), spec: { ...original().spec, version: '9.9.9' } };
    expect(stepCopies(original(), world({ namespaces: ['silo'], namesakes: [edited] }))).toMatchObject([
      { do: 'update', object: { spec: original().spec } },
    ]);
  });

  it('are put right when they name another namespace as that of their operator', () => {
    const copy = copyIn('silo');
    const annotations = { ...copy.metadata.annotations, 'olm.operatorNamespace': 'silo' };
    const namesakes = [{ ...copy, metadata: { ...copy.metadata, annotations } }];
    const [write] = stepCopies(original(), world({ namespaces: ['silo'], namesakes }));
    expect(write).toMatchObject({
      do: 'update',
      object: { metadata: { annotations: { 'olm.operatorNamespace': 'mill' } } },
    });
  });

  it('never take the place of a CSV that lives there itself', () => {
    const resident = { ...gear('v1'), metadata: { name: 'v1', namespace: 'silo' } };
    expect(namespacesOf(stepCopies(original(), world({ namesakes: [resident] })), 'create')).toEqual(['quarry']);
  });

  it('go where the group no longer reaches, and with their original', () => {
    const namesakes = [copyIn('silo'), copyIn('quarry')];
    expect(namespacesOf(stepCopies(original(), world({ group: group('silo'), namesakes })), 'delete')).toEqual([
      'quarry',
    ]);
    const deleting = { ...original(), metadata: { ...original().metadata, deletionTimestamp: '2026-01-01T00:00:00Z' } };
    expect(namespacesOf(stepCopies(deleting, world({ namesakes })), 'delete')).toEqual(['silo', 'quarry']);
    const conflict = { ...original(), status: { phase: 'Failed', reason: 'InterOperatorGroupOwnerConflict' } };
    expect(namespacesOf(stepCopies(conflict, world({ namesakes })), 'delete')).toEqual(['silo', 'quarry']);
    expect(orphanedCopies(namesakes, [])).toHaveLength(2);
    expect(orphanedCopies(namesakes, [original()])).toEqual([]);
  });

  it('are made before older ones go, and get their statuses last', () => {
    const parts = { namespaces: ['quarry', 'silo'], namesakes: [copyIn('silo')] };
    const old = { ...copyIn('silo'), metadata: { ...copyIn('silo').metadata, name: 'v0', resourceVersion: '7' } };
    const edited = { ...copyIn('quarry'), spec: {} };
    const actions = [
      ...stepCopies(original(), world({ namespaces: ['quarry'], namesakes: [edited] })),
      ...stepCopies(original(), world(parts)),
      ...orphanedCopies([old], [original()]),
    ];
    expect(copiesInOrder(actions).map((action) => action.do)).toEqual(['create', 'delete', 'update', 'updateStatus']);
    expect(copiesInOrder(actions)[1]).toMatchObject({ ref: { name: 'v0', namespace: 'silo' }, resourceVersion: '7' });
  });

  it('bring the Roles along, owned by the copy, rules kept in step', () => {
    const owner = { 'olm.owner': 'v1', 'olm.owner.namespace': 'mill', 'olm.owner.kind': 'ClusterServiceVersion' };
    const role = (namespace: string, labels: Record<string, string>, verbs: string[]): KubernetesObject => ({
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'Role',
      metadata: { name: 'gear-role', namespace, labels },
      rules: [{ verbs, apiGroups: [''], resources: ['pods'] }],
    });
    const parts = { group: group('silo'), namesakes: [copyIn('silo')] };
    const own = role('mill', { ...owner, 'operators.coreos.com/gear.mill': '' }, ['get']);
    const created = stepCopies(original(), world({ ...parts, roles: [own] })).find((action) => action.do === 'create');
    expect(created).toMatchObject({
      object: {
        metadata: {
          namespace: 'silo',
          labels: {
            ...owner,
            'olm.owner.namespace': 'silo',
            'olm.copiedFrom': 'mill',
            'operators.coreos.com/gear.mill': '',
          },
          ownerReferences: [{ uid: 'copy-in-silo' }],
        },
      },
    });
    const stale = stepCopies(original(), world({ ...parts, roles: [own, role('silo', {}, ['list'])] }));
    expect(stale).toContainEqual(
      expect.objectContaining({ do: 'update', object: expect.objectContaining({ rules: own['rules'] }) }),
    );
  });
});
