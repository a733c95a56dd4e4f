import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CLUSTER_CATALOG_API } from '#core/kernel/api/cluster-catalog';
import { CLUSTER_OBJECT_SET_API } from '#core/kernel/api/cluster-object-set';
import type { ExtensionSolution } from '#core/v1/extension/extension-problem';
import { ROLLBACK_KEY } from '#core/v1/revision/revision-keys';
import { Refusal } from '#testing/cluster/objects/refusal';
import {
  chosen,
  configMap,
  ExtensionEnvironment,
  imageOf,
  quietCsv,
} from '../extensions/extension-environment.fixture.js';
import { wantedBundle } from './wanted-bundle.js';

const ASK = { sourceType: 'Catalog', catalog: { packageName: 'gear' } };
const ONE = { name: 'gear.v1.0.0', version: '1.0.0' };
const TWO = { name: 'gear.v2.0.0', version: '2.0.0' };
const NONE: ExtensionSolution = { class: 'NoPackage', error: 'no bundles found for package "gear"' } as never;

let env: ExtensionEnvironment;
beforeEach(async () => {
  env = await ExtensionEnvironment.start();
});
afterEach(() => env.stop());

const wanted = async () => wantedBundle(await env.round());
const installed = async (source: object = ASK) => {
  env.extension({ source });
  await env.install('1.0.0', quietCsv(), configMap('settings', { text: 'steady' }));
};
const catalog = (name: string, labels: Record<string, string> = {}, spec: object = {}) =>
  env.add({
    ...CLUSTER_CATALOG_API,
    metadata: { name, labels },
    spec: { source: { type: 'Image', image: { ref: 'registry.test/catalog:1' } }, ...spec },
  });

describe('the answer of the resolver to a ClusterExtension', () => {
  it('is the desired bundle, with what the catalog says of it', async () => {
    env.extension();
    const entry = { reference: { schema: 'olm.package', name: 'gear' }, message: 'use another' };
    await env.answer(chosen(ONE, imageOf('1.0.0'), { deprecation: [entry] }));
    expect(await wanted()).toMatchObject({
      kind: 'bundle',
      bundle: { bundle: ONE, image: 'registry.test/gear:1.0.0' },
      deprecation: [entry],
    });
  });

  it('notes a version that is held back', async () => {
    await installed();
    await env.answer(chosen(ONE, imageOf('1.0.0'), { heldBack: { version: '2.0.0', installed: '1.0.0' } }));
    expect(await wanted()).toMatchObject({
      note: expect.stringContaining('Version "2.0.0" is held back'),
      deprecation: [],
    });
  });

  it('that has not come is awaited; the poller, which has not seen the extension yet, is asked a second later', async () => {
    env.extension();
    expect(await wanted()).toEqual({ kind: 'wait' });
    await env.clock.advance(999);
    expect(env.observed).toEqual([]);
    await env.clock.advance(1);
    expect(env.observed).toEqual(['gear']);
  });

  it('to an earlier spec is no answer', async () => {
    env.extension();
    await env.answer(chosen(ONE, imageOf('1.0.0')));
    await env.change({ source: { catalog: { version: '2' } } });
    expect(await wanted()).toEqual({ kind: 'wait' });
    await env.clock.advance(1_000);
    expect(env.observed).toEqual(['gear']);
  });

  it('is awaited without a request where the problem of the present spec is being solved', async () => {
    env.extension();
    await env.answer(chosen(ONE, imageOf('1.0.0')));
    const observation = await env.store.getObservation('east', 'gear');
    await env.store.dropSolution(observation?.problem ?? '');
    expect(await wanted()).toEqual({ kind: 'wait' });
    await env.clock.advance(60_000);
    expect(env.observed).toEqual([]);
  });

  it('that is refused is asked for again after half a minute, so that a stolen resolver makes no circle', async () => {
    env.extension();
    env.admitted = false;
    await env.answer(chosen(ONE, imageOf('1.0.0')));
    expect(await wanted()).toEqual({ kind: 'wait' });
    await env.clock.advance(29_999);
    expect(env.observed).toEqual([]);
    await env.clock.advance(1);
    expect(env.observed).toEqual(['gear']);
  });

  it('that there is no bundle is what keeps it from being installed', async () => {
    env.extension();
    await env.answer(NONE);
    const trouble = { reason: 'Retrying', message: 'no bundles found for package "gear"' };
    expect(await wanted()).toEqual({ kind: 'trouble', trouble });
  });

  it('of a source that is no catalog blocks it', async () => {
    env.extension();
    const pass = await env.round();
    const { extension } = pass.read;
    const spec = { ...extension.spec, source: { sourceType: 'Bundle' } };
    expect(await wantedBundle({ ...pass, read: { ...pass.read, extension: { ...extension, spec } } })).toEqual({
      kind: 'trouble',
      trouble: { reason: 'Blocked', message: 'spec.source of type "Bundle" names no catalog' },
    });
  });
});

