import { describe, expect, it } from 'vitest';
import type { KubernetesObject } from '../../kernel/api/kubernetes-object.js';
import { one, rendered } from './rendered-bundle.fixture.js';
import { bundle, csv, deployment, webhook } from './sample-bundle.fixture.js';

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
    const { spec } = pod(
      rendered(bundle(csv({ webhookdefinitions: [webhook('ValidatingAdmissionWebhook', 'v')] }, { deployments }))),
    );
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
