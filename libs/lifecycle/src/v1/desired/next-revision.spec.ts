import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CLUSTER_OBJECT_SET_API } from '#core/kernel/api/cluster-object-set';
import {
  BUNDLE_REFERENCE_KEY,
  CONTENT_KEY,
  DIGEST_KEY,
  QUERY_KEY,
  ROLLBACK_KEY,
} from '#core/v1/revision/revision-keys';
import { RegistryError } from '#platform/registry/client/registry-client.port';
import {
  chosen,
  configMap,
  configMapRef,
  ExtensionEnvironment,
  imageOf,
  quietCsv,
} from '../extensions/extension-environment.fixture.js';
import { followDesiredState } from './follow-desired-state.js';

const ONE = { name: 'gear.v1.0.0', version: '1.0.0' };
const RESOLVED = 'error for resolved bundle "gear.v1.0.0" with version "1.0.0": ';
const AWAY = new RegistryError('Unreachable', imageOf('1.0.0'), 'the registry does not answer');

let env: ExtensionEnvironment;
beforeEach(async () => {
  env = await ExtensionEnvironment.start();
});
afterEach(() => env.stop());

const textOf = () => env.cluster.get(configMapRef('settings'))?.data;
const annotationsOf = (name: string) =>
  env.cluster.get({ ...CLUSTER_OBJECT_SET_API, name })?.metadata.annotations ?? {};
const settings = (text: string) => configMap('settings', { text });

describe('the name of the desired bundle', () => {
  it('is refused before anything is made if the status cannot hold it', async () => {
    env.extension();
    env.shelf.put(imageOf('1.0.0'), quietCsv(), settings('steady'));
    await env.answer(chosen({ name: 'Gear_One', version: '1.0.0' }, imageOf('1.0.0')));
    await env.pass();
    expect(env.conditions()['Progressing']).toMatch(
      /^True Retrying: error for resolved bundle "Gear_One" with version "1\.0\.0": its name "Gear_One" is not a DNS name: .*, and status\.install\.bundle\.name accepts no other$/,
    );
    expect([env.revisions(), textOf()]).toEqual([[], undefined]);
  });
});

