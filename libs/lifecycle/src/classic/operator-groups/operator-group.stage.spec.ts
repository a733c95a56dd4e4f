import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ClassicCluster, objectOf, refTo, settled } from '../classic-cluster.fixture.js';
import { operatorGroupStage } from './operator-group.stage.js';

let at: ClassicCluster;
beforeEach(async () => {
  at = await ClassicCluster.start();
});
afterEach(() => at.stop());

const GROUP = refTo('OperatorGroup', 'millers', 'mill');

function group(spec: Record<string, unknown>, name = 'millers'): string {
  const { metadata } = at.put(objectOf('OperatorGroup', name, 'mill', { spec }));
  return `olm.operatorgroup.uid/${metadata.uid}`;
}
const namespace = (name: string, labels: Record<string, string> = {}) =>
  at.put(objectOf('Namespace', name, undefined, { metadata: { labels } }));
const pass = () => at.pass('mill', [operatorGroupStage]);
const labelled = (label: string) =>
  at.cluster
    .list({ apiVersion: 'v1', kind: 'Namespace' })
    .filter(({ metadata }) => metadata.labels?.[label] !== undefined)
    .map(({ metadata }) => metadata.name);

async function atRest(): Promise<void> {
  at.writes();
  expect(await pass()).toMatchObject({ rounds: 1 });
  expect(at.writes()).toEqual([]);
}

describe('operator-groups.md §1: target selection in a cluster', () => {
  beforeEach(() => {
    namespace('mill');
    namespace('silo', { team: 'grain' });
    namespace('quarry', { team: 'stone' });
  });

  it.each([
    { spec: { targetNamespaces: ['silo', 'ghost'] }, targets: ['ghost', 'silo'], on: ['silo'] },
    { spec: { selector: { matchLabels: { team: 'grain' } } }, targets: ['silo'], on: ['silo'] },
    { spec: {}, targets: [''], on: [] },
  ])('$spec: targets $targets, the label of the group on $on', async ({ spec, targets, on }) => {
    const label = group(spec);
    expect(await pass()).toMatchObject({ result: 'done' });
    expect(at.status(GROUP)).toMatchObject({ namespaces: targets });
    expect(labelled(label)).toEqual(on);
    await atRest();
  });

  it('a namespace that gets the label, or loses it, enters or leaves the targets', async () => {
    const label = group({ selector: { matchLabels: { team: 'grain' } } });
    await pass();
    at.cluster.edit(refTo('Namespace', 'quarry'), ({ metadata }) =>
      Object.assign(metadata, { labels: { team: 'grain' } }),
    );
    at.cluster.edit(refTo('Namespace', 'silo'), ({ metadata }) => delete metadata.labels?.['team']);
    await pass();
    expect(at.status(GROUP)['namespaces']).toEqual(['quarry']);
    expect(labelled(label)).toEqual(['quarry']);
  });

  it('an entry "" is an error: the status is unchanged, and the group is checked again without an event', async () => {
    group({ targetNamespaces: ['', 'silo'] });
    expect(await pass()).toEqual({
      rounds: expect.any(Number),
      result: 'waits',
      waitsFor: 'OperatorGroup millers: TargetNamespaces cannot contain NamespaceAll: [ silo]',
      againAfterMs: 15_000,
    });
    expect(at.status(GROUP)['namespaces']).toBeUndefined();
  });
});

describe('operator-groups.md §2: conditions and service account', () => {
  beforeEach(() => void namespace('mill'));

  it('a second group: both report it; the one that remains does so no longer', async () => {
    group({ targetNamespaces: ['mill'] });
    group({ targetNamespaces: ['mill'] }, 'rivals');
    await pass();
    const found =
      'MultipleOperatorGroup=True MultipleOperatorGroupsFound: Multiple OperatorGroup found in the same namespace';
    const rivals = refTo('OperatorGroup', 'rivals', 'mill');
    expect([at.conditions(GROUP), at.conditions(rivals)]).toEqual([[found], [found]]);
    at.cluster.delete(rivals);
    await pass();
    expect(at.conditions(GROUP)).toEqual([]);
    await atRest();
  });

  it('a missing account holds back the targets; an account made later is found without an event', async () => {
    group({ targetNamespaces: ['mill'], serviceAccountName: 'clerk' });
    expect(await pass()).toMatchObject({
      result: 'waits',
      waitsFor: expect.stringContaining('failed to get service account, sa=clerk'),
      againAfterMs: 15_000,
    });
    const missing = 'OperatorGroupServiceAccount=True ServiceAccountNotFound: ServiceAccount clerk not found';
    expect(at.conditions(GROUP)).toEqual([missing]);
    expect(at.status(GROUP)['namespaces']).toBeUndefined();
    const { metadata } = at.put(objectOf('ServiceAccount', 'clerk', 'mill'));
    expect(await pass()).toMatchObject({ result: 'done' });
    expect(at.status(GROUP)).toMatchObject({
      namespaces: ['mill'],
      serviceAccountRef: { name: 'clerk', uid: metadata.uid },
    });
    expect(at.conditions(GROUP)).toEqual([]);
    expect(at.get(refTo('ServiceAccount', 'clerk', 'mill'))?.metadata.labels).toEqual({ 'olm.managed': 'true' });
  });

  it('a group that cannot be brought in order does not hold up its neighbour', async () => {
    group({ targetNamespaces: ['mill'], serviceAccountName: 'clerk' }, 'a-first');
    group({ targetNamespaces: ['mill'] });
    expect(await pass()).toMatchObject({ result: 'waits', waitsFor: expect.stringContaining('OperatorGroup a-first') });
    expect(at.status(GROUP)['namespaces']).toEqual(['mill']);
  });
});

