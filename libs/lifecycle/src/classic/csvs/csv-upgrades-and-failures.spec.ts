import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { silentLog } from '#platform/telemetry/log.port';
import { Refusal } from '#testing/cluster/objects/refusal';
import { ClassicCluster, objectOf, refTo, settled } from '../classic-cluster.fixture.js';
import { csvStage } from './csv.stage.js';
import { crd, history, LAMP_DEPLOYMENT, lampCsv, phases, SUCCEEDED } from './csvs.fixture.js';

let at: ClassicCluster;
beforeEach(async () => {
  at = await ClassicCluster.start();
});
afterEach(() => at.stop());

const pass = (reads?: ReturnType<ClassicCluster['laggingReads']>) =>
  at.pass('shop', [csvStage(silentLog)], reads === undefined ? {} : { reads });
async function install() {
  await pass();
  await settled();
  return pass();
}
const succeeded = 'Succeeded InstallSucceeded';

describe('csv-lifecycle.md §9: an upgrade', () => {
  const successor = (conditions: object = {}) =>
    at.put(lampCsv('shop', 'lamp.v2', { spec: { replaces: 'lamp.v1', version: '2.0.0', ...conditions } }));

  beforeEach(async () => {
    at.namespace('shop');
    at.put(lampCsv('shop'));
    await install();
  });

  it('the old CSV is Replacing until the new one has succeeded, and is then deleted', async () => {
    successor();
    await pass();
    expect(phases(at, 'shop')).toEqual(['lamp.v1 Replacing BeingReplaced', 'lamp.v2 Installing InstallWaiting']);
    await settled();
    await pass();
    expect(phases(at, 'shop')).toEqual([`lamp.v2 ${succeeded}`]);
    expect(history(at, 'shop', 'lamp.v2')).not.toContain('Failed/InstallCheckFailed');
    await settled();
    expect(at.get(LAMP_DEPLOYMENT)?.metadata.labels, 'the Deployment passes to the new CSV').toMatchObject({
      'olm.owner': 'lamp.v2',
    });
  });

  it('§8: a condition Upgradeable=False of the old operator holds it up, with its message', async () => {
    const { metadata } = at.put(objectOf('OperatorCondition', 'lamp.v1', 'shop', { spec: {} }));
    const why = { type: 'Upgradeable', status: 'False', reason: 'Busy', message: 'the lamp is lit' };
    const condition = { ...why, lastTransitionTime: '2026-01-01T00:00:00Z', observedGeneration: metadata.generation };
    const ref = refTo('OperatorCondition', 'lamp.v1', 'shop');
    at.cluster.edit(ref, (live) => Object.assign(live, { status: { conditions: [condition] } }), 'status');
    successor();
    await pass();
    expect(at.csv('shop', 'lamp.v2')?.status).toMatchObject({
      phase: 'Pending',
      reason: 'OperatorConditionNotUpgradeable',
      message: expect.stringContaining('the lamp is lit'),
    });
    at.cluster.edit(
      ref,
      (live) => Object.assign(live, { status: { conditions: [{ ...condition, status: 'True' }] } }),
      'status',
    );
    await install();
    expect(phases(at, 'shop')).toEqual([`lamp.v2 ${succeeded}`]);
  });

  it('deletes the old CSV on what the API server has alone: a cache that lags deletes nothing', async () => {
    successor();
    await pass();
    await settled();
    const reads = at.laggingReads();
    at.cluster.edit(refTo('ClusterServiceVersion', 'lamp.v2', 'shop'), (live) =>
      Object.assign(live['spec'] as object, { replaces: 'lamp.v0' }),
    );
    await pass(reads);
    expect(at.names('ClusterServiceVersion', 'shop')).toEqual(['shop/lamp.v1', 'shop/lamp.v2']);
  });

  it('a new CSV that never becomes healthy leaves the old one where it is', async () => {
    successor();
    await pass();
    at.cluster.edit(LAMP_DEPLOYMENT, ({ metadata }) =>
      Object.assign(metadata, { annotations: { 'simulator.flotilla.dev/never-ready': 'true' } }),
    );
    await at.clock.advance(5 * 60_000 + 1_000);
    await pass();
    expect(phases(at, 'shop')[0]).toBe('lamp.v1 Replacing BeingReplaced');
    expect(history(at, 'shop', 'lamp.v2')).toContain('Failed/InstallCheckFailed');
  });
});

