import type { BundleFile } from '#core/catalog/model/bundle-file';
import { CLUSTER_CATALOG_API } from '#core/kernel/api/cluster-catalog';
import { CLUSTER_EXTENSION_API, ClusterExtension } from '#core/kernel/api/cluster-extension';
import { CLUSTER_OBJECT_SET_API, ClusterObjectSet } from '#core/kernel/api/cluster-object-set';
import type { KubernetesObject } from '#core/kernel/api/kubernetes-object';
import { OWNER_NAME_LABEL } from '#core/v1/revision/revision-keys';
import type { KubeClient } from '#platform/kube/client/kube-client.port';
import { type BuiltImage, buildImage } from '#platform/registry/image-builder';
import { NEVER_READY } from '#testing/cluster/controllers/deployments.controller';

export type BundleContents = Readonly<{
  name: string;
  version: string;
  installModes?: readonly string[];
  /** Its Deployment serves a validating webhook. */
  webhook?: boolean;
  /** Image of the Deployment's container, and text of the config map. */
  image?: string;
  text?: string;
  /** Type of the CRD's one field. */
  fieldType?: string;
  properties?: readonly unknown[];
  /** Rights in its own namespace, and a Service, too. */
  rich?: boolean;
  /** Further manifests. */
  more?: readonly Readonly<Record<string, unknown>>[];
}>;

const csvOf = ({
  name,
  version,
  image = 'registry.example/operator:1',
  installModes,
  webhook,
  rich,
}: BundleContents) => ({
  apiVersion: 'operators.coreos.com/v1alpha1',
  kind: 'ClusterServiceVersion',
  metadata: { name: `${name}.v${version}`, annotations: {} },
  spec: {
    displayName: name,
    version,
    installModes: ['OwnNamespace', 'SingleNamespace', 'MultiNamespace', 'AllNamespaces'].map((type) => ({
      type,
      supported: (installModes ?? ['AllNamespaces']).includes(type),
    })),
    ...(webhook === true ? { webhookdefinitions: [webhookOf(name)] } : {}),
    customresourcedefinitions: {
      owned: [{ name: `${name}s.lamps.example.com`, version: 'v1', kind: kindOf(name) }],
    },
    install: {
      strategy: 'deployment',
      spec: {
        ...(rich === true ? { permissions: [permissionOf(name)] } : {}),
        clusterPermissions: [
          {
            serviceAccountName: `${name}-operator`,
            rules: [{ apiGroups: ['lamps.example.com'], resources: ['*'], verbs: ['*'] }],
          },
        ],
        deployments: [
          {
            name: `${name}-operator`,
            spec: {
              replicas: 1,
              selector: { matchLabels: { app: `${name}-operator` } },
              template: {
                metadata: { labels: { app: `${name}-operator` } },
                spec: {
                  serviceAccountName: `${name}-operator`,
                  containers: [{ name: 'operator', image }],
                },
              },
            },
          },
        ],
      },
    },
  },
});

const permissionOf = (name: string) => ({
  serviceAccountName: `${name}-operator`,
  rules: [{ apiGroups: [''], resources: ['configmaps'], verbs: ['get', 'list', 'watch'] }],
});

const serviceOf = (name: string) => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name: `${name}-metrics` },
  spec: { selector: { app: `${name}-operator` }, ports: [{ name: 'metrics', port: 8443 }] },
});

const webhookOf = (name: string) => ({
  type: 'ValidatingAdmissionWebhook',
  generateName: `v${name}.lamps.example.com`,
  deploymentName: `${name}-operator`,
  containerPort: 9443,
  admissionReviewVersions: ['v1'],
  sideEffects: 'None',
  failurePolicy: 'Ignore',
  webhookPath: '/validate',
  rules: [{ apiGroups: ['lamps.example.com'], apiVersions: ['v1'], operations: ['CREATE'], resources: [`${name}s`] }],
});

const kindOf = (name: string): string => `${name.slice(0, 1).toUpperCase()}${name.slice(1)}`;

const crdOf = ({ name, fieldType = 'string' }: BundleContents) => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: `${name}s.lamps.example.com` },
  spec: {
    group: 'lamps.example.com',
    names: { kind: kindOf(name), listKind: `${kindOf(name)}List`, plural: `${name}s`, singular: name },
    scope: 'Namespaced',
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: {
          openAPIV3Schema: {
            type: 'object',
            properties: { spec: { type: 'object', properties: { light: { type: fieldType } } } },
          },
        },
      },
    ],
  },
});

