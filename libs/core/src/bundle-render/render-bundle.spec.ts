import { describe, expect, it } from 'vitest';
import type { KubernetesObject } from '../api/kubernetes-object.js';
import { renderBundle } from './render-bundle.js';
import type { RenderRequest } from './render-request.js';
import { bundle, crd, csv, deployment, modes, request, webhook } from './sample-bundle.fixture.js';

const VALIDATING = 'ValidatingAdmissionWebhook';

function rendered(what: ReturnType<typeof bundle>, parts: Partial<RenderRequest> = {}): readonly KubernetesObject[] {
  const result = renderBundle(what, request(parts));
  if ('error' in result) throw new Error(result.error);
  return result.objects;
}
const named = (objects: readonly KubernetesObject[], kind: string) =>
  objects.filter((object) => object.kind === kind).map(({ metadata }) => metadata.name);
const one = (objects: readonly KubernetesObject[], kind: string): KubernetesObject => {
  const [found, ...more] = objects.filter((object) => object.kind === kind);
  if (found === undefined || more.length > 0) throw new Error(`not one ${kind}`);
  return found;
};
const refusal = (what: ReturnType<typeof bundle>, parts: Partial<RenderRequest> = {}) => {
  const result = renderBundle(what, request(parts));
  return 'error' in result ? result.error : undefined;
};

describe('which refusal is told', () => {
  const served = { apiservicedefinitions: { owned: [{}] } };
  const calls = { webhookdefinitions: [webhook(VALIDATING, 'v')] };
  const own = { installModes: modes('OwnNamespace') };
  const off = { gates: {}, certificateProvider: undefined };
  it.each([
    { spec: { ...served, ...calls, ...own }, says: 'unsupported bundle: apiServiceDefintions are not supported' },
    { spec: { ...calls, ...own }, says: 'unsupported bundle: webhookDefinitions are not supported' },
    { spec: own, says: 'unsupported bundle: bundle does not support AllNamespaces install mode' },
  ])('$says', ({ spec, says }) => {
    expect(refusal(bundle(csv(spec)), off)).toBe(says);
  });

  it('names the problems of the bundle only when its configuration is good', () => {
    const bad = bundle(csv(own, { deployments: [deployment('A')] }));
    expect(refusal(bad)).toContain('required field "watchNamespace" is missing');
    expect(refusal(bad, { config: { watchNamespace: 'mill' } })).toContain("strategy deployment name 'A'");
  });

  it('counts a mode as supported when one of its entries says so', () => {
    const twice = [...modes('SingleNamespace'), { type: 'AllNamespaces', supported: true }];
    expect(named(rendered(bundle(csv({ installModes: twice }))), 'Deployment')).toEqual(['gear']);
  });

  it('is a CRD that cannot be converted', () => {
    const name = 'wheels.parts.example.org';
    const converting = csv({
      customresourcedefinitions: { owned: [{ name }] },
      webhookdefinitions: [webhook('ConversionWebhook', 'c', { conversionCRDs: [name] })],
    });
    expect(refusal(bundle(converting, crd(name, { preserveUnknownFields: true })))).toBe(
      `custom resource definition '${name}' must have .spec.preserveUnknownFields set to false to let API Server call webhook to do the conversion`,
    );
    const spec = one(
      rendered(bundle(converting, crd(name, { preserveUnknownFields: false }))),
      'CustomResourceDefinition',
    );
    expect(spec['spec']).toEqual({
      group: 'parts.example.org',
      conversion: {
        strategy: 'Webhook',
        webhook: {
          clientConfig: { service: { name: 'gear-service', namespace: 'mill', path: '/', port: 0 } },
          conversionReviewVersions: ['v1'],
        },
      },
    });
  });
});

