import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { load } from 'js-yaml';
import { CatalogSource } from '#core/kernel/api/catalog-source';
import { KubernetesObject } from '#core/kernel/api/kubernetes-object';
import { PROJECT_ROOT } from '#platform/files/project-root';
import { type DirectCluster, directCluster } from '#testing/cluster/direct-client';
import { defineKinds, keepKnown } from '#testing/cluster/known-definitions';
import { pause } from '#testing/patience';

export const SHOP = {
  apiVersion: 'operators.coreos.com/v1alpha1',
  kind: 'CatalogSource',
  namespace: 'default',
  name: 'shop',
} as const;

let definition: Promise<KubernetesObject> | undefined;

async function readDefinition(): Promise<KubernetesObject> {
  const path = join(PROJECT_ROOT, 'k8s/crds/operators.coreos.com_catalogsources.yaml');
  return KubernetesObject.parse(load(await readFile(path, 'utf8')));
}

/** A simulated cluster that serves CatalogSources. */
export async function clusterWithSources(version?: string): Promise<DirectCluster> {
  definition ??= readDefinition();
  const direct = directCluster('harbour', version === undefined ? {} : { version });
  const kinds = [await definition];
  defineKinds(direct.cluster, kinds);
  while (!(await direct.client.serves(SHOP))) await pause(0);
  keepKnown(direct.cluster, kinds);
  return direct;
}

/** The CatalogSource `default/shop`, as it is stored. */
export function storedSource({ cluster }: DirectCluster): CatalogSource {
  return CatalogSource.parse(cluster.get(SHOP));
}

/** Creates the CatalogSource `default/shop`. */
export function addSource(direct: DirectCluster, spec: object = {}, metadata: object = {}): CatalogSource {
  const { namespace, name, ...kind } = SHOP;
  const whole = { sourceType: 'grpc', image: 'registry.example/shop:latest', ...spec };
  return CatalogSource.parse(
    direct.cluster.create({ ...kind, metadata: { namespace, name, ...metadata }, spec: whole }),
  );
}
