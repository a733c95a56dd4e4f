import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { loadAll } from 'js-yaml';
import { KubernetesObject } from '#core/kernel/api/kubernetes-object';
import { byCodeUnit } from '#core/kernel/canonical/canonical-json';
import { PROJECT_ROOT } from '../files/project-root.js';

const KINDS = join(PROJECT_ROOT, 'k8s', 'crds', 'fleet');
const OVERLAY = join(PROJECT_ROOT, 'k8s', 'overlays', 'fleet');
/** Manifests in addition to the kinds: the roles, and the check of decisions. */
const FILES = ['roles.yaml', 'decisions.yaml'];

/**
 * Returns the manifests for rollouts in the API server of a hub, from `k8s/` of this checkout or image. They
 * are in the order in which they are applied: kinds first, since the policy names one of them.
 */
export async function fleetManifests(): Promise<readonly KubernetesObject[]> {
  const kinds = (await readdir(KINDS)).filter((name) => name.startsWith('fleet.flotilla.dev_')).sort(byCodeUnit);
  const paths = [...kinds.map((name) => join(KINDS, name)), ...FILES.map((name) => join(OVERLAY, name))];
  const texts = await Promise.all(paths.map((path) => readFile(path, 'utf8')));
  return texts.flatMap((text) => loadAll(text).map((document) => KubernetesObject.parse(document)));
}
