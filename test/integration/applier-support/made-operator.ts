import type { BundleFile } from '#core/catalog/model/bundle-file';
import type { KubernetesObject } from '#core/kernel/api/kubernetes-object';
import { buildImage } from '#platform/registry/image-builder';
import type { EnvironmentRegistry } from '../../../apps/cli/src/commands/demo/environment/demo-environment.js';

/**
 * One version of an operator that a test makes up: no deployment, one service account, and its further
 * objects.
 */
export type MadeVersion = Readonly<{
  version: string;
  /** A version of the package, or the whole name of another package's CSV. */
  replaces?: string;
  /** Versions that it takes the place of beside that one. */
  skips?: readonly string[];
  /** Range of versions that it takes the place of. */
  skipRange?: string;
  objects: readonly KubernetesObject[];
  /** The image in the catalog, in place of the made one. */
  image?: string;
  /** Deployments of its install strategy. */
  deployments?: readonly Readonly<{ name: string; spec: object }>[];
  /** Further fields of the CSV's spec. */
  spec?: Readonly<Record<string, unknown>>;
  /** Further fields of the CSV. */
  csv?: Readonly<Record<string, unknown>>;
  /** Default: `stable` alone. */
  channels?: readonly string[];
}>;

/** A deprecation of the catalog: `olm.package` without a name, `olm.channel` or `olm.bundle` with one. */
export type MadeDeprecation = Readonly<{ reference: Readonly<{ schema: string; name?: string }>; message: string }>;

const textOf = (value: unknown): Uint8Array => new TextEncoder().encode(JSON.stringify(value));

const csvName = (name: string, version: string): string => `${name}.v${version}`;

const replacedName = (name: string, replaces: string): string =>
  replaces.includes('.v') ? replaces : csvName(name, replaces);

function csvOf(
  name: string,
  { version, replaces, objects, deployments = [], spec = {}, csv = {} }: MadeVersion,
): KubernetesObject {
  const crds = objects.filter(({ kind }) => kind === 'CustomResourceDefinition');
  return {
    apiVersion: 'operators.coreos.com/v1alpha1',
    kind: 'ClusterServiceVersion',
    metadata: { name: csvName(name, version) },
    spec: {
      displayName: name,
      version,
      installModes: [{ type: 'OwnNamespace', supported: true }],
      customresourcedefinitions: { owned: crds.map(ownedBy) },
      install: {
        strategy: 'deployment',
        spec: {
          deployments,
          permissions: [
            { serviceAccountName: name, rules: [{ apiGroups: [''], resources: ['pods'], verbs: ['get'] }] },
          ],
        },
      },
      ...(replaces === undefined ? {} : { replaces: replacedName(name, replaces) }),
      ...spec,
    },
    ...csv,
  };
}

function ownedBy({ metadata, spec }: KubernetesObject) {
  const { names, versions } = spec as { names: { kind: string }; versions: { name: string; storage: boolean }[] };
  const version = versions.find(({ storage }) => storage)?.name;
  return { name: metadata.name, version, kind: names.kind };
}

/** A Deployment of one pod, for an install strategy. `pod` are further fields of the pod's spec. */
export const madeDeployment = (name: string, serviceAccountName: string, pod: object = {}) => ({
  name,
  spec: {
    replicas: 1,
    selector: { matchLabels: { app: name } },
    template: {
      metadata: { labels: { app: name } },
      spec: { serviceAccountName, containers: [{ name: 'manager', image: 'example.com/manager:1' }], ...pod },
    },
  },
});

const channelsOf = ({ channels = ['stable'] }: MadeVersion): readonly string[] => channels;

/** Puts the bundles of these versions into the registry. Replaces the package in the catalog. */
export async function offer(
  { registry, offered }: Readonly<{ registry: EnvironmentRegistry; offered: BundleFile[] }>,
  name: string,
  versions: readonly MadeVersion[],
  deprecations: readonly MadeDeprecation[] = [],
): Promise<void> {
  const blobs: unknown[] = [
    { schema: 'olm.package', name, defaultChannel: 'stable' },
    ...[...new Set(versions.flatMap(channelsOf))].map((channel) => ({
      schema: 'olm.channel',
      package: name,
      name: channel,
      entries: versions
        .filter((made) => channelsOf(made).includes(channel))
        .map(({ version, replaces, skips, skipRange }) => ({
          name: csvName(name, version),
          ...(replaces === undefined ? {} : { replaces: replacedName(name, replaces) }),
          ...(skipRange === undefined ? {} : { skipRange }),
          ...(skips === undefined ? {} : { skips: skips.map((skipped) => csvName(name, skipped)) }),
        })),
    })),
  ];
  for (const made of versions) {
    const repository = `made/${name}:${made.version}`;
    const files = [csvOf(name, made), ...made.objects].map((object, index) => ({
      path: `manifests/${index}.json`,
      bytes: textOf(object),
    }));
    const labels = {
      'operators.operatorframework.io.bundle.mediatype.v1': 'registry+v1',
      'operators.operatorframework.io.bundle.manifests.v1': 'manifests/',
      'operators.operatorframework.io.bundle.metadata.v1': 'metadata/',
      'operators.operatorframework.io.bundle.package.v1': name,
      'operators.operatorframework.io.bundle.channels.v1': channelsOf(made).join(','),
    };
    files.push({ path: 'metadata/annotations.yaml', bytes: textOf({ annotations: labels }) });
    await registry.put(repository, await buildImage({ files, labels }));
    blobs.push({
      schema: 'olm.bundle',
      name: csvName(name, made.version),
      package: name,
      image: made.image ?? `${registry.host}/${repository}`,
      properties: [{ type: 'olm.package', value: { packageName: name, version: made.version } }],
    });
  }
  if (deprecations.length > 0) blobs.push({ schema: 'olm.deprecations', package: name, entries: deprecations });
  const path = `${name}/catalog.json`;
  const others = offered.filter((file) => file.path !== path);
  const bytes = new TextEncoder().encode(blobs.map((blob) => JSON.stringify(blob)).join('\n'));
  offered.splice(0, offered.length, ...others, { path, bytes });
}

/** A version of {@link madeCrd}. */
export type MadeCrdVersion = Readonly<{ name: string; served?: boolean; storage?: boolean; properties?: object }>;

/** A CustomResourceDefinition `<plural>.<group>` of a namespaced kind. */
export const madeCrd = (
  { kind, group, description }: Readonly<{ kind: string; group: string; description?: string }>,
  versions: readonly MadeCrdVersion[],
): KubernetesObject => {
  const plural = `${kind.toLowerCase()}s`;
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      scope: 'Namespaced',
      names: { kind, plural, singular: kind.toLowerCase(), listKind: `${kind}List` },
      versions: versions.map(({ name, served = true, storage = false, properties = {} }) => ({
        ...{ name, served, storage },
        schema: {
          openAPIV3Schema: {
            type: 'object',
            ...(description === undefined ? {} : { description }),
            properties: { spec: { type: 'object', properties } },
          },
        },
      })),
    },
  };
};