/** A registry+v1 bundle with a CRD, a Deployment, a ConfigMap and a NetworkPolicy. */
export const bundleImage = (contents: BundleContents): Promise<BuiltImage> =>
  buildImage({ files: bundleFiles(contents), labels: {} });

/** The files of {@link bundleImage}. */
export function bundleFiles(contents: BundleContents): BundleFile[] {
  const { name, text = 'steady', properties, rich, more = [] } = contents;
  const files: Record<string, unknown> = {
    'manifests/csv.yaml': csvOf(contents),
    'manifests/crd.yaml': crdOf(contents),
    'manifests/configmap.yaml': {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: `${name}-settings` },
      data: { text },
    },
    'manifests/networkpolicy.yaml': {
      apiVersion: 'networking.k8s.io/v1',
      kind: 'NetworkPolicy',
      metadata: { name: `${name}-network` },
      spec: { podSelector: {}, policyTypes: ['Ingress'] },
    },
    ...Object.fromEntries(more.map((manifest, at) => [`manifests/more-${at}.yaml`, manifest])),
    'metadata/annotations.yaml': {
      annotations: {
        'operators.operatorframework.io.bundle.mediatype.v1': 'registry+v1',
        'operators.operatorframework.io.bundle.manifests.v1': 'manifests/',
        'operators.operatorframework.io.bundle.metadata.v1': 'metadata/',
        'operators.operatorframework.io.bundle.package.v1': name,
      },
    },
    ...(rich === true ? { 'manifests/service.yaml': serviceOf(name) } : {}),
    ...(properties === undefined ? {} : { 'metadata/properties.yaml': { properties } }),
  };
  return Object.entries(files).map(([path, value]) => ({ path, bytes: Buffer.from(JSON.stringify(value)) }));
}

export type ImageStore = Readonly<{
  host: string;
  put: (reference: string, image: BuiltImage) => string;
}>;

/** Puts bundles and catalogs into the registry of an environment. Each function returns the image. */
export type Puts = Readonly<{
  bundle: (contents: BundleContents) => Promise<string>;
  putCatalog: (tag: string, blobs: readonly unknown[]) => Promise<string>;
}>;

/** Returns a package with one channel `stable`. Every bundle replaces the one before it in the list. */
export function packageBlobs(
  name: string,
  bundles: readonly Readonly<{ version: string; image: string; deprecated?: string | undefined }>[],
): unknown[] {
  const named = (version: string) => `${name}.v${version}`;
  const deprecated = bundles.filter((bundle) => bundle.deprecated !== undefined);
  return [
    { schema: 'olm.package', name, defaultChannel: 'stable' },
    {
      schema: 'olm.channel',
      name: 'stable',
      package: name,
      entries: bundles.map(({ version }, at) => {
        const before = bundles[at - 1];
        return { name: named(version), ...(before === undefined ? {} : { replaces: named(before.version) }) };
      }),
    },
    ...bundles.map(({ version, image }) => ({
      schema: 'olm.bundle',
      name: named(version),
      package: name,
      image,
      properties: [{ type: 'olm.package', value: { packageName: name, version } }],
    })),
    ...(deprecated.length === 0
      ? []
      : [
          {
            schema: 'olm.deprecations',
            package: name,
            entries: deprecated.map(({ version, deprecated: message }) => ({
              reference: { schema: 'olm.bundle', name: named(version) },
              message,
            })),
          },
        ]),
  ];
}

/** A configuration that keeps a Deployment unavailable, in a simulated cluster or a real one. */
export const NEVER_READY_CONFIG = {
  configType: 'Inline',
  inline: { deploymentConfig: { annotations: { [NEVER_READY]: 'true' }, nodeSelector: { nowhere: 'true' } } },
};

/** Actions of a person on ClusterExtensions of one cluster, and the state that the person sees. */
export class ExtensionFixture {
  readonly #made = new Set<string>();

  constructor(readonly client: KubeClient) {}

  async namespace(name: string): Promise<void> {
    await this.client.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
  }

