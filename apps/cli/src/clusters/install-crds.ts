import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { load } from 'js-yaml';
import { KubernetesObject } from '#core/api/kubernetes-object';
import { byCodeUnit } from '#core/canonical/canonical-json';
import { KubeApiError, type KubeClient } from '#platform/kube/kube-client.port';
import { PROJECT_ROOT } from '../project-root.js';

export type InstalledCrds = Readonly<{ cluster: string; installed: readonly string[]; refused?: string }>;

/** Creates OLM's CustomResourceDefinitions where the cluster lacks them. One that may not be created is told, not thrown. */
export async function installMissingCrds(client: KubeClient): Promise<InstalledCrds> {
  const { cluster } = client;
  const installed: string[] = [];
  for (const crd of await olmCrds()) {
    const { apiVersion, kind, metadata } = crd;
    const name = metadata.name ?? '';
    if ((await client.get({ apiVersion, kind, name })) !== undefined) continue;
    try {
      await client.create(crd);
      installed.push(name);
    } catch (error) {
      if (KubeApiError.is(error, 'AlreadyExists')) continue;
      if (!KubeApiError.is(error, 'Forbidden')) throw error;
      return { cluster, installed, refused: error.message };
    }
  }
  return { cluster, installed };
}

async function olmCrds(): Promise<KubernetesObject[]> {
  const folder = join(PROJECT_ROOT, 'k8s', 'crds');
  const files = (await readdir(folder)).filter((name) => name.endsWith('.yaml')).sort(byCodeUnit);
  return Promise.all(
    files.map(async (name) => KubernetesObject.parse(load(await readFile(join(folder, name), 'utf8')))),
  );
}
