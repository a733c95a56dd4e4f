import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { KubernetesObject } from '#core/kernel/api/kubernetes-object';
import { silentLog } from '#platform/telemetry/log.port';
import { Refusal } from '#testing/cluster/objects/refusal';
import { ClassicCluster, objectOf, refTo, settled } from '../classic-cluster.fixture.js';
import { csvStage } from './csv.stage.js';
import { CsvWorldReader } from './csv-world-reader.js';
import { crd, history, inPhase, LAMP_DEPLOYMENT, lampCsv, phases, SUCCEEDED } from './csvs.fixture.js';

let at: ClassicCluster;
beforeEach(async () => {
  at = await ClassicCluster.start();
});
afterEach(() => at.stop());

const pass = () => at.pass('shop', [csvStage(silentLog)]);
async function install() {
  await pass();
  await settled();
  return pass();
}
const INSTALLED = ['lamp.v1 Succeeded InstallSucceeded'];

describe('csv-lifecycle.md §7: certificates of webhooks', () => {
  const webhookdefinitions = [
    {
      generateName: 'lamps.example.com',
      type: 'ValidatingAdmissionWebhook',
      deploymentName: 'lamp',
      containerPort: 443,
      admissionReviewVersions: ['v1'],
      sideEffects: 'None',
      rules: [{ apiGroups: ['example.com'], apiVersions: ['v1'], operations: ['CREATE'], resources: ['lamps'] }],
    },
  ];
  const ADMISSION = 'admissionregistration.k8s.io/v1';
  const SECRET = refTo('Secret', 'lamp-service-cert', 'shop');
  const held = (key: string) => (at.get(SECRET)?.['data'] as Record<string, string> | undefined)?.[key];
  const certificate = () => held('tls.crt');
  const configurations = () => at.cluster.list({ apiVersion: ADMISSION, kind: 'ValidatingWebhookConfiguration' });
  const bundles = () =>
    configurations().map(
      ({ webhooks }) => (webhooks as { clientConfig: { caBundle: string } }[])[0]?.clientConfig.caBundle,
    );

  beforeEach(async () => {
    at.namespace('shop');
    at.put(lampCsv('shop', 'lamp.v1', { spec: { webhookdefinitions } }));
    await install();
  });

  it('are issued at the install, and the API server is given their authority', async () => {
    expect(phases(at, 'shop')).toEqual(INSTALLED);
    const { data } = at.get(SECRET) as unknown as { data: Record<string, string> };
    expect(Object.keys(data).sort()).toEqual(['olmCAKey', 'tls.crt', 'tls.key']);
    expect(bundles()).toEqual([data['olmCAKey']]);
    expect(at.get(refTo('Service', 'lamp-service', 'shop'))).toBeDefined();
    expect(at.csv('shop', 'lamp.v1')?.status?.certsRotateAt).toBe('2027-12-31T00:00:00Z');
    at.writes();
    expect(await pass()).toEqual({ rounds: 1, result: 'done' });
    expect(at.writes()).toEqual([]);
  });

  it('are used again where the operator is installed again', async () => {
    const before = certificate();
    at.cluster.delete(LAMP_DEPLOYMENT);
    await install();
    await settled();
    await install();
    expect(phases(at, 'shop')).toEqual(INSTALLED);
    expect(certificate()).toBe(before);
  });

  it.each([
    ['a day before they expire', () => at.clock.advance(729.5 * 86_400_000)],
    ['when the Secret is deleted', async () => at.cluster.delete(SECRET)],
    [
      'when the Secret holds no certificate',
      async () => void at.cluster.edit(SECRET, (live) => Object.assign(live, { data: { 'tls.crt': 'bm9uZQ==' } })),
    ],
  ])('are issued anew %s', async (_, spoil) => {
    const before = certificate();
    await spoil();
    await install();
    await settled();
    await install();
    expect(phases(at, 'shop')).toEqual(INSTALLED);
    expect(certificate()).not.toBe(before);
    expect(bundles()).toEqual([held('olmCAKey')]);
  });

  it('what the API server calls goes with the CSV', async () => {
    at.cluster.delete(refTo('ClusterServiceVersion', 'lamp.v1', 'shop'));
    await pass();
    expect(configurations()).toEqual([]);
    expect(at.names('ClusterServiceVersion', 'shop')).toEqual([]);
  });

  it('a configuration of a webhook that was removed by hand comes back without another install', async () => {
    const [before] = configurations();
    at.cluster.delete({
      apiVersion: ADMISSION,
      kind: 'ValidatingWebhookConfiguration',
      name: before?.metadata.name ?? '',
    });
    await install();
    expect(configurations()).toHaveLength(1);
    expect(phases(at, 'shop')).toEqual(INSTALLED);
  });
});

