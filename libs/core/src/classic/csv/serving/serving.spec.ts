import { describe, expect, it } from 'vitest';
import type { Action } from '../../../kernel/actions/action.js';
import type { ClusterServiceVersion, WebhookDescription } from '../../../kernel/api/cluster-service-version.js';
import { providedApis } from '../../../kernel/api/csv-facts.js';
import type { KubernetesObject } from '../../../kernel/api/kubernetes-object.js';
import type { OperatorGroup } from '../../../kernel/api/operator-group.js';
import { servedKey } from '../../../kernel/api/served-key.js';
import { withServingCertificate } from '../certificates/serving-volumes.js';
import { stepCsv } from '../step-csv.js';
import { gear, installedDeployments, millers, NOW, world } from '../world/csv-world.fixture.js';
import { type CsvWorld } from '../world/csv-world.js';
import { held } from './serving.fixture.js';

const DAY_MS = 24 * 60 * 60 * 1_000;
const CRD = 'wheels.parts.example.org';

const webhook = (type: string, parts: Partial<WebhookDescription> = {}): WebhookDescription => ({
  generateName: `${type.slice(0, 3).toLowerCase()}.parts.example.org`,
  type,
  deploymentName: 'gear',
  containerPort: 443,
  targetPort: 9443,
  admissionReviewVersions: ['v1'],
  webhookPath: '/ask',
  ...parts,
});
const validating = webhook('ValidatingAdmissionWebhook', { sideEffects: 'None', failurePolicy: 'Fail' });
const OLMS = 'subscriptions.operators.coreos.com';
const conversion = webhook('ConversionWebhook', { conversionCRDs: [CRD], webhookPath: '/convert' });
const api = { name: 'wheels', group: 'run.example.org', version: 'v1', kind: 'Wheel', deploymentName: 'gear' };

const called = (spec: Partial<ClusterServiceVersion['spec']>, phase: string, reason = 'AllRequirementsMet') =>
  gear('v1', spec, { phase, reason, message: '', lastTransitionTime: NOW.toISOString() });
const global = {
  installModes: [{ type: 'AllNamespaces', supported: true }],
  customresourcedefinitions: { owned: [{ name: CRD, version: 'v1', kind: 'Wheel' }] },
};
const crd = (spec: Record<string, unknown> = {}): KubernetesObject => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: CRD, resourceVersion: '7' },
  spec: { versions: [{ name: 'v1', served: true }], ...spec },
  status: { conditions: ['Established', 'NamesAccepted'].map((type) => ({ type, status: 'True' })) },
});
const everywhere = { ...millers(), status: { namespaces: [''], lastUpdated: NOW.toISOString() } };
const seesAll = (csv: ClusterServiceVersion): ClusterServiceVersion => ({
  ...csv,
  metadata: { ...csv.metadata, annotations: { ...csv.metadata.annotations, 'olm.targetNamespaces': '' } },
});

const applied = (actions: readonly Action[]) =>
  actions.flatMap((action) => (action.do === 'apply' ? [action.object] : []));
const namesOf = (objects: readonly KubernetesObject[]) =>
  objects.map(({ kind, metadata: { namespace, name } }) => `${kind} ${namespace ? `${namespace}/` : ''}${name}`);
/** The group knows already what the operator provides: that would be written first. */
const step = (csv: ClusterServiceVersion, parts: Partial<CsvWorld>) => {
  const annotations = { 'olm.providedAPIs': providedApis(csv).map(servedKey).join(',') };
  const knowing = (group: OperatorGroup) => ({ ...group, metadata: { ...group.metadata, annotations } });
  const seen = world({ csvs: [csv], ...parts });
  return stepCsv(csv, { ...seen, operatorGroups: seen.operatorGroups.map(knowing) });
};

