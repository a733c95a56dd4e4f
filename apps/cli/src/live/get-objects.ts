import { byCodeUnit } from '#core/canonical/canonical-json';
import { COPIED_FROM_LABEL } from '#core/csv/copies/step-copies';
import type { KubeClient } from '#platform/kube/kube-client.port';
import { ExitCode, type Io } from '../io.js';
import { askClusters } from './ask-clusters.js';
import type { LiveKind } from './kinds.js';
import { type Found, type ObjectFormat, printObjects } from './print-objects.js';

export type GetOptions = Readonly<{
  kinds: readonly LiveKind[];
  /** Only these; all where none is named. */
  names: readonly string[];
  namespace?: string | undefined;
  selector?: string | undefined;
  output: ObjectFormat;
}>;

/** `flotilla get`: the objects of all clusters in one list. */
export async function getObjects(clients: readonly KubeClient[], io: Io, options: GetOptions): Promise<void> {
  const { answers, allAway } = await askClusters(clients, io, (client) => objectsOf(client, options));
  if (allAway) return io.exit(ExitCode.remoteFailed);
  const found = answers.flatMap(({ value }) => value).toSorted(inOrder(options.kinds));
  const missing = options.names.filter((name) => !found.some(({ object }) => object.metadata.name === name));
  for (const name of missing) io.err(`error: no ${whatOf(options)} "${name}" ${whereOf(options)}\n`);
  const data = options.output === 'json' || options.output === 'yaml';
  if (found.length > 0 || data) io.out(printObjects(found, options.output, new Date()));
  else if (missing.length === 0) io.err(`No ${whatOf(options)} found ${whereOf(options)}.\n`);
  io.exit(missing.length > 0 ? ExitCode.no : ExitCode.done);
}

async function objectsOf(client: KubeClient, { kinds, names, namespace, selector }: GetOptions): Promise<Found[]> {
  const lists = await Promise.all(
    kinds.map(async (kind) => {
      const where = kind.namespaced && namespace !== undefined ? { namespace } : {};
      const list = await client.list(kind.api, { ...where, labelSelector: selectorOf(kind, selector) });
      return (list?.items ?? []).map((item): Found => {
        return { cluster: client.cluster, kind, object: { ...item, ...kind.api } };
      });
    }),
  );
  return lists.flat().filter(({ object }) => names.length === 0 || names.includes(object.metadata.name ?? ''));
}

/** Copies of a CSV in other namespaces would bury the few that matter. */
export function selectorOf({ api }: LiveKind, selector = ''): string {
  const own = api.kind === 'ClusterServiceVersion' ? `!${COPIED_FROM_LABEL}` : '';
  return [own, selector].filter((part) => part !== '').join(',');
}

/** By kind, then cluster, namespace and name. */
export const inOrder =
  (kinds: readonly LiveKind[]) =>
  (a: Found, b: Found): number =>
    kinds.indexOf(a.kind) - kinds.indexOf(b.kind) ||
    byCodeUnit(a.cluster, b.cluster) ||
    byCodeUnit(a.object.metadata.namespace ?? '', b.object.metadata.namespace ?? '') ||
    byCodeUnit(a.object.metadata.name ?? '', b.object.metadata.name ?? '');

const whatOf = ({ kinds }: GetOptions): string => kinds.map(({ api }) => api.kind).join(' or ');
function whereOf({ kinds, namespace }: GetOptions): string {
  if (!kinds.some(({ namespaced }) => namespaced)) return 'in any cluster';
  return namespace === undefined ? 'in any namespace' : `in namespace ${namespace}`;
}