  async catalog(name: string, image: string, labels: Readonly<Record<string, string>> = {}): Promise<void> {
    const spec = { source: { type: 'Image', image: { ref: image, pollIntervalMinutes: 1 } } };
    await this.client.create({ ...CLUSTER_CATALOG_API, metadata: { name, labels }, spec });
  }

  async extension(
    name: string,
    namespace: string,
    catalog: Readonly<Record<string, unknown>>,
    more: Readonly<Record<string, unknown>> = {},
  ): Promise<void> {
    const spec = { namespace, source: { sourceType: 'Catalog', catalog }, ...more };
    this.#made.add(name);
    await this.client.create({ ...CLUSTER_EXTENSION_API, metadata: { name }, spec });
  }

  /** Deletes the extensions made so far, without a wait for their objects to go. */
  async deleteExtensions(): Promise<void> {
    const names = [...this.#made];
    this.#made.clear();
    await Promise.all(names.map((name) => this.client.delete({ ...CLUSTER_EXTENSION_API, name })));
  }

  change(name: string, spec: Readonly<Record<string, unknown>>): Promise<unknown> {
    return this.client.patch({ ...CLUSTER_EXTENSION_API, name }, { spec });
  }

  annotate(name: string, annotations: Readonly<Record<string, string>>): Promise<unknown> {
    return this.client.patch({ ...CLUSTER_EXTENSION_API, name }, { metadata: { annotations } });
  }

  async statusOf(name: string): Promise<ClusterExtension['status']> {
    const found = await this.client.get({ ...CLUSTER_EXTENSION_API, name });
    return found === undefined ? undefined : ClusterExtension.parse(found).status;
  }

  /** `type=status reason` of a condition, and its message apart. */
  async condition(name: string, type: string): Promise<string> {
    const found = (await this.statusOf(name))?.conditions?.find((condition) => condition.type === type);
    return found === undefined ? '' : `${found.status} ${found.reason}: ${found.message}`;
  }

  /** The same of a ClusterObjectSet. */
  async setCondition(name: string, type: string): Promise<string> {
    const found = await this.client.get({ ...CLUSTER_OBJECT_SET_API, name });
    const conditions = found && ClusterObjectSet.parse({ ...found, ...CLUSTER_OBJECT_SET_API }).status?.conditions;
    const held = conditions?.find((condition) => condition.type === type);
    return held === undefined ? '' : `${held.status} ${held.reason}: ${held.message}`;
  }

  /** The installed bundle, with how far the extension is. */
  async installState(name: string): Promise<string> {
    const status = await this.statusOf(name);
    const progressing = status?.conditions?.find(({ type }) => type === 'Progressing');
    return `${status?.install?.bundle.version ?? '-'} ${progressing?.status ?? '-'} ${progressing?.reason ?? '-'}`;
  }

  async revisions(name: string): Promise<ClusterObjectSet[]> {
    const found = await this.client.list(CLUSTER_OBJECT_SET_API, { labelSelector: `${OWNER_NAME_LABEL}=${name}` });
    return (found?.items ?? [])
      .map((object) => ClusterObjectSet.parse({ ...object, ...CLUSTER_OBJECT_SET_API }))
      .toSorted((a, b) => a.spec.revision - b.spec.revision);
  }

  async lifecycles(name: string): Promise<string[]> {
    return (await this.revisions(name)).map(({ spec }) => `${spec.revision} ${spec.lifecycleState}`);
  }

  get(apiVersion: string, kind: string, name: string, namespace?: string): Promise<KubernetesObject | undefined> {
    return this.client.get({ apiVersion, kind, name, namespace });
  }

  /** The namespaces that the operator of a Deployment watches. */
  async watches(deployment: string, namespace: string): Promise<string> {
    const found = await this.get('apps/v1', 'Deployment', deployment, namespace);
    const { template } = Object(found?.['spec']);
    return String(template?.metadata.annotations['olm.targetNamespaces']);
  }

  /** Reasons of the Events about an extension. */
  async events(name: string): Promise<string[]> {
    const found = await this.client.list({ apiVersion: 'v1', kind: 'Event' });
    return (found?.items ?? []).flatMap((event) => {
      const about: unknown = event['involvedObject'];
      const { kind, name: of } = Object(about);
      return kind === CLUSTER_EXTENSION_API.kind && of === name ? [`${event['reason']}: ${event['message']}`] : [];
    });
  }
}
