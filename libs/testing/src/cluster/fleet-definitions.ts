import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { load } from 'js-yaml';
import { KubernetesObject } from '#core/kernel/api/kubernetes-object';
import { crdGroup, crdKind, crdVersions } from '#core/kernel/crd/crd-versions';
import { PROJECT_ROOT } from '#platform/files/project-root';
import { PATIENCE_MS, pause } from '../patience.js';
import type { DirectCluster } from './direct-client.js';
import { defineKinds, keepKnown } from './known-definitions.js';

let read: Promise<readonly KubernetesObject[]> | undefined;

/** Returns the definitions of the fleet's kinds, read once in a process. */
export function fleetDefinitions(): Promise<readonly KubernetesObject[]> {
  read ??= readDefinitions();
  return read;
}

async function readDefinitions(): Promise<KubernetesObject[]> {
  const folder = join(PROJECT_ROOT, 'k8s/crds/fleet');
  const files = (await readdir(folder)).filter((file) => file.startsWith('fleet.')).sort();
  const texts = await Promise.all(files.map((file) => readFile(join(folder, file), 'utf8')));
  return texts.map((text) => KubernetesObject.parse(load(text)));
}

/** Adds definitions to a cluster of this process, and waits until it serves their kinds. */
export async function serveKinds(
  { cluster, client }: Pick<DirectCluster, 'cluster' | 'client'>,
  definitions: readonly KubernetesObject[],
): Promise<void> {
  defineKinds(cluster, definitions);
  for (const definition of definitions) {
    const kind = {
      apiVersion: `${crdGroup(definition)}/${crdVersions(definition)[0]?.name}`,
      kind: crdKind(definition),
    };
    const givenUpAt = Date.now() + PATIENCE_MS;
    while (!(await client.serves(kind))) {
      if (Date.now() > givenUpAt) throw new Error(`${kind.kind} is not served after ${PATIENCE_MS} ms`);
      await pause(1);
    }
  }
  keepKnown(cluster, definitions);
}