describe('the content of the desired bundle', () => {
  const byDigest = `registry.test/gear@sha256:${'a'.repeat(64)}`;

  it('is not fetched again where its image is named by digest', async () => {
    env.extension();
    env.shelf.put(byDigest, quietCsv(), settings('steady'));
    await env.answer(chosen(ONE, byDigest));
    await env.pass();
    await env.answer(chosen(ONE, byDigest));
    await env.pass();
    const { pulls } = env.shelf;
    await env.pass();
    expect(env.shelf.pulls).toBe(pulls);
    expect(env.lifecycles()).toEqual(['1 Active']);
  });

  it('that has changed under the same tag is rolled out, and an Event names both digests', async () => {
    env.extension();
    await env.install('1.0.0', quietCsv(), settings('steady'));
    const before = annotationsOf('gear-1')[DIGEST_KEY];
    await env.install('1.0.0', quietCsv(), settings('quick'));
    expect(textOf()).toEqual({ text: 'quick' });
    expect(env.events()).toContain(
      `Normal BundleContentChanged: Revision gear-2 for bundle gear.v1.0.0 version 1.0.0 was created. Bundle gear.v1.0.0 has other content under the same version 1.0.0: it was ${before}, it is ${annotationsOf('gear-2')[DIGEST_KEY]}`,
    );
  });

  it('that is the same under another digest and image makes no revision: only the origin is written', async () => {
    env.extension();
    await env.install('1.0.0', quietCsv(), settings('steady'));
    const before = annotationsOf('gear-1');
    env.shelf.put('elsewhere.test/gear:1', quietCsv(), settings('steady'));
    await env.answer(chosen(ONE, 'elsewhere.test/gear:1'));
    expect(await env.pass()).toMatchObject({ result: 'done' });
    expect(env.lifecycles()).toEqual(['1 Active']);
    const now = annotationsOf('gear-1');
    expect(now[BUNDLE_REFERENCE_KEY]).toBe('elsewhere.test/gear:1');
    expect([now[DIGEST_KEY] === before[DIGEST_KEY], now[CONTENT_KEY]]).toEqual([false, before[CONTENT_KEY]]);
    env.writes();
    await env.pass();
    expect(env.writes()).toEqual([]);
  });

  it('that cannot be fetched is Retrying, and tried again after 15 seconds', async () => {
    env.extension();
    await env.offer('1.0.0', quietCsv());
    env.shelf.away = AWAY;
    expect(await env.pass()).toMatchObject({ result: 'waits', againAfterMs: 15_000 });
    expect(env.conditions()).toMatchObject({
      Installed: 'False Failed: No bundle installed',
      Progressing: `True Retrying: ${RESOLVED}the registry does not answer`,
    });
    env.shelf.away = undefined;
    await env.install('1.0.0');
    expect(env.conditions()).toMatchObject({ Progressing: 'True Succeeded: Revision 1.0.0 has rolled out.' });
  });

  it('of the installed bundle is not missed while the registry is away: drift is still repaired', async () => {
    env.extension();
    await env.install('1.0.0', quietCsv(), settings('steady'));
    env.shelf.away = AWAY;
    await env.client.delete(configMapRef('settings'));
    expect(await env.pass()).toMatchObject({ result: 'waits', againAfterMs: 15_000 });
    expect(textOf()).toEqual({ text: 'steady' });
    expect(env.conditions()).toMatchObject({ Progressing: 'True Succeeded: Revision 1.0.0 has rolled out.' });
  });

  it('under a reference that no registry can know blocks the extension', async () => {
    env.extension();
    await env.answer(chosen(ONE, 'registry.test/GEAR::1'));
    expect(await env.pass()).toEqual({ rounds: 2, result: 'done' });
    expect(env.conditions()['Progressing']).toMatch(`False Blocked: ${RESOLVED}`);
    expect(env.shelf.pulls).toBe(0);
  });

  it('that takes long is not waited for: the pass ends, and its arrival enqueues the extension', async () => {
    env.extension();
    await env.offer('1.0.0', quietCsv(), settings('steady'));
    const { promise, resolve } = Promise.withResolvers<void>();
    env.shelf.slow = promise;
    expect(await followDesiredState(await env.round())).toMatchObject({
      moved: false,
      unsolved: true,
      againAfterMs: 30_000,
    });
    expect(env.woken).toEqual([]);
    resolve();
    await expect.poll(() => env.woken, { interval: 1 }).toEqual(['gear']);
    expect(await followDesiredState(await env.round())).toMatchObject({ moved: true });
    expect(env.shelf.pulls).toBe(1);
    expect(env.lifecycles()).toEqual(['1 Active']);
  });
});

describe('a bundle that cannot be installed', () => {
  const apiService = {
    apiservicedefinitions: { owned: [{ name: 'v1.gears', group: 'gears', version: 'v1', kind: 'G' }] },
  };
  const OWN = [{ type: 'OwnNamespace', supported: true }];

  it.each<[why: string, condition: string, manifests: readonly object[], spec: object]>([
    ['it has no CSV', 'True Retrying', [settings('x')], {}],
    ['it owns an API service', 'True Retrying', [quietCsv(apiService)], {}],
    [
      'its configuration has a field that is not known',
      'False InvalidConfiguration',
      [quietCsv()],
      { config: { configType: 'Inline', inline: { colour: 'red' } } },
    ],
    [
      'its configuration lacks the namespace to watch',
      'False InvalidConfiguration',
      [quietCsv({ installModes: OWN })],
      {},
    ],
  ])('because %s: %s, and nothing is stored', async (_, condition, manifests, spec) => {
    env.extension(spec);
    await env.offer('1.0.0', ...manifests);
    await env.pass();
    expect(env.conditions()['Progressing']).toMatch(`${condition}: ${RESOLVED}`);
    expect(env.conditions()).toMatchObject({ Installed: 'False Failed: No bundle installed' });
    expect(env.lifecycles()).toEqual([]);
    env.writes();
    await env.pass();
    expect(env.writes()).toEqual([]);
  });

  it('leaves the installed one as it is', async () => {
    env.extension();
    await env.install('1.0.0', quietCsv(), settings('steady'));
    await env.install('1.1.0', quietCsv(apiService));
    expect(env.conditions()).toMatchObject({
      Installed: 'True Succeeded: Installed bundle registry.test/gear:1.0.0 successfully',
      Progressing: expect.stringContaining('unsupported bundle: apiServiceDefintions are not supported'),
    });
    expect(textOf()).toEqual({ text: 'steady' });
  });
});

