import { SystemClock } from '#platform/clock/system-clock';
import { WatchCache } from '#platform/kube/cache/watch-cache';
import type { KubeClient } from '#platform/kube/client/kube-client.port';
import { silentLog } from '#platform/telemetry/log.port';
import { dataText } from '../../output/data-text.js';
import { GrowingTable } from '../../output/growing-table.js';
import { ExitCode, type Io, UsageError } from '../../terminal/io.js';
import type { Found } from './found-object.js';
import { type GetOptions, inOrder, isAsked, kindsAsked, selectorsOf } from './get-objects.js';
import type { LiveKind } from './live-kinds.js';
import { columnsOf, marked, nameOf } from './print-objects.js';

/** A report of a watch: the object as it is, or the last state of a deleted one. */
type Seen = Readonly<{ row: Found; note: string }>;

/** Changes of a moment are printed together, in order, so that columns stay in line. */
const PRINTED_EVERY_MS = 200;

/**
 * Runs `flotilla get --watch`: prints the objects, then every change, until `stop`. Broken connections are
 * opened again; an unreachable cluster is shown once it answers.
 */
export async function watchObjects(
  clients: readonly KubeClient[],
  io: Io,
  options: GetOptions,
  stop: Promise<unknown>,
): Promise<void> {
  const kinds = kindsAsked(options);
  const print = printer(options);
  const seen: Seen[] = [];
  const onSeen = (one: Seen) => void seen.push(one);
  const caches = clients.flatMap((client) => kinds.flatMap((kind) => watchKind(client, kind, options, onSeen)));
  for (const cache of caches) cache.start();
  const printSeen = () => {
    const news = seen.splice(0).toSorted((a, b) => inOrder(kinds)(a.row, b.row));
    if (news.length > 0) io.out(print(news));
  };
  const timer = setInterval(printSeen, PRINTED_EVERY_MS);
  await stop;
  clearInterval(timer);
  await Promise.all(caches.map((cache) => cache.stop()));
  printSeen();
  io.exit(ExitCode.done);
}

/** JSON is one object a line, YAML one document an object, so that a reader needs no end of the list. */
function printer(options: GetOptions): (news: readonly Seen[]) => string {
  const { output, headers, sortBy } = options.form;
  if (sortBy !== undefined) throw new UsageError('--watch prints changes as they come: remove --sort-by');
  switch (output) {
    case 'jsonpath':
      throw new UsageError('--watch does not print a JSONPath: use -o json and jq');
    case 'json':
      return (news) => news.map((one) => `${JSON.stringify(changeOf(one))}\n`).join('');
    case 'yaml':
      return (news) => news.map((one) => `---\n${dataText(changeOf(one), 'yaml')}`).join('');
    case 'custom-columns': {
      const own = (options.form.custom ?? []).map(
        ([heading, cell]) => [heading, (row: Found) => cell(marked(row))] as const,
      );
      const rows = new GrowingTable<Found>(own, headers);
      return (news) => rows.add(news);
    }
    case 'name':
      return (news) => news.map(({ row, note }) => `${nameOf(row)}${note === '' ? '' : ` ${note}`}\n`).join('');
    case 'table':
    case 'wide': {
      const kinds = kindsAsked(options);
      const tables = kinds.map((kind) => {
        return {
          kind,
          rows: new GrowingTable(
            columnsOf(kind, options.form, () => new Date()),
            headers,
          ),
        };
      });
      return (news) =>
        tables
          .map(({ kind, rows }) => {
            const own = news.filter(({ row }) => row.kind === kind);
            return own.length === 0 ? '' : rows.add(own);
          })
          .join('');
    }
  }
}

const changeOf = ({ row, note }: Seen) => ({ type: note === '' ? 'SEEN' : 'DELETED', object: marked(row) });

/** A watch of a kind, or none if nothing of it is selected. */
function watchKind(
  client: KubeClient,
  kind: LiveKind,
  options: GetOptions,
  onSeen: (seen: Seen) => void,
): readonly WatchCache[] {
  const { cluster } = client;
  const { namespace } = options;
  const selectors = selectorsOf(kind, options);
  if (selectors === undefined) return [];
  const cache = new WatchCache({
    client,
    clock: new SystemClock(),
    log: silentLog,
    kinds: [kind.api],
    options: selectors,
    onChange: (_api, object, previous) => {
      const live = object ?? previous;
      if (live === undefined) return;
      const row: Found = { cluster, kind, object: { ...live, ...kind.api } };
      if (!isAsked(row, options)) return;
      if (kind.namespaced && namespace !== undefined && live.metadata.namespace !== namespace) return;
      onSeen({ row, note: object === undefined ? '(deleted)' : '' });
    },
  });
  return [cache];
}
