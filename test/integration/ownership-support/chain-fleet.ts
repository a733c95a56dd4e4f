import { join } from 'node:path';
import { z } from 'zod';
import { catalogBundleOf } from '#core/catalog/bundle/bundle-blob';
import { readBundle } from '#core/catalog/bundle/read-bundle';
import { PROJECT_ROOT } from '#platform/files/project-root';
import { readTree } from '#platform/files/read-tree';
import { Refusal } from '#testing/cluster/objects/refusal';
import type { SimulatedFleet } from '#testing/cluster/simulated-fleet';
import type { ServiceProcess } from '../../../apps/cli/src/commands/demo/environment/service-process.js';

export const PACKAGE = 'lighthouse-operator';
export const VERSIONS = ['v1.0.0', 'v1.1.0', 'v1.2.0'] as const;
const NAMESPACE = 'lights';
const olm = (kind: string, version = 'v1alpha1') => ({ apiVersion: `operators.coreos.com/${version}`, kind });

/**
 * A catalog with these versions of the sample, each replacing the one before, and their manifests in the
 * catalog itself. `mark` is a part of them, so that another mark makes other content.
 */
export async function chainCatalogText(versions: readonly string[], mark = ''): Promise<string> {
  const directory = join(PROJECT_ROOT, 'examples/bundles', PACKAGE);
  const bundles = await Promise.all(
    versions.map(async (version) => {
      const { objects: _parsed, ...blob } = catalogBundleOf(
        readBundle(await markedTree(join(directory, version), mark)),
        '',
      );
      return blob;
    }),
  );
  const entries = bundles.map(({ name }, index) => ({
    name,
    ...(index > 0 && { replaces: bundles[index - 1]?.name }),
  }));
  const blobs = [
    { schema: 'olm.package', name: PACKAGE, defaultChannel: 'stable' },
    { schema: 'olm.channel', package: PACKAGE, name: 'stable', entries },
    ...bundles,
  ];
  return blobs.map((one) => JSON.stringify(one)).join('\n');
}

async function markedTree(directory: string, mark: string) {
  const files = await readTree(directory);
  const marked = (bytes: Uint8Array) =>
    Buffer.from(Buffer.from(bytes).toString().replace('displayName: Lighthouse', `displayName: Lighthouse ${mark}`));
  return files.map(({ path, bytes }) => ({ path, bytes: marked(bytes) }));
}

/** True if the hub has given OLM's kinds to the cluster, as it does for a joining one. */
export function hasOlmKinds(fleet: SimulatedFleet, cluster: string): boolean {
  try {
    for (const kind of ['CatalogSource', 'Subscription', 'ClusterServiceVersion'])
      fleet.cluster(cluster).list(olm(kind));
    fleet.cluster(cluster).list(olm('OperatorGroup', 'v1'));
    return true;
  } catch (error) {
    if (error instanceof Refusal) return false;
    throw error;
  }
}

/**
 * Makes the objects of a user to install and upgrade the sample. `everywhere`: for all namespaces; each gets
 * a copy of the ClusterServiceVersion.
 */
export function subscribe(
  fleet: SimulatedFleet,
  cluster: string,
  source: Readonly<Record<string, unknown>>,
  { everywhere = false } = {},
): void {
  const one = fleet.cluster(cluster);
  for (const name of ['olm', NAMESPACE]) one.apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
  const inNamespace = (name: string, namespace = NAMESPACE) => ({ metadata: { name, namespace } });
  one.create({
    ...olm('OperatorGroup', 'v1'),
    ...inNamespace('own'),
    spec: everywhere ? {} : { targetNamespaces: [NAMESPACE] },
  });
  one.create({ ...olm('CatalogSource'), ...inNamespace('chain', 'olm'), spec: { sourceType: 'grpc', ...source } });
  const spec = { name: PACKAGE, channel: 'stable', source: 'chain', sourceNamespace: 'olm' };
  const startingCSV = `${PACKAGE}.${VERSIONS[0]}`;
  one.create({ ...olm('Subscription'), ...inNamespace(PACKAGE), spec: { ...spec, startingCSV } });
}

const Phase = z.looseObject({
  metadata: z.looseObject({ name: z.string() }),
  status: z.looseObject({ phase: z.string() }),
});
export const csvs = (fleet: SimulatedFleet, cluster: string): readonly string[] =>
  fleet
    .cluster(cluster)
    .list(olm('ClusterServiceVersion'))
    .flatMap((csv) => Phase.safeParse(csv).data ?? [])
    .map(({ metadata, status }) => `${metadata.name} ${status.phase}`);
export const atVersion = (version: string): readonly string[] => [`${PACKAGE}.${version} Succeeded`];

const Plan = z.looseObject({
  spec: z.looseObject({ clusterServiceVersionNames: z.array(z.string()), generation: z.number() }),
  status: z.looseObject({ phase: z.string() }),
});
/** Returns the installed versions with their plans, in order. */
export const plans = (fleet: SimulatedFleet, cluster: string): readonly string[] =>
  fleet
    .cluster(cluster)
    .list(olm('InstallPlan'))
    .map((plan) => Plan.parse(plan))
    .toSorted((a, b) => a.spec.generation - b.spec.generation)
    .map(({ spec, status }) => `${spec.clusterServiceVersionNames.join(' ')} ${status.phase}`);
/** The plans of a run that did each step once. */
export const onePlanEach = (versions: readonly string[]): readonly string[] =>
  versions.map((version) => `${PACKAGE}.${version} Complete`);

/** The shards that a process has taken, as it logs them. */
const Taken = z.looseObject({ msg: z.literal('acquired shards'), shards: z.array(z.number()) });
export const shardsOf = async (service: ServiceProcess): Promise<readonly number[]> =>
  (await service.logged()).flatMap((line) => Taken.safeParse(line).data?.shards ?? []);