describe('a changed spec of an installed extension', () => {
  it('makes no revision where it asks for the same bundle: the revision notes what it answers', async () => {
    env.extension();
    await env.install('1.0.0', quietCsv(), settings('steady'));
    const before = annotationsOf('gear-1')[QUERY_KEY];
    await env.change({ source: { catalog: { version: '1.0.0' } } });
    await env.install('1.0.0');
    expect(env.lifecycles()).toEqual(['1 Active']);
    expect(annotationsOf('gear-1')[QUERY_KEY]).not.toBe(before);
  });

  it.each([
    [10, undefined],
    [undefined, 20],
    [30, 60],
  ])('moves the deadline of its newest revision from %s to %s minutes', async (before, after) => {
    env.extension(before === undefined ? {} : { progressDeadlineMinutes: before });
    await env.install('1.0.0', quietCsv(), settings('steady'));
    await env.change({ progressDeadlineMinutes: after ?? null });
    await env.pass();
    expect(env.revisions().map(({ spec }) => spec.progressDeadlineMinutes)).toEqual([after]);
  });

  it('makes a revision where another namespace is to be watched', async () => {
    const installModes = ['AllNamespaces', 'SingleNamespace'].map((type) => ({ type, supported: true }));
    const clusterPermissions = [{ serviceAccountName: 'gear', rules: [] }];
    const permissions = [
      { serviceAccountName: 'gear', rules: [{ apiGroups: [''], resources: ['pods'], verbs: ['get'] }] },
    ];
    env.add({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'other' } });
    env.extension();
    await env.install('1.0.0', quietCsv({ installModes }, { clusterPermissions, permissions }));
    const roles = () =>
      env.cluster.list({ apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'Role', namespace: 'other' });
    expect(roles()).toEqual([]);
    await env.change({ config: { configType: 'Inline', inline: { watchNamespace: 'other' } } });
    await env.install('1.0.0');
    expect(env.lifecycles()).toEqual(['1 Archived', '2 Active']);
    expect(roles()).toHaveLength(1);
  });
});

describe('a rollback', () => {
  const rollBackTo = (revision: string | null) => env.change({}, { annotations: { [ROLLBACK_KEY]: revision } });

  it('brings the content of an earlier revision back without catalog and registry, until the annotation goes', async () => {
    env.extension();
    await env.install('1.0.0', quietCsv(), settings('steady'));
    await env.install('1.1.0', quietCsv(), settings('quick'));
    await env.pass();
    env.shelf.away = AWAY;
    await rollBackTo('1');
    await env.pass();
    expect(textOf()).toEqual({ text: 'steady' });
    expect(env.lifecycles()).toEqual(['1 Archived', '2 Archived', '3 Active']);
    expect(env.live()?.status?.install?.bundle.version).toBe('1.0.0');
    expect(env.conditions()).toMatchObject({
      Progressing:
        'True Succeeded: Revision 1.0.0 has rolled out. Held at the content of revision 1 by annotation flotilla.dev/rollback-to-revision.',
    });
    env.writes();
    await env.pass();
    expect(env.writes()).toEqual([]);
    env.shelf.away = undefined;
    await rollBackTo(null);
    await env.install('1.1.0');
    expect(textOf()).toEqual({ text: 'quick' });
  });

  it('to a revision whose manifests are gone is blocked', async () => {
    env.extension();
    await env.install('1.0.0', quietCsv(), settings('steady'));
    await env.install('1.1.0', quietCsv(), settings('quick'));
    await env.pass();
    for (const { metadata } of env.cluster.list({ apiVersion: 'v1', kind: 'Secret', namespace: 'flotilla-system' }))
      if (metadata.name.startsWith('gear-1-'))
        env.cluster.delete({ apiVersion: 'v1', kind: 'Secret', name: metadata.name, namespace: 'flotilla-system' });
    await rollBackTo('1');
    await env.pass();
    expect(env.conditions()['Progressing']).toMatch(/^False Blocked: the manifests of revision 1 cannot be read: /);
    expect(textOf()).toEqual({ text: 'quick' });
  });
});
