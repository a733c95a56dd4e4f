import { describe, expect, it } from 'vitest';
import type { KubernetesObject } from '../../kernel/api/kubernetes-object.js';
import type { RenderRequest } from './bundle/render-request.js';
import { renderBundle } from './render-bundle.js';
import { one, rendered } from './rendered-bundle.fixture.js';
import { bundle, crd, csv, deployment, modes, request, webhook } from './sample-bundle.fixture.js';

const VALIDATING = 'ValidatingAdmissionWebhook';

const named = (objects: readonly KubernetesObject[], kind: string) =>
  objects.filter((object) => object.kind === kind).map(({ metadata }) => metadata.name);
const refusal = (what: ReturnType<typeof bundle>, parts: Partial<RenderRequest> = {}) => {
  const result = renderBundle(what, request(parts));
  return 'error' in result ? result.error : undefined;
};

describe('which refusal is reported', () => {
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
