import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { CATALOG_SOURCE_API, type CatalogSource } from '#core/kernel/api/catalog-source';
import { CLUSTER_CATALOG_API, type ClusterCatalog } from '#core/kernel/api/cluster-catalog';
import { CLUSTER_EXTENSION_API, type ClusterExtension } from '#core/kernel/api/cluster-extension';
import { KIND } from '#core/kernel/api/kinds';
import type { KubernetesObject } from '#core/kernel/api/kubernetes-object';
import { SUBSCRIPTION_API, type Subscription } from '#core/kernel/api/subscription';
import { counted } from '#core/kernel/text/counted';
import { type ExportedCluster, type FleetManifest, fleetManifests } from '#core/rollout/export/fleet-manifests';
import { globalCatalogNamespaceOf } from '#platform/clusters/managed-clusters';
import { makeFolder } from '#platform/files/make-folder';
import type { KindRef, KubeClient } from '#platform/kube/client/kube-client.port';
import { askClusters, fleetVerdict, reportAway } from '../../../clusters/ask-clusters.js';
import { commandSettings } from '../../../hub/command-settings.js';
import { NEXT } from '../../../output/next-commands.js';
import { exitCodeOf } from '../../../output/verdict.js';
import { type Io, UsageError } from '../../../terminal/io.js';

export type ExportOptions = Readonly<{ out: string | undefined; namespace: string; allowMissing: boolean }>;

/**
 * Runs `flotilla fleet export --from-clusters`: writes manifests of a fleet that adopts the existing objects
 * of clusters.
 */
export async function exportClusters(clients: readonly KubeClient[], io: Io, options: ExportOptions): Promise<void> {
  const { out, namespace } = options;
  if (out !== undefined) await checkEmpty(out);
  const asked = await askClusters(clients, clusterToExport);
  reportAway(asked.away, io);
  const verdict = fleetVerdict(true, asked, options);
  // A fleet without the clusters that are away would say that these have left it.
  if (verdict !== 'yes') return io.exit(exitCodeOf(verdict));
  const fleet = exported(
    asked.answers.map(({ value }) => value),
    namespace,
  );
  for (const note of fleet.notes) io.err(`note: ${note}\n`);
  const files: readonly (readonly [string, readonly FleetManifest[]])[] = [
    ['clusters.yaml', fleet.clusters],
    ['catalogs.yaml', fleet.catalogs],
    ['operators.yaml', fleet.operators],
    ['strategies.yaml', [fleet.strategy]],
  ];
  await writeFiles(
    files.filter(([, objects]) => objects.length > 0),
    out,
    io,
  );
  const counts = [
    counted(fleet.clusters.length, 'cluster'),
    counted(fleet.catalogs.length, 'catalog'),
    counted(fleet.operators.length, 'operator'),
  ];
  io.err(`${counts.join(', ')} and a strategy to edit.\n`);
  if (out !== undefined) io.err(`  → ${NEXT.planFiles(out)}   (its effect)\n`);
  io.exit(exitCodeOf(verdict));
}

function exported(clusters: readonly ExportedCluster[], namespace: string) {
  try {
    return fleetManifests(clusters, namespace);
  } catch (error) {
    if (error instanceof RangeError) throw new UsageError(`${error.message}; choose other contexts with --context`);
    throw error;
  }
}

async function clusterToExport(client: KubeClient): Promise<ExportedCluster> {
  const all = async <T extends KubernetesObject>(kind: KindRef): Promise<readonly T[]> =>
    ((await client.list<T>(kind))?.items ?? []).map((item) => ({ ...item, ...kind }));
  const [catalogSources, subscriptions, clusterCatalogs, extensions, globalCatalogNamespace, system] =
    await Promise.all([
      all<CatalogSource>(CATALOG_SOURCE_API),
      all<Subscription>(SUBSCRIPTION_API),
      all<ClusterCatalog>(CLUSTER_CATALOG_API),
      all<ClusterExtension>(CLUSTER_EXTENSION_API),
      globalCatalogNamespaceOf(client, commandSettings(process.env)),
      client.get({ ...KIND.Namespace, name: 'kube-system' }),
    ]);
  return {
    context: client.cluster,
    uid: system?.metadata.uid,
    globalCatalogNamespace,
    isGlobalNamespaceSet: client.globalCatalogNamespace !== undefined,
    catalogSources,
    clusterCatalogs,
    subscriptions,
    extensions,
  };
}

/** Edited manifests are not written over. @throws UsageError */
export async function checkEmpty(folder: string): Promise<void> {
  const found = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw error;
  });
  if (found.length > 0) throw new UsageError(`--out ${folder}: the folder is not empty; choose a new folder`);
}

/** Writes a file for each list of objects; without a folder all of them go to standard output. */
export async function writeFiles(
  files: readonly (readonly [name: string, objects: readonly object[]])[],
  out: string | undefined,
  io: Io,
): Promise<void> {
  const text = (objects: readonly object[]): string =>
    objects.map((object) => stringify(object, { lineWidth: 0, aliasDuplicateObjects: false })).join('---\n');
  if (out === undefined) {
    io.out(files.map(([, objects]) => text(objects)).join('---\n'));
    return;
  }
  await makeFolder(out);
  for (const [name, objects] of files) {
    const path = join(out, name);
    await writeFile(path, text(objects));
    io.out(`${path}\n`);
  }
}