describe('an operator that the API server calls', () => {
  const csv = called({ webhookdefinitions: [validating] }, 'InstallReady');

  it('waits for its certificate before anything is installed', () => {
    expect(step(csv, {})).toMatchObject({ actions: [], next: { because: 'certificates are awaited' } });
  });

  it('gets service, certificate, rights and configuration, and serves from the certificate', () => {
    const { actions, status } = step(csv, { issuedCertificates: held() });
    expect(namesOf(applied(actions))).toEqual([
      'Service mill/gear-service',
      'Secret mill/gear-service-cert',
      'Role mill/gear-service-cert',
      'RoleBinding mill/gear-service-cert',
      'ClusterRoleBinding gear-service-system:auth-delegator',
      'RoleBinding kube-system/gear-service-auth-reader',
      expect.stringMatching(/^ValidatingWebhookConfiguration val\.parts\.example\.org-[0-9a-f]{5}$/),
    ]);
    const deployment = actions.find((action) => action.do === 'create');
    expect(JSON.stringify(deployment)).toContain('"olmcahash":"hash-of-ca"');
    expect(JSON.stringify(deployment)).toContain('"secretName":"gear-service-cert"');
    expect(status).toMatchObject({
      phase: 'Installing',
      certsLastUpdated: '2026-01-01T00:10:00Z',
      certsRotateAt: '2027-12-01T00:10:00Z',
    });
  });

  it('keeps a certificate that is good, and says only when it is due', () => {
    const { status } = step(csv, { servingCertificates: held() });
    expect(status?.certsLastUpdated).toBeUndefined();
    expect(status?.certsRotateAt).toBe('2027-12-01T00:10:00Z');
  });

  it('is asked about the namespaces of its group only, by the label that the group puts on them', () => {
    const configuration = applied(step(csv, { servingCertificates: held() }).actions).at(-1);
    expect(configuration?.['webhooks']).toEqual([
      {
        name: 'val.parts.example.org',
        sideEffects: 'None',
        failurePolicy: 'Fail',
        admissionReviewVersions: ['v1'],
        namespaceSelector: { matchLabels: { 'olm.operatorgroup.uid/uid-of-millers': '' } },
        clientConfig: {
          caBundle: Buffer.from('ca').toString('base64'),
          service: { namespace: 'mill', name: 'gear-service', port: 443, path: '/ask' },
        },
      },
    ]);
  });

  it('is asked about the namespaces that its group selects by labels, by the selector of the group', () => {
    const selector = { matchLabels: { team: 'stone' } };
    const operatorGroups = [{ ...millers(), spec: { selector } }];
    const { actions } = step(csv, { servingCertificates: held(), operatorGroups });
    expect(applied(actions).at(-1)?.['webhooks']).toMatchObject([{ namespaceSelector: selector }]);
  });

  it('takes over the configuration of its description whatever its name, and drops that of one that is no more', () => {
    const [fresh] = applied(step(csv, { servingCertificates: held() }).actions).slice(-1);
    if (fresh === undefined) throw new Error('there is no configuration');
    const named = (name: string, description: string): KubernetesObject => ({
      ...fresh,
      metadata: {
        ...fresh.metadata,
        name,
        labels: { ...fresh.metadata.labels, 'olm.webhook-description-generate-name': description },
      },
    });
    const webhookConfigurations = [named('val-k9x2p', 'val.parts.example.org'), named('old-abcde', 'old')];
    const { actions } = step(csv, { servingCertificates: held(), webhookConfigurations });
    expect(namesOf(applied(actions)).at(-1)).toBe('ValidatingWebhookConfiguration val-k9x2p');
    expect(actions.at(-1)).toMatchObject({ do: 'delete', ref: { name: 'old-abcde' } });
  });

  it.each([
    { parts: {}, phase: 'Pending', reason: 'NeedsCertRotation', because: 'its certificate is gone' },
    {
      parts: { servingCertificates: held({ notAfter: new Date(NOW.getTime() + DAY_MS) }) },
      phase: 'Pending',
      reason: 'NeedsCertRotation',
      because: 'its certificate ends tomorrow',
    },
    {
      parts: { servingCertificates: held({ hosts: [] }) },
      phase: 'Pending',
      reason: 'NeedsCertRotation',
      because: 'its certificate is of another authority',
    },
    {
      parts: { servingCertificates: held() },
      phase: 'Pending',
      reason: 'NeedsReinstall',
      because: 'its webhook configuration was deleted',
    },
  ])('leaves Succeeded when $because', ({ parts, phase, reason }) => {
    const installed = called({ webhookdefinitions: [validating] }, 'Succeeded', 'InstallSucceeded');
    const certificates = world(parts);
    const deployments = installedDeployments(installed, undefined, certificates);
    expect(step(installed, { ...parts, deployments }).status).toMatchObject({ phase, reason });
  });

  it('takes its configurations with it when it is deleted', () => {
    const [configuration] = applied(step(csv, { servingCertificates: held() }).actions).slice(-1);
    const going = { ...csv, metadata: { ...csv.metadata, deletionTimestamp: NOW.toISOString() } };
    const { actions } = step(going, { webhookConfigurations: configuration ? [configuration] : [] });
    expect(actions).toMatchObject([{ do: 'delete', ref: { kind: 'ValidatingWebhookConfiguration' } }]);
  });
});