describe('operator-groups.md §4 and §5: members, their APIs and the ClusterRoles of a group', () => {
  const roles = () => at.names('ClusterRole').filter((name) => name.startsWith('olm.og.'));
  const crds = { owned: [{ name: 'gears.mill.example', version: 'v1', kind: 'Gear' }] };
  const member = (name: string) =>
    at.put(
      objectOf('ClusterServiceVersion', name, 'mill', {
        spec: { displayName: name, customresourcedefinitions: crds, install: { strategy: 'deployment' } },
        status: { phase: 'Succeeded', reason: 'InstallSucceeded' },
      }),
    );

  beforeEach(() => {
    namespace('mill');
    group({ targetNamespaces: ['mill'] });
  });

  it('three ClusterRoles gather the rights on the APIs of the members; a lost one comes back', async () => {
    member('gear.v1');
    await pass();
    expect(roles().map((name) => name.replace(/-[^-]*$/, ''))).toEqual([
      'olm.og.millers.admin',
      'olm.og.millers.edit',
      'olm.og.millers.view',
    ]);
    const [admin = ''] = roles();
    const selectors = at.get(refTo('ClusterRole', admin))?.['aggregationRule'];
    expect(JSON.stringify(selectors)).toMatch(/olm\.opgroup\.permissions\/aggregate-to-[0-9a-f]{1,16}-admin/);
    at.cluster.delete(refTo('ClusterRole', admin));
    await pass();
    expect(roles()).toContain(admin);
    await atRest();
  });

  it('APIs of members that are gone leave the annotation olm.providedAPIs', async () => {
    member('gear.v1');
    at.cluster.edit(GROUP, ({ metadata }) =>
      Object.assign(metadata, { annotations: { 'olm.providedAPIs': 'Gear.v1.mill.example,Cog.v1.mill.example' } }),
    );
    await pass();
    expect(at.get(GROUP)?.metadata.annotations).toEqual({ 'olm.providedAPIs': 'Gear.v1.mill.example' });
    await atRest();
  });

  it('ClusterRoles of the group go with it, and the label leaves its targets; those of other namespaces stay', async () => {
    at.namespace('quarry');
    await pass();
    await at.pass('quarry', [operatorGroupStage]);
    at.cluster.delete(GROUP);
    await pass();
    expect(roles().map((name) => name.split('.')[2])).toEqual(['quarry-group', 'quarry-group', 'quarry-group']);
    const labels = at.get(refTo('Namespace', 'mill'))?.metadata.labels;
    expect(Object.keys(labels ?? {})).toEqual(['kubernetes.io/metadata.name']);
    await atRest();
  });
});

describe('what goes wrong on the way', () => {
  beforeEach(() => {
    namespace('mill');
    namespace('silo');
  });

  it('a write that met that of another client (409) is decided anew in the same pass', async () => {
    group({ targetNamespaces: ['silo'] });
    at.cluster.failNext({ verb: 'update', resource: 'operatorgroups', subresource: 'status' }, 409, 'Conflict');
    expect(await pass()).toMatchObject({ result: 'done' });
    expect(at.status(GROUP)['namespaces']).toEqual(['silo']);
  });

  it('a Namespace that a webhook does not let change is reported as refused, and the next pass tries again', async () => {
    const label = group({ targetNamespaces: ['silo'] });
    const why = 'admission webhook "labels.example" denied the request';
    at.cluster.failNext({ verb: 'patch', resource: 'namespaces', name: 'silo' }, 403, 'Forbidden', why);
    expect(await pass()).toMatchObject({ result: 'refused', error: { said: why } });
    expect(labelled(label)).toEqual([]);
    expect(await pass()).toMatchObject({ result: 'done' });
    expect(labelled(label)).toEqual(['silo']);
  });

  it('an API server that is away fails the pass, and nothing is lost by it', async () => {
    const label = group({ targetNamespaces: ['silo'] });
    at.cutOff(true);
    expect(await pass()).toMatchObject({ result: 'failed', error: { status: 0 } });
    at.cutOff(false);
    await pass();
    expect(labelled(label)).toEqual(['silo']);
  });

  it('a target that is deleted before it gets its label does not fail the pass', async () => {
    const label = group({ targetNamespaces: ['mill', 'silo'] });
    const reads = at.laggingReads();
    at.cluster.delete(refTo('Namespace', 'silo'));
    await settled();
    expect(await at.pass('mill', [operatorGroupStage], { reads })).toMatchObject({ result: 'done' });
    expect(labelled(label)).toEqual(['mill']);
  });

  it('a label of a group that the cache has not seen yet stays: only the API server decides that a group is gone', async () => {
    const reads = at.laggingReads();
    const label = group({ targetNamespaces: ['silo'] });
    at.cluster.edit(refTo('Namespace', 'silo'), ({ metadata }) => Object.assign(metadata, { labels: { [label]: '' } }));
    const late = { ...reads, behind: ['Namespace'] };
    await at.pass('mill', [operatorGroupStage], { reads: late });
    expect(labelled(label)).toEqual(['silo']);
  });

  it('ClusterRoles are deleted on what the API server has, not on what the cache has', async () => {
    group({ targetNamespaces: ['silo'] });
    await pass();
    at.cluster.delete(GROUP);
    const reads = at.laggingReads();
    group({ targetNamespaces: ['silo'] });
    await at.pass('mill', [operatorGroupStage], { reads });
    expect(at.names('ClusterRole').filter((name) => name.startsWith('olm.og.'))).toHaveLength(3);
  });
});
