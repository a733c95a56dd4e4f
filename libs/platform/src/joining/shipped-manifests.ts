import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { loadAll } from 'js-yaml';
import { KubernetesObject } from '#core/kernel/api/kubernetes-object';
import { byCodeUnit } from '#core/kernel/canonical/canonical-json';
import { PROJECT_ROOT } from '../files/project-root.js';

/**
 * The objects that a cluster gets on joining: definitions first, since some of the companions are of their
 * kinds.
 */
type ShippedManifests = Readonly<{
  crds: readonly KubernetesObject[];
  companions: readonly KubernetesObject[];
}>;

const CRDS = join(PROJECT_ROOT, 'k8s', 'crds');
const COMPANIONS = join(PROJECT_ROOT, 'k8s', 'joining');

let read: Promise<ShippedManifests> | undefined;

/**
 * Returns OLM's CustomResourceDefinitions and their companions, from `k8s/` of this checkout or image. Reads
 * them once.
 */
export function shippedManifests(): Promise<ShippedManifests> {
  read ??= readAll();
  return read;
}

async function readAll(): Promise<ShippedManifests> {
  const [crds, companions] = await Promise.all([objectsIn(CRDS), objectsIn(COMPANIONS)]);
  return { crds, companions };
}

async function objectsIn(folder: string): Promise<KubernetesObject[]> {
  const files = (await readdir(folder)).filter((name) => name.endsWith('.yaml')).sort(byCodeUnit);
  const texts = await Promise.all(files.map((name) => readFile(join(folder, name), 'utf8')));
  return texts.flatMap((text) => loadAll(text).map((document) => KubernetesObject.parse(document)));
}
