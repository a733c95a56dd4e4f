import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CLUSTER_OBJECT_SET_API } from '#core/kernel/api/cluster-object-set';
import { Refusal } from '#testing/cluster/objects/refusal';
import {
  configMap,
  configMapRef,
  ExtensionEnvironment,
  NAMESPACE,
  objectSet,
  quietCsv,
  runningCsv,
} from '../extensions/extension-environment.fixture.js';

let env: ExtensionEnvironment;
beforeEach(async () => {
  env = await ExtensionEnvironment.start();
});
afterEach(() => env.stop());

const isThere = (name: string) => env.cluster.get(configMapRef(name)) !== undefined;
const progressing = (name = 'mill') => env.setConditions(name)['Progressing'];

describe('an object that is there already', () => {
  const owner = { apiVersion: 'v1', kind: 'Namespace', name: NAMESPACE, controller: true };
  const there = (owned: boolean) => {
    const uid = env.cluster.get({ apiVersion: 'v1', kind: 'Namespace', name: NAMESPACE })?.metadata.uid ?? '';
    const one = configMap('one', { text: 'theirs' });
    const ownerReferences = owned ? [{ ...owner, uid }] : [];
    env.add({ ...one, metadata: { ...one.metadata, ownerReferences } });
  };
  const NO_OWNER = 'Conflicting Owner: none; it was there before';
  const OWNER = 'Conflicting Owner: Namespace.v1 "mill"';

  it.each<[protection: string, owned: boolean, conflict: string | undefined]>([
    ['Prevent', false, NO_OWNER],
    ['Prevent', true, OWNER],
    ['IfNoController', false, undefined],
    ['IfNoController', true, OWNER],
    ['None', false, undefined],
    ['None', true, undefined],
  ])('under %s, with a controller: %s', async (collisionProtection, owned, conflict) => {
    there(owned);
    env.add(
      objectSet('mill', [['first', configMap('one', { text: 'ours' }), configMap('two')]], { collisionProtection }),
    );
    await env.passOverSet('mill');
    const report = ['Object ConfigMap.v1 mill/one', 'Action: "Collision"', conflict].join('\n');
    expect(progressing()).toBe(
      conflict === undefined
        ? 'True Succeeded: Revision has rolled out.'
        : `True Retrying: revision object collisions in phase 0\n${report}`,
    );
    const text = conflict === undefined ? 'ours' : 'theirs';
    expect(env.cluster.get(configMapRef('one'))).toMatchObject({ data: { text } });
    expect(isThere('two'), 'the whole phase waits').toBe(conflict === undefined);
  });

  it('no longer stands in the way once it has gone', async () => {
    there(false);
    env.extension();
    await env.install('1.0.0', quietCsv(), configMap('one', { text: 'ours' }));
    expect(env.conditions()).toMatchObject({
      Installed: 'False Failed: No bundle installed',
      Progressing: expect.stringMatching(/^True Retrying: revision object collisions in phase 0\n/),
    });
    expect(await env.pass()).toMatchObject({ againAfterMs: 1_000 });
    env.cluster.delete(configMapRef('one'));
    await env.install('1.0.0');
    expect(env.conditions()).toMatchObject({ Progressing: 'True Succeeded: Revision 1.0.0 has rolled out.' });
  });

  it('is tried again after pauses that grow to ten seconds', async () => {
    there(false);
    env.extension();
    await env.install('1.0.0', quietCsv(), configMap('one', { text: 'ours' }));
    const pauses: unknown[] = [Object(await env.pass()).againAfterMs];
    const [revision] = env.cluster.list(CLUSTER_OBJECT_SET_API);
    const createdAt = Date.parse(revision?.metadata.creationTimestamp ?? '');
    for (const seconds of [6, 12, 72]) {
      // The API server has a clock of its own.
      await env.clock.advance(createdAt + seconds * 1_000 - env.clock.now().getTime());
      pauses.push(Object(await env.pass()).againAfterMs);
    }
    const [first = 0, second = 0, third = 0, last = 0] = pauses.map(Number);
    expect([first, last]).toEqual([1_000, 10_000]);
    expect(second).toBeGreaterThanOrEqual(2_500);
    expect(second).toBeLessThan(third);
    expect(third).toBeLessThan(10_000);
  });
});