describe('rights', () => {
  const rules = [{ apiGroups: [''], resources: ['pods'], verbs: ['get'], resourceNames: [] }];
  const permissions = [
    { serviceAccountName: 'b', rules },
    { serviceAccountName: 'a', rules },
    { serviceAccountName: 'b', rules: [] },
    { rules },
  ];
  const spec = { installModes: modes('AllNamespaces', 'SingleNamespace') };

  it('are of each account once, and of default, which is there already', () => {
    const objects = rendered(bundle(csv(spec, { permissions })));
    expect(named(objects, 'ServiceAccount')).toEqual(['a', 'b']);
    expect(named(objects, 'ClusterRole')).toHaveLength(4);
    expect(named(objects, 'ClusterRoleBinding')).toEqual(named(objects, 'ClusterRole'));
    expect(named(objects, 'Role')).toEqual([]);
  });

  it('are for the namespace that is watched', () => {
    const objects = rendered(bundle(csv(spec, { permissions })), { config: { watchNamespace: 'shop' } });
    expect(named(objects, 'ClusterRole')).toEqual([]);
    const roles = objects.filter(({ kind }) => kind === 'Role');
    expect(roles.map(({ metadata }) => metadata.namespace)).toEqual(['shop', 'shop', 'shop', 'shop']);
    expect(roles[0]?.['rules']).toEqual([{ verbs: ['get'], apiGroups: [''], resources: ['pods'] }]);
    const [binding] = objects.filter(({ kind }) => kind === 'RoleBinding');
    expect(binding).toMatchObject({ subjects: [{ namespace: 'mill' }], metadata: { namespace: 'shop' } });
  });

  it('have names of at most 63 bytes, cut in front of the hash', () => {
    const objects = rendered(bundle(csv({}, { clusterPermissions: [{ serviceAccountName: 'x'.repeat(60), rules }] })));
    expect(named(objects, 'ClusterRole')).toEqual([expect.stringMatching(/^gear\.v1\.0\.0-x{4,7}-[0-9a-z]{43,44}$/)]);
    expect(named(objects, 'ClusterRole')[0]).toHaveLength(63);
  });

  it('without rules are null, as in OLM v1', () => {
    const objects = rendered(bundle(csv({}, { clusterPermissions: [{ serviceAccountName: 'a' }] })));
    expect(one(objects, 'ClusterRole')['rules']).toBeNull();
  });
});

describe('webhooks', () => {
  const ports = [
    { containerPort: 8443 },
    { containerPort: 443, targetPort: 9443 },
    {},
    { targetPort: 'web' },
    { targetPort: 9443 },
  ];
  const webhooks = ports.map((port, index) => webhook(VALIDATING, `v${index}.example`, port));

  it('share a service with each distinct port', () => {
    const objects = rendered(bundle(csv({ webhookdefinitions: webhooks })));
    expect(one(objects, 'Service')['spec']).toEqual({
      ports: [
        { name: '443', port: 443, targetPort: 'web' },
        { name: '443', port: 443, targetPort: 443 },
        { name: '443', port: 443, targetPort: 9443 },
        { name: '8443', port: 8443, targetPort: 8443 },
      ],
      selector: { app: 'gear' },
    });
    expect(named(objects, 'Certificate')).toEqual(['gear-service-cert']);
  });

  it('each have a configuration for the watched namespaces, with what the bundle says of them', () => {
    const spec = { installModes: modes('OwnNamespace', 'SingleNamespace') };
    const said = {
      timeoutSeconds: 7,
      failurePolicy: null,
      rules: [{ apiVersions: ['v1'], resources: [], operations: ['*'] }],
      reinvocationPolicy: 'Never',
      namespaceSelector: {},
    };
    const what = bundle(csv({ ...spec, webhookdefinitions: [webhook(VALIDATING, 'v.example', said)] }));
    const objects = rendered(what, { config: { watchNamespace: 'shop' } });
    expect(one(objects, 'ValidatingWebhookConfiguration')).toEqual({
      apiVersion: 'admissionregistration.k8s.io/v1',
      kind: 'ValidatingWebhookConfiguration',
      metadata: {
        name: 'v.example',
        namespace: 'mill',
        annotations: { 'cert-manager.io/inject-ca-from': 'mill/gear-service-cert' },
      },
      webhooks: [
        {
          name: 'v.example',
          rules: [{ apiVersions: ['v1'], operations: ['*'] }],
          sideEffects: 'None',
          timeoutSeconds: 7,
          admissionReviewVersions: ['v1'],
          clientConfig: { service: { name: 'gear-service', namespace: 'mill', port: 0 } },
          namespaceSelector: {
            matchExpressions: [{ key: 'kubernetes.io/metadata.name', operator: 'In', values: ['shop'] }],
          },
        },
      ],
    });
  });

  it('of which nothing is said say so themselves, as in OLM v1', () => {
    const silent = { type: 'MutatingAdmissionWebhook', generateName: 'm', deploymentName: 'gear' };
    expect(one(rendered(bundle(csv({ webhookdefinitions: [silent] }))), 'MutatingWebhookConfiguration')).toMatchObject({
      webhooks: [{ sideEffects: null, admissionReviewVersions: null }],
    });
  });

  it('of a Deployment with a long name have names that are cut at each step', () => {
    const long = 'a'.repeat(70);
    const deployments = [deployment(long), deployment('quiet')];
    const webhookdefinitions = [webhook(VALIDATING, 'v', { deploymentName: long })];
    const objects = rendered(bundle(csv({ webhookdefinitions }, { deployments })));
    expect(named(objects, 'Service')).toEqual([`${'a'.repeat(55)}-service`]);
    expect(named(objects, 'Certificate')).toEqual([`${'a'.repeat(55)}-se-cert`]);
    expect(named(objects, 'Issuer')).toEqual([`${'a'.repeat(45)}-selfsigned-issuer`]);
  });

  it('trust the authority that Flotilla has made, once there is one', () => {
    const what = bundle(csv({ webhookdefinitions: [webhook(VALIDATING, 'v')] }));
    const parts = { certificateProvider: 'flotilla' } as const;
    const before = renderBundle(what, request(parts));
    expect(before).toMatchObject({
      services: [
        { secretName: 'gear-service-cert', hosts: ['gear-service.mill', 'gear-service.mill.svc', expect.any(String)] },
      ],
    });
    expect(JSON.stringify(before)).not.toContain('caBundle');
    const after = rendered(what, { ...parts, authorities: new Map([['gear-service-cert', 'PEM']]) });
    expect(one(after, 'ValidatingWebhookConfiguration')).toMatchObject({
      webhooks: [{ clientConfig: { caBundle: 'UEVN' } }],
    });
    expect(named(after, 'Secret')).toEqual([]);
  });
});