describe('csv-lifecycle.md §3, Succeeded: what is lost comes back', () => {
  beforeEach(async () => {
    at.namespace('shop');
    at.put(lampCsv('shop'));
    await install();
  });

  it.each([
    ['deleted', () => at.cluster.delete(LAMP_DEPLOYMENT)],
    [
      'changed by hand',
      () => void at.cluster.edit(LAMP_DEPLOYMENT, ({ spec }) => Object.assign(spec as object, { replicas: 3 })),
    ],
    [
      'without its hash label',
      () =>
        void at.cluster.edit(LAMP_DEPLOYMENT, ({ metadata }) => delete metadata.labels?.['olm.deployment-spec-hash']),
    ],
  ])('a Deployment that was %s is installed again', async (_, spoil) => {
    const before = at.get(LAMP_DEPLOYMENT);
    spoil();
    await install();
    await settled();
    await install();
    expect(phases(at, 'shop')).toEqual([`lamp.v1 ${succeeded}`]);
    const after = at.get(LAMP_DEPLOYMENT);
    expect(after?.['spec']).toEqual(before?.['spec']);
    expect(after?.metadata.labels).toEqual(before?.metadata.labels);
  });

  it('a CSV with an annotation of its own: the Deployment gets it, and is rolled out again', async () => {
    at.cluster.edit(refTo('ClusterServiceVersion', 'lamp.v1', 'shop'), ({ metadata }) =>
      Object.assign(metadata.annotations ?? {}, { shade: 'green' }),
    );
    await install();
    expect(JSON.stringify(at.get(LAMP_DEPLOYMENT)?.['spec'])).toContain('"shade":"green"');
    expect(phases(at, 'shop')).toEqual([`lamp.v1 ${succeeded}`]);
  });
});

describe('csv-lifecycle.md §9: deletion', () => {
  const rights = (owner: string, name = owner) => {
    const labels = { 'olm.owner': owner, 'olm.owner.namespace': 'shop', 'olm.owner.kind': 'ClusterServiceVersion' };
    at.put(objectOf('ClusterRole', name, undefined, { metadata: { labels }, rules: [] }));
    const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name };
    at.put(objectOf('ClusterRoleBinding', name, undefined, { metadata: { labels }, roleRef, subjects: [] }));
  };

  it('takes the ClusterRoles and their bindings with it, and nothing of other CSVs', async () => {
    at.namespace('shop');
    at.put(lampCsv('shop'));
    await install();
    rights('lamp.v1');
    rights('wick.v1');
    at.cluster.delete(refTo('ClusterServiceVersion', 'lamp.v1', 'shop'));
    expect(phases(at, 'shop'), 'the finalizer holds it').toHaveLength(1);
    expect(await pass()).toMatchObject({ result: 'done' });
    await settled();
    expect(at.names('ClusterServiceVersion', 'shop')).toEqual([]);
    expect(at.names('Deployment', 'shop'), 'garbage collection').toEqual([]);
    for (const kind of ['ClusterRole', 'ClusterRoleBinding']) {
      expect(at.names(kind)).toContain('wick.v1');
      expect(at.names(kind)).not.toContain('lamp.v1');
    }
  });

  it('takes a binding with it that a cache which lags has not seen', async () => {
    at.namespace('shop');
    at.put(lampCsv('shop'));
    await install();
    at.cluster.delete(refTo('ClusterServiceVersion', 'lamp.v1', 'shop'));
    const reads = at.laggingReads();
    rights('lamp.v1');
    await pass(reads);
    await pass();
    expect(at.names('ClusterServiceVersion', 'shop')).toEqual([]);
    for (const kind of ['ClusterRole', 'ClusterRoleBinding']) expect(at.names(kind)).not.toContain('lamp.v1');
  });

  it('CRDs stay, and so do their objects', async () => {
    at.namespace('shop');
    at.put(crd('lamps', 'example.com', 'Lamp'));
    const spec = { customresourcedefinitions: { owned: [{ name: 'lamps.example.com', version: 'v1', kind: 'Lamp' }] } };
    at.put(lampCsv('shop', 'lamp.v1', { spec }));
    await settled();
    await install();
    at.cluster.delete(refTo('ClusterServiceVersion', 'lamp.v1', 'shop'));
    await pass();
    await settled();
    expect(at.names('CustomResourceDefinition')).toContain('lamps.example.com');
  });

  it('a binding that cannot be deleted holds the CSV, and says so to the queue', async () => {
    at.namespace('shop');
    at.put(lampCsv('shop'));
    await install();
    rights('lamp.v1');
    at.cluster.delete(refTo('ClusterServiceVersion', 'lamp.v1', 'shop'));
    at.cluster.failNext({ verb: 'delete', resource: 'clusterrolebindings' }, 403, 'Forbidden', 'not yours');
    expect(await pass()).toMatchObject({ result: 'refused', error: { said: 'not yours' } });
    expect(at.names('ClusterServiceVersion', 'shop')).toEqual(['shop/lamp.v1']);
    await pass();
    expect(at.names('ClusterServiceVersion', 'shop')).toEqual([]);
  });
});

