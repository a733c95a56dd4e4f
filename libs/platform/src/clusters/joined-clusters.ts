import { chmod, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Settings } from '../config/settings.js';
import { makeFolder } from '../files/make-folder.js';
import { whyUnreadable } from '../files/unreadable-file.js';
import { ClusterConfigError } from '../kube/access/cluster-config.error.js';
import {
  type ClusterAccess,
  type ClusterTerms,
  FLOTILLA_EXTENSION,
  parseKubeconfig,
} from '../kube/access/kubeconfig.js';

/**
 * Reads the kubeconfig written by `clusters add`, used when no other kubeconfig is set. Empty if no cluster
 * was added, or a wanted context is missing. Fails with a {@link ClusterConfigError} if it cannot be read.
 */
export async function joinedKubeconfigs(
  { clustersFile }: Pick<Settings, 'clustersFile'>,
  contexts: readonly string[] = [],
): Promise<readonly string[]> {
  const joined = await joinedClusters(clustersFile);
  const names = new Set(joined.map(({ context }) => context));
  return names.size > 0 && contexts.every((name) => names.has(name)) ? [clustersFile] : [];
}

/** Every cluster that has joined, in the order of joining. */
export async function joinedClusters(file: string): Promise<readonly ClusterAccess[]> {
  const source = await readFile(file, 'utf8').catch(async (error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    const why = await whyUnreadable(file, error);
    const text = `clusters file: open ${file}: ${why}: FLOTILLA_CLUSTERS_FILE names another`;
    throw new ClusterConfigError(undefined, text);
  });
  if (source === undefined) return [];
  const config = parseKubeconfig(file, source);
  return config.contexts.map((context) => config.access(context));
}

/** Replaces the file, all at once and readable by its owner alone: it holds credentials. */
export async function writeJoinedClusters(file: string, clusters: readonly ClusterAccess[]): Promise<void> {
  await makeFolder(dirname(file), 0o700);
  const aside = `${file}.${process.pid}`;
  const { stringify } = await import('yaml');
  await writeFile(aside, stringify(kubeconfigOf(clusters)), { mode: 0o600 });
  await chmod(aside, 0o600);
  await rename(aside, file);
}

/** Changes the settings of one cluster that has joined; the others stay as they are. */
export async function changeJoinedCluster(file: string, name: string, terms: ClusterTerms): Promise<void> {
  const clusters = await joinedClusters(file);
  const changed = clusters.map((access) => (access.context === name ? { ...access, ...terms } : access));
  await writeJoinedClusters(file, changed);
}

/** Returns an ordinary kubeconfig. kubectl reads it too. */
export const kubeconfigOf = (clusters: readonly ClusterAccess[]) => ({
  apiVersion: 'v1',
  kind: 'Config',
  clusters: clusters.map(({ context, cluster }) => ({ name: context, cluster })),
  users: clusters.map(({ context, user }) => ({ name: context, user })),
  contexts: clusters.map((access) => ({
    name: access.context,
    context: { cluster: access.context, user: access.context, ...extensionOf(access) },
  })),
});

function extensionOf({ globalCatalogNamespace, identity, accepted, paused, observed, leaving }: ClusterTerms) {
  const terms = { globalCatalogNamespace, identity, accepted, paused, observed, leaving };
  const set = Object.entries(terms).filter(([, value]) => value);
  return set.length === 0 ? {} : { extensions: [{ name: FLOTILLA_EXTENSION, extension: Object.fromEntries(set) }] };
}