describe('csv-lifecycle.md §11: the proxy of an OpenShift cluster', () => {
  const PROXY: KubernetesObject = {
    apiVersion: 'config.openshift.io/v1',
    kind: 'Proxy',
    metadata: { name: 'cluster' },
    status: { httpProxy: 'http://proxy.example:3128', noProxy: '' },
  };

  beforeEach(async () => {
    const definition = crd('proxies', 'config.openshift.io', 'Proxy');
    Object.assign(definition['spec'] as object, { scope: 'Cluster' });
    const [version] = (definition['spec'] as { versions: { schema: unknown }[] }).versions;
    Object.assign(version ?? {}, {
      schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
    });
    at.put(definition);
    await settled();
    at.namespace('shop');
    const spec = { name: 'lamp', source: 'shelf', sourceNamespace: 'olm' };
    at.put(
      objectOf('Subscription', 'lamp', 'shop', {
        spec,
        status: { installedCSV: 'lamp.v1', lastUpdated: '2026-01-01T00:00:00Z' },
      }),
    );
  });
  const variables = () => JSON.stringify(at.get(LAMP_DEPLOYMENT)?.['spec']).match(/"[A-Z]+_PROXY"/g) ?? [];

  it('its variables are in the Deployment, empty ones are not', async () => {
    at.cluster.create(PROXY);
    at.put(lampCsv('shop'));
    await install();
    expect(variables()).toEqual(['"HTTP_PROXY"']);
    expect(phases(at, 'shop')).toEqual(INSTALLED);
  });

  it('a hub that may not read it installs without it', async () => {
    at.cluster.create(PROXY);
    at.put(lampCsv('shop'));
    at.cluster.failAll({ verb: 'get', resource: 'proxies' }, forbidden());
    await install();
    expect(variables()).toEqual([]);
    expect(phases(at, 'shop')).toEqual(INSTALLED);
  });

  it('a CRD that may not be read is a refusal, and not a CRD that is missing', async () => {
    const owned = [{ name: 'lamps.example.com', version: 'v1', kind: 'Lamp' }];
    at.put(lampCsv('shop', 'lamp.v1', { spec: { customresourcedefinitions: { owned } } }));
    at.cluster.failAll({ verb: 'get', resource: 'customresourcedefinitions' }, forbidden());
    expect(await pass()).toMatchObject({ result: 'refused', error: { reason: 'Forbidden' } });
    expect(at.csv('shop', 'lamp.v1')?.status?.requirementStatus).toBeUndefined();
  });

  it('what else may not be read is a refusal, and no reason to install', async () => {
    at.put(lampCsv('shop'));
    at.cluster.failAll({ verb: 'list', resource: 'deployments' }, forbidden());
    expect(await pass()).toMatchObject({ result: 'refused', error: { reason: 'Forbidden' } });
    expect(at.names('Deployment')).toEqual([]);
  });
});

