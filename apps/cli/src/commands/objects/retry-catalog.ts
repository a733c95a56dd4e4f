import { isNotReadAgain } from '#core/cluster/diagnosis/pull-trouble';
import { CATALOG_SOURCE_API } from '#core/kernel/api/catalog-source';
import { CLUSTER_CATALOG_API } from '#core/kernel/api/cluster-catalog';
import type { KubernetesObject } from '#core/kernel/api/kubernetes-object';
import { RETRIED_ANNOTATION } from '#core/kernel/api/retried-catalog';
import type { KubeClient } from '#platform/kube/client/kube-client.port';
import { askClusters, fleetVerdict, reportAway } from '../../clusters/ask-clusters.js';
import { exitCodeOf } from '../../output/verdict.js';
import type { Io } from '../../terminal/io.js';

export type CatalogRetryOptions = Readonly<{
  kind: 'CatalogSource' | 'ClusterCatalog';
  /** The namespace; empty for kinds without one. */
  namespace: string;
  dryRun: boolean;
  /** Every cluster is asked, and one that has no such catalog is none that refuses. */
  allClusters: boolean;
  allowMissing: boolean;
}>;

type Retry = Readonly<{ name: string; isFound: boolean; line: string }>;

/**
 * Runs `flotilla retry catalogsource` and `clustercatalog`. Asks the hub, by an annotation with the time, to
 * try the image of a catalog once more, in each of these clusters.
 */
export async function retryCatalogs(
  clients: readonly KubeClient[],
  io: Io,
  names: readonly string[],
  options: CatalogRetryOptions,
): Promise<void> {
  const at = new Date().toISOString();
  const fleet = await askClusters(clients, (client) =>
    Promise.all(names.map((name) => retryCatalog(client, name, at, options))),
  );
  reportAway(fleet.away, io);
  const all = fleet.answers.flatMap(({ value }) => value);
  const isSomewhere = (name: string) => all.some((one) => one.name === name && one.isFound);
  for (const { name, isFound, line } of all) {
    if (isFound) io.out(`${line}\n`);
    else if (!options.allClusters || !isSomewhere(name)) io.err(`error: ${line}\n`);
  }
  const isMissing = options.allClusters ? !names.every(isSomewhere) : all.some(({ isFound }) => !isFound);
  io.exit(exitCodeOf(fleetVerdict(!isMissing, fleet, options)));
}

async function retryCatalog(
  client: KubeClient,
  name: string,
  at: string,
  { kind, namespace, dryRun }: CatalogRetryOptions,
): Promise<Retry> {
  const api = kind === 'CatalogSource' ? CATALOG_SOURCE_API : CLUSTER_CATALOG_API;
  const where = `${kind} ${name}${namespace === '' ? '' : ` in namespace ${namespace}`} of ${client.cluster}`;
  const ref = { ...api, name, ...(namespace !== '' && { namespace }) };
  const catalog = await client.get(ref);
  if (catalog === undefined) return { name, isFound: false, line: `there is no ${where}` };
  await client.patch(ref, { metadata: { annotations: { [RETRIED_ANNOTATION]: at } } }, { dryRun });
  const verb = dryRun ? 'would be' : 'is';
  const line = isRemembered(catalog) ? `its image ${verb} retried` : `nothing ${verb} retried: ${NOTHING}`;
  return { name, isFound: true, line: `${where}: ${line}` };
}

const NOTHING =
  'the hub skips no image of this catalog. It now only checks the source, and pulls an image if its digest changed';

/** True if statuses of the catalog name something that the hub remembers. */
function isRemembered(catalog: KubernetesObject): boolean {
  const { message, conditions } = Object(catalog['status']);
  const all: readonly unknown[] = Array.isArray(conditions) ? conditions : [];
  return [message, ...all.map((one) => Object(one).message)].some((text) => isNotReadAgain(String(text)));
}
