import { join } from 'node:path';
import { load } from 'js-yaml';
import { KubernetesObject } from '#core/kernel/api/kubernetes-object';
import { readTree } from '#platform/files/read-tree';
import { EXAMPLES } from './play-story.js';

/**
 * ConfigMap `shelf` with a catalog of one package, one channel `stable` and these versions of the sample
 * operator.
 */
export async function configMapCatalog(
  namespace: string,
  operator: string,
  versions: readonly [string, ...string[]],
): Promise<KubernetesObject & { data: Readonly<Record<string, string>> }> {
  const bundles = await Promise.all(versions.map((version) => manifestsOf(operator, version)));
  const of = (kind: string) => bundles.map((objects) => objects.filter((object) => object.kind === kind));
  const newest = of('ClusterServiceVersion').at(-1)?.[0]?.metadata.name;
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'shelf', namespace },
    data: {
      customResourceDefinitions: JSON.stringify(of('CustomResourceDefinition').at(-1)),
      clusterServiceVersions: JSON.stringify(of('ClusterServiceVersion').flat()),
      packages: `- packageName: ${operator}\n  channels: [{name: stable, currentCSV: ${newest}}]\n`,
    },
  };
}

async function manifestsOf(operator: string, version: string): Promise<KubernetesObject[]> {
  const files = await readTree(join(EXAMPLES, 'bundles', operator, version, 'manifests'));
  return files.map(({ bytes }) => KubernetesObject.parse(load(Buffer.from(bytes).toString())));
}