describe('what the API server refuses', () => {
  it('of one object keeps its whole phase from being applied, and is reported with the object', async () => {
    env.add(
      objectSet('mill', [
        ['first', configMap('one')],
        ['second', configMap('two'), configMap('three')],
      ]),
    );
    env.cluster.failAll(
      { verb: 'patch', resource: 'configmaps', name: 'two' },
      new Refusal(403, 'Forbidden', 'not this one'),
    );
    expect(await env.passOverSet('mill')).toMatchObject({ result: 'waits', againAfterMs: 1_000 });
    expect(progressing()).toBe(
      'True Retrying: phase 1 validation error: phase "second": ConfigMap.v1 mill/two: not this one',
    );
    expect([isThere('one'), isThere('two'), isThere('three')]).toEqual([true, false, false]);
  });

  it('of several objects is reported of all of them', async () => {
    env.add(objectSet('mill', [['first', configMap('one'), configMap('two')]]));
    env.cluster.failAll({ verb: 'patch', resource: 'configmaps' }, new Refusal(403, 'Forbidden', 'no'));
    await env.passOverSet('mill');
    expect(progressing()).toBe(
      'True Retrying: phase 0 validation error: phase "first": ConfigMap.v1 mill/one: no; ConfigMap.v1 mill/two: no',
    );
  });

  it('names the configuration and the owner of a webhook that does not answer', async () => {
    env.add({
      apiVersion: 'admissionregistration.k8s.io/v1',
      kind: 'ValidatingWebhookConfiguration',
      metadata: { name: 'guards', labels: { 'olm.owner': 'guard.v1', 'olm.owner.namespace': 'guards' } },
      webhooks: [
        {
          name: 'guard.example.com',
          clientConfig: { service: { namespace: 'guards', name: 'guard' } },
          rules: [{ operations: ['*'], apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'] }],
        },
      ],
    });
    env.add(objectSet('mill', [['first', configMap('one')]]));
    await env.passOverSet('mill');
    expect(progressing()).toMatch(
      /^True Retrying: .*failed calling webhook "guard\.example\.com".*ValidatingWebhookConfiguration guards \(service guards\/guard, failurePolicy Fail\), and belongs to owner guards\/guard\.v1$/,
    );
  });

  it.each<[what: string, object: object, text: RegExp]>([
    [
      'an invalid CRD',
      {
        apiVersion: 'apiextensions.k8s.io/v1',
        kind: 'CustomResourceDefinition',
        metadata: { name: 'wrong.lamps.example.com' },
        spec: {
          group: 'lamps.example.com',
          scope: 'Namespaced',
          names: { kind: 'Lamp', plural: 'lamps' },
          versions: [],
        },
      },
      /^True Retrying: phase 0 validation error: phase "first": CustomResourceDefinition\.apiextensions\.k8s\.io\/v1 \/wrong\.lamps\.example\.com: /,
    ],
    [
      'an object of a namespace that does not exist',
      configMap('one', {}, 'nowhere'),
      /ConfigMap\.v1 nowhere\/one: namespaces "nowhere" not found$/,
    ],
    [
      'an object of a kind that is not served',
      { apiVersion: 'lamps.example.com/v1', kind: 'Lamp', metadata: { name: 'one', namespace: NAMESPACE } },
      /Lamp\.lamps\.example\.com\/v1 mill\/one: .*does not serve kind Lamp of lamps\.example\.com\/v1/,
    ],
  ])('%s is retried', async (_, object, text) => {
    env.add(objectSet('mill', [['first', object]]));
    expect(await env.passOverSet('mill')).toMatchObject({ result: 'waits', againAfterMs: 1_000 });
    expect(progressing()).toMatch(text);
  });

  it('is no answer where no answer comes: the queue retries the pass, and the status stays', async () => {
    env.add(objectSet('mill', [['first', configMap('one')]]));
    env.cluster.lossOf = ({ resource, verb }) =>
      resource === 'configmaps' && verb === 'patch' ? 'request' : undefined;
    expect(await env.passOverSet('mill')).toMatchObject({ result: 'failed', error: { reason: 'Unreachable' } });
    expect(env.setConditions('mill')).toEqual({});
  });

  it('between the dry run and the write is reported too', async () => {
    env.add(objectSet('mill', [['first', configMap('one')]]));
    let tried = 0;
    const refuse = env.cluster.handle.bind(env.cluster);
    env.cluster.handle = (request) => {
      const isApply = request.method === 'PATCH' && request.path.endsWith('/configmaps/one');
      if (isApply && !request.query.has('dryRun')) {
        tried += 1;
        throw new Refusal(409, 'Conflict', 'changed meanwhile');
      }
      return refuse(request);
    };
    await env.passOverSet('mill');
    expect(tried).toBeGreaterThan(0);
    expect(progressing()).toBe(
      'True Retrying: phase 0 validation error: phase "first": ConfigMap.v1 mill/one: changed meanwhile',
    );
  });
});

describe('what no rollout can mend', () => {
  it('keeps every object of the revision from being applied, and is reported in the words of OLM v1', async () => {
    const first = configMap('one');
    const held = { ...first, metadata: { ...first.metadata, name: 'held', finalizers: ['example.com/stop'] } };
    env.add(
      objectSet('mill', [
        ['first', configMap('two')],
        ['second', held],
      ]),
    );
    expect(await env.passOverSet('mill')).toMatchObject({ result: 'waits' });
    expect(progressing()).toBe(
      'True Retrying: revision validation error: revision "mill" (1): phase "second": ' +
        '/v1, Kind=ConfigMap mill/held: metadata.finalizers: Forbidden: must be empty',
    );
    expect([isThere('two'), isThere('held')]).toEqual([false, false]);
  });

  it('is reported of an extension whose bundle brings one object twice', async () => {
    env.extension();
    await env.install('1.0.0', quietCsv(), configMap('one', { text: '1' }), configMap('one', { text: '2' }));
    expect(env.conditions()['Progressing']).toMatch(
      /^True Retrying: revision validation error: revision "gear-1" \(1\): phase "configuration": \/v1, Kind=ConfigMap mill\/one: duplicate object found in phases: configuration/,
    );
    expect(isThere('one')).toBe(false);
  });
});

describe('an aggregated API whose backend does not answer', () => {
  const API = { apiVersion: 'gears.example.com/v1', kind: 'Gear', metadata: { name: 'one', namespace: NAMESPACE } };
  beforeEach(() => {
    env.add({
      apiVersion: 'apiregistration.k8s.io/v1',
      kind: 'APIService',
      metadata: { name: 'v1.gears.example.com' },
      spec: {
        group: 'gears.example.com',
        version: 'v1',
        groupPriorityMinimum: 10,
        versionPriority: 10,
        insecureSkipTLSVerify: true,
        service: { name: 'gears', namespace: NAMESPACE },
      },
    });
    const { handle } = env.cluster;
    env.cluster.handle = (request) => {
      if (request.path.startsWith('/apis/gears.example.com/'))
        throw new Refusal(503, 'ServiceUnavailable', 'service unavailable');
      return handle.call(env.cluster, request);
    };
  });

  it('holds up the phase with its objects and those after it, and says which API it is', async () => {
    env.add(
      objectSet('mill', [
        ['first', configMap('one')],
        ['second', API],
        ['third', configMap('three')],
      ]),
    );
    expect(await env.passOverSet('mill')).toMatchObject({ result: 'waits' });
    expect(progressing()).toMatch(
      /^True Retrying: phase 1 validation error: phase "second": APIService v1\.gears\.example\.com is not available: /,
    );
    expect([isThere('one'), isThere('three')]).toEqual([true, false]);
  });

  it('is awaited by an archive: whether its objects are there is unknown', async () => {
    env.add(objectSet('mill', [['first', API]], { lifecycleState: 'Archived' }));
    expect(await env.passOverSet('mill')).toMatchObject({ result: 'waits', againAfterMs: 5_000 });
    expect(progressing()).toMatch(/^True Retrying: removing revision resources/);
  });
});

describe('a conversion webhook that does not answer', () => {
  const LAMP = { apiVersion: 'lamps.example.com/v1', kind: 'Lamp', metadata: { name: 'one', namespace: NAMESPACE } };

  it('holds up the phase whose objects cannot be read, and is named with its CRD and Service', async () => {
    env.add({
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: 'lamps.lamps.example.com' },
      spec: {
        group: 'lamps.example.com',
        scope: 'Namespaced',
        names: { kind: 'Lamp', plural: 'lamps' },
        versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
      },
    });
    await expect.poll(() => env.client.serves(LAMP), { interval: 2 }).toBe(true);
    const { handle } = env.cluster;
    env.cluster.handle = (request) => {
      if (request.path.startsWith('/apis/lamps.example.com/v1/namespaces'))
        throw new Refusal(
          500,
          'InternalError',
          'conversion webhook for lamps.example.com/v2, Kind=Lamp failed: Post "https://lamp.shop.svc:443/convert": EOF',
        );
      return handle.call(env.cluster, request);
    };
    env.add(
      objectSet('mill', [
        ['first', configMap('one')],
        ['second', LAMP],
      ]),
    );
    expect(await env.passOverSet('mill')).toMatchObject({ result: 'waits' });
    expect(progressing()).toMatch(
      /^True Retrying: phase 1 .*; the conversion webhook is of CustomResourceDefinition lamps\.lamps\.example\.com \(service shop\/lamp\)$/,
    );
    expect(isThere('one')).toBe(true);
  });
});

describe('a Deployment', () => {
  it('is awaited: the extension is installed once it is available', async () => {
    env.extension();
    await env.install('1.0.0', runningCsv());
    const deployment = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'gear', namespace: NAMESPACE };
    expect(env.cluster.get(deployment)).toBeDefined();
    expect(env.conditions()).toMatchObject({
      Installed: 'False Absent: No bundle installed',
      Progressing: expect.stringMatching(
        /^True RollingOut: Revision 1\.0\.0 is rolling out\. Object Deployment\.apps\/v1 mill\/gear: /,
      ),
    });
    await expect
      .poll(
        async () => {
          await env.install('1.0.0');
          return env.conditions()['Installed'];
        },
        { interval: 2 },
      )
      .toBe('True Succeeded: Installed bundle registry.test/gear:1.0.0 successfully');
  });
});