describe('the volumes of a certificate', () => {
  const mount = (name: string, mountPath: string) => ({ name, mountPath });
  const [api, hook] = [
    mount('apiservice-cert', '/apiserver.local.config/certificates'),
    mount('webhook-cert', '/tmp/k8s-webhook-server/serving-certs'),
  ];
  it.each([
    { has: [], gets: [api, hook], because: 'there are none' },
    { has: [mount('data', '/data')], gets: [mount('data', '/data'), api, hook], because: 'others stay' },
    {
      has: [mount('cert', '/tmp/k8s-webhook-server/serving-certs'), mount('data', '/data')],
      gets: [hook, mount('data', '/data'), api],
      because: 'another mount at the path is replaced where it is',
    },
    {
      has: [mount('webhook-cert', '/elsewhere')],
      gets: [mount('webhook-cert', '/elsewhere'), api],
      because: 'a mount of the name stays as it is',
    },
  ])('are mounted: $because', ({ has, gets }) => {
    const pod = withServingCertificate({ containers: [{ name: 'gear', volumeMounts: has }] }, 'cert');
    expect(pod.containers?.[0]?.volumeMounts).toEqual(gets);
  });

  it('replace one of the name where it is', () => {
    const pod = withServingCertificate({ volumes: [{ name: 'webhook-cert' }, { name: 'data' }] }, 'mine');
    expect(pod.volumes?.map(({ name }) => name)).toEqual(['webhook-cert', 'data', 'apiservice-cert']);
    expect(pod.volumes?.[0]).toMatchObject({ secret: { secretName: 'mine' } });
  });
});