describe('an installed bundle, where resolution finds none any more', () => {
  const pinned = (version: string) => ({ ...ASK, catalog: { ...ASK.catalog, version } });
  const red = { ...ASK, catalog: { ...ASK.catalog, selector: { matchLabels: { colour: 'red' } } } };

  it.each<[kept: boolean, because: string, source: object, prepare: () => unknown]>([
    [true, 'no catalog exists any more', ASK, () => undefined],
    [true, 'no catalog matches the selector', red, () => catalog('main', { colour: 'blue' })],
    [true, 'the kind of catalogs is gone', ASK, () => env.client.delete(CATALOG_CRD)],
    [true, 'the version asked for is the installed one', pinned('1.0.0'), () => undefined],
    [false, 'a catalog may have one again', ASK, () => catalog('main')],
    [false, 'a catalog matches the selector', red, () => catalog('main', { colour: 'red' })],
    [false, 'an unavailable catalog counts too', ASK, () => catalog('main', {}, { availabilityMode: 'Unavailable' })],
    [false, 'a range is another version than the installed one, as text', pinned('1.x'), () => undefined],
    [
      false,
      'catalogs cannot be listed',
      ASK,
      () => env.cluster.failAll({ resource: 'clustercatalogs' }, new Refusal(403, 'Forbidden', 'not yours')),
    ],
  ])('is kept: %s (%s)', async (kept, _, source, prepare) => {
    await installed(source);
    await env.answer(NONE);
    await prepare();
    expect(await wanted()).toMatchObject(
      kept
        ? { kind: 'bundle', bundle: { bundle: ONE } }
        : { kind: 'trouble', trouble: { reason: 'Retrying', message: 'no bundles found for package "gear"' } },
    );
  });

  const CATALOG_CRD = {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    name: 'clustercatalogs.olm.operatorframework.io',
  };

  it('ends as Succeeded, with unknown deprecations', async () => {
    await installed();
    await env.answer(NONE);
    await env.pass();
    expect(env.conditions()).toMatchObject({
      Progressing: 'True Succeeded: Revision 1.0.0 has rolled out.',
      Deprecated: 'Unknown DeprecationStatusUnknown: deprecation status unknown: catalog data unavailable',
    });
  });
});

describe('a rollout', () => {
  const refuse = () =>
    env.cluster.failAll({ verb: 'patch', resource: 'configmaps' }, new Refusal(403, 'Forbidden', 'not now'));

  beforeEach(async () => {
    env.extension({ progressDeadlineMinutes: 10 });
    refuse();
    await env.offer('1.0.0', quietCsv(), configMap('settings', { text: 'steady' }));
    await env.pass();
    expect(env.lifecycles()).toEqual(['1 Active']);
    await env.answer(chosen(TWO, imageOf('2.0.0')));
  });

  it('is not interrupted by another answer to the same spec', async () => {
    expect(await wanted()).toMatchObject({ kind: 'bundle', bundle: { bundle: ONE } });
  });

  it('is given up at once for another spec', async () => {
    await env.change({ source: { catalog: { version: '2.0.0' } } });
    await env.answer(chosen(TWO, imageOf('2.0.0')));
    expect(await wanted()).toMatchObject({ kind: 'bundle', bundle: { bundle: TWO } });
  });

  it('is given up once its deadline has passed', async () => {
    await env.clock.advance(11 * 60_000);
    await env.pass();
    expect(env.setConditions('gear-1')['Progressing']).toMatch(/^False ProgressDeadlineExceeded/);
    expect(await wanted()).toMatchObject({ kind: 'bundle', bundle: { bundle: TWO } });
  });
});

describe('the annotation flotilla.dev/rollback-to-revision', () => {
  const rollBackTo = (revision: string) => env.change({}, { annotations: { [ROLLBACK_KEY]: revision } });

  it('names the revision whose content is desired, whatever the resolver says', async () => {
    await installed();
    await env.answer(chosen(TWO, imageOf('2.0.0')));
    await rollBackTo('1');
    expect(await wanted()).toMatchObject({ kind: 'rollback', to: { metadata: { name: 'gear-1' } } });
  });

  it.each([
    ['2', '1'],
    ['none', '1'],
    ['', '1'],
  ])('that names %j blocks the extension, and the message lists those that are kept', async (revision, kept) => {
    await installed();
    await rollBackTo(revision);
    const message = `annotation ${ROLLBACK_KEY} names revision ${JSON.stringify(revision)}, which does not exist; existing revisions: ${kept}`;
    expect(await wanted()).toEqual({ kind: 'trouble', trouble: { reason: 'Blocked', message } });
  });

  it('blocks an extension without any revision', async () => {
    env.extension({}, { annotations: { [ROLLBACK_KEY]: '1' } });
    expect(await wanted()).toMatchObject({ trouble: { message: expect.stringMatching(/existing revisions: none$/) } });
    expect(env.cluster.list(CLUSTER_OBJECT_SET_API)).toEqual([]);
  });
});
