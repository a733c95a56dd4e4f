import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { load } from 'js-yaml';
import type { BundleFile } from '#core/catalog/model/bundle-file';
import { PROJECT_ROOT } from '#platform/files/project-root';
import { readTree } from '#platform/files/read-tree';
import { CATALOG_LABEL } from '#platform/registry/catalog-image';
import { buildImage } from '#platform/registry/image-builder';
import { annotationsOf } from '../environment/bundle-annotations.js';
import type { EnvironmentRegistry } from '../environment/demo-environment.js';

/** A version of the lighthouse operator that only the demo of the fleet has. */
export type LighthouseVersion = Readonly<{
  version: string;
  replaces?: string;
  /** True if its ClusterRole may read Secrets, too. */
  isWider?: boolean;
}>;

export const PACKAGE = 'lighthouse-operator';
export const CATALOG_IMAGE = 'flotilla-samples/fleet-catalog:latest';
const SAMPLE = join(PROJECT_ROOT, 'examples', 'bundles', PACKAGE, 'v1.0.0');
const SECRETS = { apiGroups: [''], resources: ['secrets'], verbs: ['get', 'list'] };

export const bundleOf = (version: string): string => `${PACKAGE}.v${version}`;
const bytesOf = (value: unknown): Uint8Array => new TextEncoder().encode(JSON.stringify(value));

type Csv = {
  metadata: { name: string };
  spec: {
    version: string;
    replaces?: string;
    install: { spec: { clusterPermissions: { rules: object[] }[]; deployments: LighthouseDeployment[] } };
  };
};
type LighthouseDeployment = { spec: { template: { metadata: { labels: Record<string, string> } } } };

/** Puts the bundles of these versions, and the catalog that offers them, into the registry. */
export async function offerLighthouse(
  { host, put }: EnvironmentRegistry,
  versions: readonly LighthouseVersion[],
): Promise<void> {
  const files = await readTree(SAMPLE);
  for (const version of versions) {
    const placed = files.map((file) => (file.path.includes('clusterserviceversion') ? csvFile(file, version) : file));
    await put(repositoryOf(version), await buildImage({ files: placed, labels: annotationsOf(files) }));
  }
  const path = `configs/${PACKAGE}/catalog.json`;
  const bytes = new TextEncoder().encode(
    (await catalogBlobs(host, versions)).map((one) => JSON.stringify(one)).join('\n'),
  );
  await put(CATALOG_IMAGE, await buildImage({ files: [{ path, bytes }], labels: { [CATALOG_LABEL]: '/configs' } }));
}

const repositoryOf = ({ version }: LighthouseVersion): string => `flotilla-samples/fleet-${PACKAGE}-bundle:v${version}`;

function csvFile({ path, bytes }: BundleFile, { version, replaces, isWider }: LighthouseVersion): BundleFile {
  const csv = load(new TextDecoder().decode(bytes)) as Csv;
  csv.metadata.name = bundleOf(version);
  csv.spec.version = version;
  if (replaces !== undefined) csv.spec.replaces = bundleOf(replaces);
  const { clusterPermissions, deployments } = csv.spec.install.spec;
  if (isWider === true) clusterPermissions[0]?.rules.push(SECRETS);
  // Another version has other pods.
  for (const { spec } of deployments) spec.template.metadata.labels['app.kubernetes.io/version'] = version;
  return { path, bytes: bytesOf(csv) };
}

async function catalogBlobs(host: string, versions: readonly LighthouseVersion[]): Promise<readonly object[]> {
  const crd = await readFile(join(SAMPLE, 'manifests', 'lighthouses.lighthouse.example.com.crd.yaml'), 'utf8');
  const { spec } = load(crd) as { spec: { group: string; names: { kind: string } } };
  const gvk = { group: spec.group, kind: spec.names.kind, version: 'v1' };
  return [
    { schema: 'olm.package', name: PACKAGE, defaultChannel: 'stable' },
    {
      schema: 'olm.channel',
      package: PACKAGE,
      name: 'stable',
      entries: versions.map(({ version, replaces }) => ({
        name: bundleOf(version),
        ...(replaces === undefined ? {} : { replaces: bundleOf(replaces) }),
      })),
    },
    ...versions.map((one) => ({
      schema: 'olm.bundle',
      name: bundleOf(one.version),
      package: PACKAGE,
      image: `${host}/${repositoryOf(one)}`,
      properties: [
        { type: 'olm.gvk', value: gvk },
        { type: 'olm.package', value: { packageName: PACKAGE, version: one.version } },
      ],
    })),
  ];
}
