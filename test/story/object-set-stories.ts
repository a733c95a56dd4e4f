import { beforeAll, expect, it } from 'vitest';
import { CLUSTER_OBJECT_SET_API } from '#core/kernel/api/cluster-object-set';
import { PATIENCE } from '#testing/patience';
import type { ExtensionFixture } from './extension-fixture.js';

/** Behaviour of ClusterObjectSets without a ClusterExtension (spec: v1-scenarios.md, "revision.feature"). */
export function describeObjectSets(fixture: () => ExtensionFixture): void {
  const configMap = (name: string, foo = 'foo') => ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name, namespace: 'by-hand' },
    data: { foo },
  });
  const phase = (name: string, object: object) => ({ name, objects: [{ object }] });
  const make = (name: string, phases: readonly object[], more: object = {}) =>
    fixture().client.create({
      ...CLUSTER_OBJECT_SET_API,
      metadata: { name },
      spec: { lifecycleState: 'Active', collisionProtection: 'Prevent', revision: 1, phases, ...more },
    });
  const condition = (name: string, type: string) => fixture().setCondition(name, type);
  const fieldValue = (fieldPath: string, value: string) => ({ type: 'FieldValue', fieldValue: { fieldPath, value } });
  beforeAll(() => fixture().namespace('by-hand'));

  it('scenario 37: waits with the next phase for a probe of its own, reported in full', async () => {
    const selector = { type: 'Label', label: { matchLabels: { probed: 'yes' } } };
    const probe = {
      selector,
      assertions: [fieldValue('data.foo', 'bar')],
    };
    const probed = {
      ...configMap('probed'),
      metadata: { ...configMap('probed').metadata, labels: { probed: 'yes' } },
    };
    const phases = [phase('first', probed), phase('second', configMap('after'))];
    await make('probes', phases, { progressionProbes: [probe] });
    await expect
      .poll(() => condition('probes', 'Available'), PATIENCE)
      .toBe(
        'False ProbeFailure: Object ConfigMap.v1 by-hand/probed: value at key "data.foo" != "bar"; expected: "bar" got: "foo"',
      );
    expect(await condition('probes', 'Progressing')).toMatch(/^True RollingOut/);
    expect(await fixture().get('v1', 'ConfigMap', 'after', 'by-hand')).toBeUndefined();
  });

  it('scenario 40: is blocked by a Secret that can change, and goes on once it is another', async () => {
    const secret = {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 'manifests', namespace: 'by-hand' },
      data: { one: Buffer.from(JSON.stringify(configMap('from-secret'))).toString('base64') },
    };
    await fixture().client.create(secret);
    const ref = { name: 'manifests', namespace: 'by-hand', key: 'one' };
    await make('secrets', [{ name: 'only', objects: [{ ref }] }]);
    await expect
      .poll(() => condition('secrets', 'Progressing'), PATIENCE)
      .toBe(
        'False Blocked: the following secrets are not immutable (referenced secrets must have immutable set to true): by-hand/manifests',
      );
    await fixture().client.patch({ ...secret, name: 'manifests', namespace: 'by-hand' }, { immutable: true });
    await expect.poll(() => condition('secrets', 'Succeeded'), PATIENCE).toMatch(/^True Succeeded/);
    expect(await fixture().get('v1', 'ConfigMap', 'from-secret', 'by-hand')).toMatchObject({ data: { foo: 'foo' } });
  });

  it('applies nothing of a set that no rollout can mend, and says why in the words of OLM v1', async () => {
    const same = (foo: string) => configMap('same', foo);
    const held = {
      ...configMap('held'),
      metadata: { ...configMap('held').metadata, finalizers: ['example.com/stop'] },
    };
    await make('twice', [{ name: 'one', objects: [{ object: same('a') }, { object: same('b') }] }]);
    await make('both', [phase('one', configMap('both')), phase('two', configMap('both'))]);
    await make('held', [phase('one', configMap('before')), phase('two', held)]);
    await make('named', [phase('1st', configMap('named'))]);
    const object = (name: string) => `/v1, Kind=ConfigMap by-hand/${name}`;
    const twice = `${object('same')}: duplicate object found in phases: one`;
    const both = `${object('both')}: duplicate object found in phases: one, two`;
    const says: readonly (readonly [set: string, text: string])[] = [
      ['twice', `phase "one": ${twice}`],
      ['both', `phase "one": ${both}, phase "two": ${both}`],
      ['held', `phase "two": ${object('held')}: metadata.finalizers: Forbidden: must be empty`],
      ['named', 'phase "1st": phase name invalid: a DNS-1035 label must consist of'],
    ];
    for (const [set, text] of says) {
      await expect
        .poll(() => condition(set, 'Progressing'), PATIENCE)
        .toContain(`True Retrying: revision validation error: revision "${set}" (1): ${text}`);
    }
    for (const name of ['same', 'both', 'before', 'held', 'named']) {
      expect(await fixture().get('v1', 'ConfigMap', name, 'by-hand'), name).toBeUndefined();
    }
  });

  it('scenario 35: waits with the next phase for a claim that is not bound', async () => {
    const claim = {
      apiVersion: 'v1',
      kind: 'PersistentVolumeClaim',
      metadata: { name: 'unbound', namespace: 'by-hand' },
      spec: { accessModes: ['ReadWriteOnce'], storageClassName: '', resources: { requests: { storage: '1Mi' } } },
    };
    const bound = {
      selector: { type: 'GroupKind', groupKind: { group: '', kind: 'PersistentVolumeClaim' } },
      assertions: [fieldValue('status.phase', 'Bound')],
    };
    const phases = [phase('storage', claim), phase('after', configMap('after-claim'))];
    await make('claims', phases, { progressionProbes: [bound] });
    await expect
      .poll(() => condition('claims', 'Available'), PATIENCE)
      .toBe(
        'False ProbeFailure: Object PersistentVolumeClaim.v1 by-hand/unbound: value at key "status.phase" != "Bound"; expected: "Bound" got: "Pending"',
      );
    expect(await fixture().get('v1', 'ConfigMap', 'after-claim', 'by-hand')).toBeUndefined();
  });

  it('scenario 38: goes through all phases where probes of every kind pass', async () => {
    const labels = { app: 'probed-all' };
    const deployment = {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 'probed-all', namespace: 'by-hand' },
      spec: {
        selector: { matchLabels: labels },
        template: {
          metadata: { labels },
          spec: { containers: [{ name: 'it', image: 'registry.example/operator:1' }] },
        },
      },
    };
    const settings = {
      ...configMap('probed-all'),
      metadata: { name: 'probed-all', namespace: 'by-hand', labels },
      data: { foo: 'same', bar: 'same' },
    };
    const equal = { type: 'FieldsEqual', fieldsEqual: { fieldA: 'data.foo', fieldB: 'data.bar' } };
    const available = { type: 'ConditionEqual', conditionEqual: { type: 'Available', status: 'True' } };
    const selectors = {
      deployments: { type: 'GroupKind', groupKind: { group: 'apps', kind: 'Deployment' } },
      labelled: {
        type: 'Label',
        label: { matchExpressions: [{ key: 'app', operator: 'In', values: ['probed-all'] }] },
      },
    };
    const progressionProbes = [
      { selector: selectors.deployments, assertions: [available] },
      { selector: selectors.labelled, assertions: [equal, fieldValue('data.foo', 'same')] },
    ];
    const phases = [phase('settings', settings), phase('deploy', deployment), phase('last', configMap('after-all'))];
    await make('all-probes', phases, { progressionProbes });
    await expect.poll(() => condition('all-probes', 'Succeeded'), PATIENCE).toMatch(/^True Succeeded/);
    expect(await condition('all-probes', 'Available')).toMatch(/^True ProbesSucceeded/);
    expect(await fixture().get('v1', 'ConfigMap', 'after-all', 'by-hand')).toBeDefined();
  });

  it('scenario 41: is blocked by a Secret of other content than it saw, and goes on with the one it saw', async () => {
    const place = { apiVersion: 'v1', kind: 'Secret', name: 'sealed', namespace: 'by-hand' };
    const seal = (foo: string) =>
      fixture().client.create({
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: { name: 'sealed', namespace: 'by-hand' },
        immutable: true,
        data: { one: Buffer.from(JSON.stringify(configMap('unsealed', foo))).toString('base64') },
      });
    await seal('foo');
    const marked = {
      selector: { type: 'GroupKind', groupKind: { group: '', kind: 'ConfigMap' } },
      assertions: [fieldValue('data.marked', 'yes')],
    };
    const ref = { name: 'sealed', namespace: 'by-hand', key: 'one' };
    await make('sealed', [{ name: 'only', objects: [{ ref }] }], { progressionProbes: [marked] });
    await expect.poll(() => condition('sealed', 'Available'), PATIENCE).toMatch(/^False ProbeFailure: .*missing key/);
    await fixture().client.delete(place);
    await seal('other');
    await expect
      .poll(() => condition('sealed', 'Progressing'), PATIENCE)
      .toMatch(
        /^False Blocked: resolved content of 1 phase\(s\) has changed: phase "only" \(expected digest sha256:\w+, got sha256:\w+\); a referenced object source may have been deleted and recreated with different content$/,
      );
    expect(await fixture().get('v1', 'ConfigMap', 'unsealed', 'by-hand')).toMatchObject({ data: { foo: 'foo' } });
    await fixture().client.delete(place);
    await seal('foo');
    await expect.poll(() => condition('sealed', 'Progressing'), PATIENCE).toMatch(/^True RollingOut/);
    // Not one of the set's own fields, so it stays.
    const unsealed = { apiVersion: 'v1', kind: 'ConfigMap', name: 'unsealed', namespace: 'by-hand' };
    await fixture().client.patch(unsealed, { data: { marked: 'yes' } });
    await expect.poll(() => condition('sealed', 'Progressing'), PATIENCE).toMatch(/^True Succeeded/);
  });

  it('takes what another owner has only as far as its collision protection says so, the nearest level first', async () => {
    await fixture().client.create(configMap('keeper'));
    const uid = (await fixture().get('v1', 'ConfigMap', 'keeper', 'by-hand'))?.metadata.uid ?? '';
    const owner = { apiVersion: 'v1', kind: 'ConfigMap', name: 'keeper', uid, controller: true };
    const free = (name: string) => fixture().client.create(configMap(name, 'before'));
    const kept = (name: string) => {
      const { metadata: own, ...object } = configMap(name, 'before');
      return fixture().client.create({ ...object, metadata: { ...own, ownerReferences: [owner] } });
    };
    for (const name of ['free-prevent', 'free-adopted']) await free(name);
    for (const name of ['kept-prevent', 'kept-taken']) await kept(name);
    const one = (name: string, collisionProtection?: string) =>
      make(`set-${name}`, [
        {
          name: 'only',
          objects: [{ object: configMap(name, 'after'), ...(collisionProtection && { collisionProtection }) }],
        },
      ]);
    await one('free-prevent');
    await one('free-adopted', 'IfNoController');
    await one('kept-prevent', 'IfNoController');
    await one('kept-taken', 'None');
    for (const name of ['free-prevent', 'kept-prevent']) {
      await expect
        .poll(() => condition(`set-${name}`, 'Progressing'), PATIENCE)
        .toMatch(
          `True Retrying: revision object collisions in phase 0\nObject ConfigMap.v1 by-hand/${name}\nAction: "Collision"\n`,
        );
      expect(await fixture().get('v1', 'ConfigMap', name, 'by-hand')).toMatchObject({ data: { foo: 'before' } });
    }
    expect(await condition('set-kept-prevent', 'Progressing')).toMatch(/Conflicting Owner: ConfigMap.v1 "keeper"$/);
    for (const name of ['free-adopted', 'kept-taken']) {
      await expect.poll(() => condition(`set-${name}`, 'Succeeded'), PATIENCE).toMatch(/^True Succeeded/);
      const taken = await fixture().get('v1', 'ConfigMap', name, 'by-hand');
      expect(taken).toMatchObject({ data: { foo: 'after' } });
      expect(taken?.metadata.ownerReferences).toEqual([
        expect.objectContaining({ name: `set-${name}`, controller: true }),
      ]);
    }
  });

  it('takes its objects away when it is archived', async () => {
    await make('passing', [phase('only', configMap('passing'))]);
    await expect.poll(() => condition('passing', 'Succeeded'), PATIENCE).toMatch(/^True Succeeded/);
    await fixture().client.patch(
      { ...CLUSTER_OBJECT_SET_API, name: 'passing' },
      { spec: { lifecycleState: 'Archived' } },
    );
    await expect.poll(() => condition('passing', 'Progressing'), PATIENCE).toBe('False Archived: revision is archived');
    expect(await fixture().get('v1', 'ConfigMap', 'passing', 'by-hand')).toBeUndefined();
  });
}