describe('an operator that converts objects', () => {
  const csv = seesAll(called({ ...global, webhookdefinitions: [conversion] }, 'InstallReady'));
  const parts = { operatorGroups: [everywhere], servingCertificates: held(), crds: new Map([[CRD, crd()]]) };

  it('is put into the CRD', () => {
    expect(step(csv, parts).actions.find((action) => action.do === 'patch')).toEqual({
      do: 'patch',
      ref: { apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition', name: CRD },
      patch: {
        metadata: { resourceVersion: '7' },
        spec: {
          conversion: {
            strategy: 'Webhook',
            webhook: {
              clientConfig: {
                service: { namespace: 'mill', name: 'gear-service', path: '/convert', port: 443 },
                caBundle: Buffer.from('ca').toString('base64'),
              },
              conversionReviewVersions: ['v1'],
            },
          },
        },
      },
    });
  });

  const alsoOwn = { installModes: [...global.installModes, { type: 'OwnNamespace', supported: true }] };
  it.each([
    {
      spec: alsoOwn,
      says: 'unable to manage conversion webhook: CSVs with conversion webhooks must support only AllNamespaces',
    },
    {
      spec: { webhookdefinitions: [{ ...conversion, conversionCRDs: ['others.example.org'] }] },
      says: 'csv v1 does not own CRD others.example.org',
    },
    {
      spec: {
        customresourcedefinitions: { owned: [{ name: OLMS, version: 'v1alpha1', kind: 'Subscription' }] },
        webhookdefinitions: [{ ...conversion, conversionCRDs: [OLMS] }],
      },
      says: `CustomResourceDefinition "${OLMS}" defines an API of OLM or Flotilla, and no bundle may install or replace it`,
    },
  ])('is refused: $says', ({ spec, says }) => {
    const message = `install strategy failed: ${says}`;
    const refused = seesAll(called({ ...global, webhookdefinitions: [conversion], ...spec }, 'InstallReady'));
    const { status, actions } = step(refused, parts);
    expect(status).toMatchObject({ phase: 'Failed', reason: 'InstallComponentFailed', message });
    expect(actions.filter(({ do: what }) => what === 'patch')).toEqual([]);
    const again = step({ ...refused, status }, parts);
    expect([again.status, again.actions]).toEqual([undefined, []]);
  });

  it('is taken out of the CRD when it goes, but not when a successor converts on', () => {
    const is = {
      strategy: 'Webhook',
      webhook: { clientConfig: { service: { name: 'gear-service', namespace: 'mill' } } },
    };
    const going = { ...csv, metadata: { ...csv.metadata, deletionTimestamp: NOW.toISOString() } };
    const crds = new Map([[CRD, crd({ conversion: is })]]);
    expect(step(going, { crds }).actions).toMatchObject([
      { do: 'patch', patch: { spec: { conversion: { strategy: 'None', webhook: null } } } },
    ]);
    expect(step(going, { crds, csvs: [going, gear('v2', { replaces: 'v1' })] }).actions).toMatchObject([
      { do: 'patch', patch: { metadata: { finalizers: [] } } },
    ]);
  });
});

describe('an operator that serves an API', () => {
  const owned = { apiservicedefinitions: { owned: [{ ...api, containerPort: 5443 }] } };
  const csv = called(owned, 'InstallReady');
  const service = { name: 'gear-service', namespace: 'mill' };
  const labels = { 'olm.owner': 'v1', 'olm.owner.namespace': 'mill', 'olm.owner.kind': 'ClusterServiceVersion' };
  const apiService = (parts: Record<string, unknown> = {}): KubernetesObject => ({
    apiVersion: 'apiregistration.k8s.io/v1',
    kind: 'APIService',
    metadata: { name: 'v1.run.example.org', labels },
    spec: { service, caBundle: Buffer.from('ca').toString('base64') },
    status: { conditions: [{ type: 'Available', status: 'True' }] },
    ...parts,
  });
  const live = (one: KubernetesObject) => new Map([['v1.run.example.org', one]]);

  it('is registered with the API server', () => {
    const last = applied(step(csv, { servingCertificates: held() }).actions).at(-1);
    expect(last).toMatchObject({
      metadata: { name: 'v1.run.example.org' },
      spec: { groupPriorityMinimum: 2000, versionPriority: 15, service: { ...service, port: 5443 } },
    });
  });

  it('leaves alone what an older OLM made under other names', () => {
    const old = {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: 'v1-run-example-org', namespace: 'mill', labels },
    };
    const services = new Map([['v1-run-example-org', old]]);
    const { actions } = step(csv, { servingCertificates: held(), services });
    expect(actions.filter((action) => action.do === 'delete')).toEqual([]);
  });

  it.each([
    { parts: {}, phase: 'Succeeded', because: 'it is served' },
    { parts: { status: {} }, phase: 'Installing', because: 'it is not yet available' },
  ])('is $phase when $because', ({ parts, phase }) => {
    const installing = called(owned, 'Installing', 'InstallSucceeded');
    const shared = { servingCertificates: held(), apiServices: live(apiService(parts)) };
    const { status } = step(installing, {
      ...shared,
      deployments: installedDeployments(installing, undefined, world(shared)),
      servedKinds: new Set(['Wheel.v1.run.example.org']),
    });
    expect(status?.phase).toBe(phase);
    if (phase === 'Installing') expect(status?.message).toBe('apiServices not installed');
  });

  it('registers two APIs of one Deployment with one authority, behind a Service with both ports', () => {
    const second = { ...api, group: 'walk.example.org', containerPort: 5444 };
    const twice = called(
      { apiservicedefinitions: { owned: [{ ...api, containerPort: 5443 }, second] } },
      'InstallReady',
    );
    const made = applied(step(twice, { servingCertificates: held() }).actions);
    const authorities = made.filter(({ kind }) => kind === 'APIService').map(({ spec }) => Object(spec).caBundle);
    expect(authorities).toEqual([Buffer.from('ca').toString('base64'), Buffer.from('ca').toString('base64')]);
    const [front, ...others] = made.filter(({ kind }) => kind === 'Service');
    expect(front?.['spec']).toMatchObject({ ports: [{ port: 5443 }, { port: 5444 }] });
    expect(others).toEqual([]);
  });

  it('takes the APIService over from the CSV that it replaces, with the Service of its own Deployment', () => {
    const follower = { ...called({ ...owned, replaces: 'v0' }, 'InstallReady') };
    const old = gear('v0', owned, { phase: 'Replacing' });
    const held0 = apiService({ metadata: { name: 'v1.run.example.org', labels: { ...labels, 'olm.owner': 'v0' } } });
    const seen = { csvs: [old, follower], servingCertificates: held(), apiServices: live(held0) };
    expect(applied(step(follower, seen).actions).at(-1)).toMatchObject({
      metadata: { name: 'v1.run.example.org', labels },
      spec: { service },
    });
  });

  it('does not take an APIService from another owner', () => {
    const foreign = apiService({ metadata: { name: 'v1.run.example.org', labels: {} } });
    const { status } = step(called(owned, 'Pending'), { apiServices: live(foreign) });
    expect(status).toMatchObject({ phase: 'Failed', reason: 'OwnerConflict', message: 'unable to adopt APIService' });
  });
});
