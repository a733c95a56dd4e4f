import type { BundleFile } from '../../catalog/model/bundle-file.js';
import { readRegistryBundle } from './bundle/read-registry-bundle.js';
import type { RegistryBundle } from './bundle/registry-bundle.js';
import type { RenderRequest } from './bundle/render-request.js';

const PACKAGE = 'operators.operatorframework.io.bundle.package.v1';

export const file = (path: string, ...documents: unknown[]): BundleFile => ({
  path,
  bytes: Buffer.from(documents.map((one) => (typeof one === 'string' ? one : JSON.stringify(one))).join('\n---\n')),
});

export const annotationsFile = file('metadata/annotations.yaml', { annotations: { [PACKAGE]: 'gear' } });

export const modes = (...supported: string[]) =>
  ['OwnNamespace', 'SingleNamespace', 'MultiNamespace', 'AllNamespaces'].map((type) => ({
    type,
    supported: supported.includes(type),
  }));

export const deployment = (name: string, pod: object = {}) => ({
  name,
  spec: {
    selector: { matchLabels: { app: name } },
    template: {
      metadata: { labels: { app: name } },
      spec: { containers: [{ name: 'main', image: 'gear:1' }], ...pod },
    },
  },
});

export const webhook = (type: string, generateName: string, more: object = {}) => ({
  type,
  generateName,
  deploymentName: 'gear',
  admissionReviewVersions: ['v1'],
  sideEffects: 'None',
  ...more,
});

export const crd = (name: string, spec: object = {}) => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name },
  spec: { group: name.slice(name.indexOf('.') + 1), ...spec },
});

/** A CSV `gear.v1.0.0` that watches all namespaces and runs one Deployment, changed as asked. */
export const csv = (spec: object = {}, install: object = {}, annotations?: object) => ({
  apiVersion: 'operators.coreos.com/v1alpha1',
  kind: 'ClusterServiceVersion',
  metadata: { name: 'gear.v1.0.0', ...(annotations && { annotations }) },
  spec: {
    installModes: modes('AllNamespaces'),
    install: { strategy: 'deployment', spec: { deployments: [deployment('gear')], ...install } },
    ...spec,
  },
});

export function bundle(csvObject: object, ...manifests: object[]): RegistryBundle {
  const files = [annotationsFile, file('manifests/0.yaml', csvObject), file('manifests/1.yaml', ...manifests)];
  const read = readRegistryBundle(files);
  if ('error' in read) throw new Error(read.error);
  return read;
}

export const request = (parts: Partial<RenderRequest> = {}): RenderRequest => ({
  namespace: 'mill',
  config: undefined,
  certificateProvider: 'cert-manager',
  gates: { SingleOwnNamespaceInstallSupport: true, DeploymentConfig: true },
  ...parts,
});