describe('csv-lifecycle.md §3, InstallReady: writes that the API server refuses', () => {
  const MATCH = { verb: 'create', resource: 'deployments' } as const;

  beforeEach(() => {
    at.namespace('shop');
    at.put(lampCsv('shop'));
  });

  it.each([
    { status: 409, reason: 'Conflict', because: 'another client wrote first' },
    { status: 500, reason: 'InternalError', because: 'the API server has a problem' },
    { status: 503, reason: 'ServiceUnavailable', because: 'the API server is busy' },
    { status: 429, reason: 'TooManyRequests', because: 'the API server is busier' },
    { status: 504, reason: 'Timeout', because: 'a webhook was slow' },
  ])('$reason is no verdict on the operator: $because', async ({ status, reason }) => {
    at.cluster.failNext(MATCH, status, reason);
    await pass();
    await install();
    expect(phases(at, 'shop')).toEqual([`lamp.v1 ${succeeded}`]);
    expect(history(at, 'shop').filter((entry) => entry.startsWith('Failed'))).toEqual([]);
  });

  it('a webhook that refuses the Deployment: Failed with its words, tried again after a pause', async () => {
    const why = 'admission webhook "images.example" denied the request: no such registry';
    at.cluster.failNext(MATCH, 400, 'BadRequest', why);
    expect(await pass()).toMatchObject({ result: 'waits', againAfterMs: expect.any(Number) });
    expect(at.csv('shop', 'lamp.v1')?.status).toMatchObject({
      phase: 'Failed',
      reason: 'InstallComponentFailed',
      message: `install strategy failed: ${why}`,
    });
    at.writes();
    await pass();
    expect(
      at.writes().filter((write) => write.includes('deployments')),
      'not before the pause is over',
    ).toEqual([]);
    await at.clock.advance(6_000);
    await install();
    expect(phases(at, 'shop')).toEqual([`lamp.v1 ${succeeded}`]);
  });

  it('a corrected config of its Subscription is installed at once after a refusal', async () => {
    const subscription = (config: object) =>
      objectOf('Subscription', 'lamp', 'shop', {
        spec: { name: 'lamp', source: 'all', sourceNamespace: 'olm', config },
        status: { installedCSV: 'lamp.v1', lastUpdated: '2026-01-01T00:00:00Z' },
      });
    at.put(subscription({ env: [{ name: 'A=B', value: '' }] }));
    const end = at.cluster.failAll(MATCH, new Refusal(422, 'Invalid', 'env[0].name: Invalid value: "A=B"'));
    await pass();
    await pass();
    expect(phases(at, 'shop')).toEqual(['lamp.v1 Failed InstallComponentFailed']);
    end();
    at.cluster.edit(refTo('Subscription', 'lamp', 'shop'), ({ spec }) => {
      Object.assign(Object(spec), { config: { env: [{ name: 'AB', value: '' }] } });
    });
    await install();
    expect(phases(at, 'shop')).toEqual([`lamp.v1 ${succeeded}`]);
    expect(JSON.stringify(at.csv('shop', 'lamp.v1')?.metadata.annotations)).not.toContain('refused-install');
  });

  const SILENT =
    'Internal error occurred: failed calling webhook "images.example": failed to call webhook: Post "https://images.policy.svc:443/v": context deadline exceeded';
  const POLICY = {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'ValidatingWebhookConfiguration',
    metadata: {
      name: 'images-1',
      labels: { 'olm.owner': 'policy.v1', 'olm.owner.namespace': 'policy', 'olm.owner.kind': 'ClusterServiceVersion' },
    },
    webhooks: [
      {
        ...{ name: 'images.example', failurePolicy: 'Fail', sideEffects: 'None', admissionReviewVersions: ['v1'] },
        clientConfig: { service: { namespace: 'policy', name: 'images' } },
      },
    ],
  };

  it('a webhook that does not answer: named after the first retry, and the install goes on once it answers', async () => {
    at.put(POLICY);
    const end = at.cluster.failAll(MATCH, new Refusal(500, 'InternalError', SILENT));
    expect(await pass()).toMatchObject({ againAfterMs: 5_000 });
    expect(phases(at, 'shop'), 'it may pass').toEqual(['lamp.v1 InstallReady AllRequirementsMet']);
    await at.clock.advance(5_000);
    await pass();
    expect(at.csv('shop', 'lamp.v1')?.status).toMatchObject({
      phase: 'Failed',
      reason: 'InstallComponentFailed',
      message: `install strategy failed: ${SILENT}; webhook "images.example" is of ValidatingWebhookConfiguration images-1 (service policy/images, failurePolicy Fail), and belongs to ClusterServiceVersion policy/policy.v1`,
    });
    for (let tries = 0; tries < 8; tries += 1) {
      await at.clock.advance(30_000);
      await pass();
      expect(phases(at, 'shop'), 'between tries, too').toEqual(['lamp.v1 Failed InstallComponentFailed']);
    }
    end();
    await at.clock.advance(30_000);
    await install();
    expect(phases(at, 'shop')).toEqual([`lamp.v1 ${succeeded}`]);
  });

  it('a webhook that forbids the Deployment is no right that is missing: the install is tried again', async () => {
    const why = 'admission webhook "images.example" denied the request: no such registry';
    at.cluster.failNext(MATCH, 403, 'Forbidden', why);
    await pass();
    expect(phases(at, 'shop')).toEqual(['lamp.v1 Failed InstallComponentFailed']);
    await at.clock.advance(6_000);
    await install();
    expect(phases(at, 'shop')).toEqual([`lamp.v1 ${succeeded}`]);
  });

  it('a write that no status reports has an Event', async () => {
    at.put(POLICY);
    at.cluster.failNext({ verb: 'update', resource: 'clusterserviceversions' }, 500, 'InternalError', SILENT);
    expect(await pass()).toMatchObject({ result: 'refused' });
    expect(at.events('shop')).toContainEqual(
      expect.stringMatching(
        /^Warning WriteRefused ClusterServiceVersion\/lamp.v1: .*ValidatingWebhookConfiguration images-1/,
      ),
    );
  });

  it('an API server that is away in the middle: the pass fails, the status does not say Failed', async () => {
    at.cluster.lossOf = ({ verb, resource }) =>
      verb === 'create' && resource === 'deployments' ? 'request' : undefined;
    expect(await pass()).toMatchObject({ result: 'failed', error: { status: 0 } });
    expect(phases(at, 'shop')).toEqual(['lamp.v1 InstallReady AllRequirementsMet']);
    at.cluster.lossOf = () => undefined;
    await install();
    expect(phases(at, 'shop')).toEqual([`lamp.v1 ${succeeded}`]);
  });

  it('a lost answer: the Deployment is there, is found, and is not made twice', async () => {
    at.cluster.lossOf = ({ verb, resource }) =>
      verb === 'create' && resource === 'deployments' ? 'answer' : undefined;
    expect(await pass()).toMatchObject({ result: 'failed' });
    const { uid } = at.get(LAMP_DEPLOYMENT)?.metadata ?? {};
    at.cluster.lossOf = () => undefined;
    await install();
    expect(phases(at, 'shop')).toEqual([`lamp.v1 ${succeeded}`]);
    expect(at.get(LAMP_DEPLOYMENT)?.metadata.uid).toBe(uid);
  });

  it('a CSV whose status may not be written does not hold up its neighbour', async () => {
    at.put(lampCsv('shop', 'wick.v1', { deployments: ['wick'] }));
    const match = { verb: 'update', resource: 'clusterserviceversions', subresource: 'status', name: 'lamp.v1' };
    at.cluster.failAll(match, new Refusal(403, 'Forbidden', 'hands off'));
    expect(await pass()).toMatchObject({ result: 'refused', error: { said: 'hands off' } });
    await settled();
    await pass();
    expect(phases(at, 'shop')).toContain(`wick.v1 ${succeeded}`);
  });

  it('a CSV that is deleted while the pass reads it leaves the pass without an error', async () => {
    const reads = at.laggingReads();
    at.cluster.delete(refTo('ClusterServiceVersion', 'lamp.v1', 'shop'));
    expect(await pass(reads)).toMatchObject({ result: 'done' });
    expect(at.names('Deployment', 'shop')).toEqual([]);
  });
});

it('a copy of a CSV of another namespace is left alone', async () => {
  at.namespace('shop');
  const metadata = { labels: { 'olm.copiedFrom': 'home' }, annotations: { 'olm.operatorNamespace': 'home' } };
  at.put(lampCsv('shop', 'lamp.v1', { metadata, status: { ...SUCCEEDED, reason: 'Copied' } }));
  expect(await pass()).toEqual({ rounds: 1, result: 'done' });
  expect(at.writes()).toEqual([]);
});
