import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { load } from 'js-yaml';
import { z } from 'zod';
import { KubernetesObject } from '#core/api/kubernetes-object';
import { byCodeUnit } from '#core/canonical/canonical-json';
import { KubeApiError, type KubeClient } from '#platform/kube/kube-client.port';
import { PROJECT_ROOT } from '../project-root.js';

export type InstalledCrds = Readonly<{ cluster: string; installed: readonly string[]; refused?: string }>;

const Crd = KubernetesObject.and(
  z.looseObject({
    spec: z.looseObject({
      group: z.string(),
      names: z.looseObject({ kind: z.string() }),
      versions: z.array(z.looseObject({ name: z.string() })),
    }),
  }),
);
type Crd = z.infer<typeof Crd>;

/** Creates OLM's CustomResourceDefinitions where the cluster lacks them. One that may not be created is told, not thrown. */
export async function installMissingCrds(client: KubeClient): Promise<InstalledCrds> {
  const { cluster } = client;
  const installed: string[] = [];
  for (const crd of await olmCrds()) {
    if (await isThere(client, crd)) continue;
    try {
      await client.create(crd);
      installed.push(crd.metadata.name ?? '');
    } catch (error) {
      if (KubeApiError.is(error, 'AlreadyExists')) continue;
      if (!KubeApiError.is(error, 'Forbidden')) throw error;
      return { cluster, installed, refused: error.message };
    }
  }
  return { cluster, installed };
}

/** Who may not read CRDs can still see in the discovery of the API server which kinds are served. */
async function isThere(client: KubeClient, crd: Crd): Promise<boolean> {
  const { apiVersion, kind, metadata, spec } = crd;
  try {
    return (await client.get({ apiVersion, kind, name: metadata.name ?? '' })) !== undefined;
  } catch (error) {
    if (!KubeApiError.is(error, 'Forbidden')) throw error;
    const [version] = spec.versions;
    return client.serves({ apiVersion: `${spec.group}/${version?.name}`, kind: spec.names.kind });
  }
}

async function olmCrds(): Promise<Crd[]> {
  const folder = join(PROJECT_ROOT, 'k8s', 'crds');
  const files = (await readdir(folder)).filter((name) => name.endsWith('.yaml')).sort(byCodeUnit);
  return Promise.all(files.map(async (name) => Crd.parse(load(await readFile(join(folder, name), 'utf8')))));
}