describe('deployments', () => {
  const pod = (objects: readonly KubernetesObject[]) => {
    const spec = one(objects, 'Deployment')['spec'];
    return JSON.parse(JSON.stringify(spec)).template;
  };
  const container = (name: string, more: object = {}) => ({ name, ...more });

  it('carry the annotations of the CSV, their own before them, and the namespaces before both', () => {
    const own = { own: 'own', both: 'own', 'olm.operatorNamespace': 'lie' };
    const install = deployment('gear');
    const annotated = { ...install, spec: { ...install.spec, template: { metadata: { annotations: own } } } };
    const what = bundle(
      csv({}, { deployments: [annotated] }, { both: 'csv', csv: 'csv', 'olm.targetNamespaces': 'lie' }),
    );
    expect(pod(rendered(what)).metadata.annotations).toEqual({
      csv: 'csv',
      own: 'own',
      both: 'own',
      'olm.targetNamespaces': '',
      'olm.operatorNamespace': 'mill',
    });
  });

  it('serve from the certificate in every container, whatever was mounted there', () => {
    const mounts = {
      volumeMounts: [
        { name: 'old', mountPath: '/apiserver.local.config/certificates' },
        { name: 'keep', mountPath: '/k' },
      ],
    };
    const containers = [
      container('a', mounts),
      container('b', { volumeMounts: [{ name: 'old', mountPath: '/elsewhere' }] }),
      container('c'),
    ];
    const volumes = [
      { name: 'old', emptyDir: {} },
      { name: 'keep', emptyDir: {} },
      { name: 'webhook-cert', emptyDir: {} },
    ];
    const deployments = [deployment('gear', { containers, volumes })];
    const { spec } = pod(rendered(bundle(csv({ webhookdefinitions: [webhook(VALIDATING, 'v')] }, { deployments }))));
    expect(spec.volumes.map(({ name }: { name: string }) => name)).toEqual(['keep', 'webhook-cert', 'apiservice-cert']);
    const mounted = spec.containers.map(({ volumeMounts }: { volumeMounts: { name: string }[] }) =>
      volumeMounts.map(({ name }) => name),
    );
    expect(mounted).toEqual([
      ['keep', 'webhook-cert', 'apiservice-cert'],
      ['webhook-cert', 'apiservice-cert'],
      ['webhook-cert', 'apiservice-cert'],
    ]);
  });

  const affinity = {
    nodeAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [{}] },
    podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [{}] },
  };
  it.each([
    { wanted: {}, is: undefined, because: 'nothing takes all away' },
    { wanted: { nodeAffinity: {} }, is: { podAffinity: affinity.podAffinity }, because: 'an empty part goes' },
    {
      wanted: {
        nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [] } },
        podAffinity: {},
      },
      is: undefined,
      because: 'without parts there is none',
    },
    {
      wanted: { podAntiAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [] } },
      is: affinity,
      because: 'an empty part that is not there changes nothing',
    },
  ])('affinity: $because', ({ wanted, is }) => {
    const deployments = [deployment('gear', { affinity })];
    const objects = rendered(bundle(csv({}, { deployments })), { config: { deploymentConfig: { affinity: wanted } } });
    expect(pod(objects).spec.affinity).toEqual(is);
  });

  it.each([
    { deploymentConfig: { nodeSelector: { a: 'b' } }, is: {}, because: 'stays where the user says nothing of it' },
    { deploymentConfig: { affinity: { podAffinity: {} } }, is: undefined, because: 'goes with a part of it' },
  ])('an empty affinity of the bundle $because', ({ deploymentConfig, is }) => {
    const deployments = [deployment('gear', { affinity: { nodeAffinity: null } })];
    const objects = rendered(bundle(csv({}, { deployments })), { config: { deploymentConfig } });
    expect(pod(objects).spec.affinity).toEqual(is);
  });

  it('take what the configuration repeats once', () => {
    const tolerations = [{ key: 'k' }, { key: 'k' }];
    const envFrom = [{ configMapRef: { name: 'e' } }, { configMapRef: { name: 'e' } }];
    const deployments = [deployment('gear', { containers: [container('a', {})] })];
    const objects = rendered(bundle(csv({}, { deployments })), {
      config: { deploymentConfig: { tolerations, envFrom } },
    });
    expect(pod(objects).spec).toEqual({
      tolerations: [{ key: 'k' }],
      containers: [{ name: 'a', envFrom: [{ configMapRef: { name: 'e' } }] }],
    });
  });

  it('take the configuration in every container', () => {
    const containers = [
      container('a', {
        env: [{ name: 'X', value: '1' }, { name: 'Y' }],
        volumeMounts: [
          { name: 'v', mountPath: '/1' },
          { name: 'v', mountPath: '/2' },
        ],
      }),
      container('b', { envFrom: [{ configMapRef: { name: 'e' } }], resources: { limits: { cpu: '1' } } }),
    ];
    const deployments = [deployment('gear', { containers, nodeSelector: { a: 'b' }, tolerations: [{ key: 'k' }] })];
    const deploymentConfig = {
      env: [{ name: 'Y', value: '2' }, { name: 'Z' }],
      envFrom: [{ configMapRef: { name: 'e' } }],
      volumeMounts: [
        { name: 'v', mountPath: '/3' },
        { name: 'w', mountPath: '/4' },
        { name: 'w', mountPath: '/5' },
      ],
      nodeSelector: {},
      tolerations: [{ key: 'k' }, { key: 'l' }],
      resources: { requests: { cpu: '2' } },
    };
    const { spec } = pod(rendered(bundle(csv({}, { deployments })), { config: { deploymentConfig } }));
    expect(spec).toEqual({
      tolerations: [{ key: 'k' }, { key: 'l' }],
      containers: [
        {
          name: 'a',
          env: [{ name: 'X', value: '1' }, { name: 'Y', value: '2' }, { name: 'Z' }],
          envFrom: [{ configMapRef: { name: 'e' } }],
          volumeMounts: [
            { name: 'v', mountPath: '/1' },
            { name: 'v', mountPath: '/3' },
            { name: 'w', mountPath: '/4' },
            { name: 'w', mountPath: '/5' },
          ],
          resources: { requests: { cpu: '2' } },
        },
        {
          name: 'b',
          env: [{ name: 'Y', value: '2' }, { name: 'Z' }],
          envFrom: [{ configMapRef: { name: 'e' } }],
          volumeMounts: [
            { name: 'v', mountPath: '/3' },
            { name: 'w', mountPath: '/4' },
            { name: 'w', mountPath: '/5' },
          ],
          resources: { requests: { cpu: '2' } },
        },
      ],
    });
  });

  it('without a spec are left to the API server to refuse', () => {
    expect(one(rendered(bundle(csv({}, { deployments: [{ name: 'gear' }] }))), 'Deployment')['spec']).toEqual({
      selector: null,
      revisionHistoryLimit: 1,
      template: { metadata: { annotations: expect.anything() }, spec: { containers: null } },
    });
  });

  it('take null for absent, as OLM v1 does', () => {
    const nothing = { metadata: { labels: null, creationTimestamp: null }, spec: { containers: null, volumes: null } };
    const deployments = [{ name: 'gear', label: null, spec: { replicas: null, selector: null, template: nothing } }];
    const permissions = [
      { serviceAccountName: null, rules: [{ verbs: ['get'], resources: ['pods'], apiGroups: null }] },
    ];
    const objects = rendered(bundle(csv({ webhookdefinitions: null }, { deployments, permissions })));
    expect(JSON.stringify(one(objects, 'Deployment')).match(/"\w+":null/g)).toEqual([
      '"selector":null',
      '"containers":null',
    ]);
    expect(one(objects, 'ClusterRole')).toMatchObject({ rules: [{ verbs: ['get'], resources: ['pods'] }, {}] });
  });

  it('and other manifests come without what a cluster fills in', () => {
    const metadata = { name: 'a', creationTimestamp: null };
    const objects = rendered(
      bundle(csv(), { apiVersion: 'v1', kind: 'Secret', metadata, status: {}, data: { a: null } }),
    );
    const placed = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'a', namespace: 'mill' }, data: { a: null } };
    expect(one(objects, 'Secret')).toEqual(placed);
  });

  it('are the same whatever the order of manifests', () => {
    const others = ['b', 'a'].map((name) => ({
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name, namespace: 'elsewhere' },
    }));
    const objects = rendered(bundle(csv(), ...others));
    expect(objects).toEqual(rendered(bundle(csv(), ...others.toReversed())));
    expect(objects.slice(0, 2).map(({ metadata }) => `${metadata.namespace}/${metadata.name}`)).toEqual([
      'mill/a',
      'mill/b',
    ]);
  });
});
