import type { KubernetesObject } from '#core/api/kubernetes-object';
import { SystemClock } from '#platform/clock/system-clock';
import type { KubeClient } from '#platform/kube/kube-client.port';
import { WatchCache } from '#platform/kube/watch-cache';
import { silentLog } from '#platform/telemetry/log.port';
import { ExitCode, type Io, UsageError } from '../io.js';
import { type GetOptions, inOrder, selectorOf } from './get-objects.js';
import { GrowingTable } from './growing-table.js';
import type { LiveKind } from './kinds.js';
import { columnsOf, type Found } from './print-objects.js';

/** What a watch told: the object as it is, or as it was when it went. */
type Seen = Readonly<{ row: Found; note: string }>;

/** Changes of a moment are told together, in order, so that columns stay in line. */
const TOLD_EVERY_MS = 200;

/**
 * `flotilla get --watch`: what is there, then every change, until `stop`. Connections that break are made anew; a cluster
 * that is away is told once it answers.
 */
export async function watchObjects(
  clients: readonly KubeClient[],
  io: Io,
  options: GetOptions,
  stop: Promise<unknown>,
): Promise<void> {
  const { output, kinds } = options;
  if (output !== 'table' && output !== 'wide') throw new UsageError(`--watch prints a table; leave -o ${output} away`);
  const tables = new Map(kinds.map((kind) => [kind, new GrowingTable(columnsOf(kind, output, () => new Date()))]));
  const seen: Seen[] = [];
  const caches = clients.map((client) => watchCluster(client, options, (one) => void seen.push(one)));
  for (const cache of caches) cache.start();
  const tell = () => {
    const news = seen.splice(0).toSorted((a, b) => inOrder(kinds)(a.row, b.row));
    for (const [kind, table] of tables) {
      const rows = news.filter(({ row }) => row.kind === kind);
      if (rows.length > 0) io.out(table.add(rows));
    }
  };
  const timer = setInterval(tell, TOLD_EVERY_MS);
  await stop;
  clearInterval(timer);
  await Promise.all(caches.map((cache) => cache.stop()));
  tell();
  io.exit(ExitCode.done);
}

function watchCluster(client: KubeClient, options: GetOptions, onSeen: (seen: Seen) => void): WatchCache {
  const { cluster } = client;
  return new WatchCache({
    client,
    clock: new SystemClock(),
    log: silentLog,
    kinds: options.kinds.map(({ api }) => api),
    options: { labelSelector: options.kinds.map((kind) => selectorOf(kind, options.selector))[0] ?? '' },
    onChange: (ref, object, previous) => {
      const kind = options.kinds.find(({ api }) => api.kind === ref.kind);
      const live = object ?? previous;
      if (kind === undefined || live === undefined || !isWanted(live, kind, options)) return;
      onSeen({
        row: { cluster, kind, object: { ...live, ...kind.api } },
        note: object === undefined ? '(deleted)' : '',
      });
    },
  });
}

function isWanted({ metadata }: KubernetesObject, kind: LiveKind, { names, namespace }: GetOptions): boolean {
  if (kind.namespaced && namespace !== undefined && metadata.namespace !== namespace) return false;
  return names.length === 0 || names.includes(metadata.name ?? '');
}