describe('csv-lifecycle.md §4: APIs that an operator needs', () => {
  beforeEach(() => at.namespace('shop'));

  it.each([
    {
      what: 'a native API',
      spec: { nativeAPIs: [{ group: 'example.com', version: 'v1', kind: 'Wick' }] },
      message: 'Native API does not exist',
    },
    {
      what: 'a CRD of another operator',
      spec: { customresourcedefinitions: { required: [{ name: 'wicks.example.com', version: 'v1', kind: 'Wick' }] } },
      message: 'CRD is not present',
    },
  ])('$what: waits while it is not served', async ({ spec, message }) => {
    at.put(lampCsv('shop', 'lamp.v1', { spec }));
    await pass();
    expect(phases(at, 'shop')).toEqual(['lamp.v1 Pending RequirementsNotMet']);
    expect(at.csv('shop', 'lamp.v1')?.status?.requirementStatus).toMatchObject([{ message }]);
    at.put(crd('wicks', 'example.com', 'Wick'));
    await settled();
    await install();
    expect(phases(at, 'shop')).toEqual(INSTALLED);
  });

  it('an aggregated API that is required: the APIService must be there and available', async () => {
    const required = [{ name: 'wicks', group: 'api.example.com', version: 'v1', kind: 'Wick' }];
    at.put(lampCsv('shop', 'lamp.v1', { spec: { apiservicedefinitions: { required } } }));
    await pass();
    expect(at.csv('shop', 'lamp.v1')?.status?.requirementStatus).toMatchObject([
      { kind: 'APIService', name: 'v1.api.example.com', status: 'NotPresent' },
    ]);
  });

  it.each([
    { grants: [], rights: false },
    { grants: [{ apiGroups: [''], resources: ['pods'], verbs: ['get'] }], rights: true },
  ])('rights of its service account: $rights', async ({ grants, rights }) => {
    at.put(objectOf('ServiceAccount', 'lamp', 'shop'));
    at.put(objectOf('Role', 'lamp', 'shop', { rules: grants }));
    const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'lamp' };
    at.put(
      objectOf('RoleBinding', 'lamp', 'shop', {
        roleRef,
        subjects: [{ kind: 'ServiceAccount', name: 'lamp', namespace: 'shop' }],
      }),
    );
    at.put(lampCsv('shop', 'lamp.v1', { rules: [{ apiGroups: [''], resources: ['pods'], verbs: ['get'] }] }));
    await install();
    expect(phases(at, 'shop')).toEqual(rights ? INSTALLED : ['lamp.v1 Pending RequirementsNotMet']);
  });
});

describe('csv-lifecycle.md §6: members of a group that watches all namespaces', () => {
  it('get their Roles for the whole cluster', async () => {
    at.namespace('shop', {});
    const labels = { 'olm.owner': 'lamp.v1', 'olm.owner.namespace': 'shop', 'olm.owner.kind': 'ClusterServiceVersion' };
    const rules = [{ apiGroups: [''], resources: ['pods'], verbs: ['get'] }];
    at.put(objectOf('ServiceAccount', 'lamp', 'shop'));
    at.put(objectOf('Role', 'lamp-role', 'shop', { metadata: { labels }, rules }));
    const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'lamp-role' };
    at.put(
      objectOf('RoleBinding', 'lamp-role', 'shop', {
        metadata: { labels },
        roleRef,
        subjects: [{ kind: 'ServiceAccount', name: 'lamp', namespace: 'shop' }],
      }),
    );
    at.put(lampCsv('shop', 'lamp.v1', { rules }));
    await install();
    expect(phases(at, 'shop')).toEqual(INSTALLED);
    expect(at.get(refTo('ClusterRole', 'lamp-role'))?.['rules']).toEqual([
      ...rules,
      { apiGroups: [''], resources: ['namespaces'], verbs: ['get', 'list', 'watch'] },
    ]);
    expect(at.get(refTo('ClusterRoleBinding', 'lamp-role'))?.['roleRef']).toMatchObject({
      kind: 'ClusterRole',
      name: 'lamp-role',
    });
  });
});

describe('what is read for one CSV', () => {
  it('only what it asks for: no Pods, webhooks or versions for an operator without them', async () => {
    at.namespace('shop');
    at.put(lampCsv('shop', 'lamp.v1', { status: inPhase('Pending', 'RequirementsUnknown') }));
    const input = await at.input('shop');
    at.asked();
    const csv = at.csv('shop', 'lamp.v1');
    if (csv === undefined) throw new Error('no CSV');
    const world = await new CsvWorldReader(input).worldOf(csv);
    const asked = new Set(at.asked().map(({ resource, path }) => resource ?? path));
    for (const not of ['pods', 'secrets', '/version', 'validatingwebhookconfigurations', 'apiservices']) {
      expect(asked).not.toContain(not);
    }
    expect(world.serverVersion).toBeUndefined();
    expect(world.operatorGroups).toHaveLength(1);
  });

  it('lists that the pass has read already are not read again', async () => {
    at.namespace('shop');
    at.put(lampCsv('shop', 'lamp.v1', { status: SUCCEEDED }));
    at.put(lampCsv('shop', 'lamp.v2', { status: SUCCEEDED }));
    await at.once('shop', csvStage(silentLog));
    const lists = at.asked().filter(({ verb, resource }) => verb === 'list' && resource === 'clusterroles');
    expect(lists).toHaveLength(1);
    expect(history(at, 'shop')).toEqual([]);
  });
});

const forbidden = () => new Refusal(403, 'Forbidden', 'not yours');
