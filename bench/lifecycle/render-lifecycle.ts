import type { Usage } from '../fleet/process-usage.js';
import type { CountedRequest } from './counted-requests.js';
import type { LifecycleMeasures, Passage } from './measure-lifecycle.js';
import type { ManyMeasures } from './measure-many.js';
import { MILESTONES } from './milestones.js';

const WRITES = new Set(['create', 'update', 'patch', 'delete', 'deletecollection']);

/** Renders Markdown tables: times, requests, many at once, at rest, and the usage of each process. */
export function renderLifecycle(measured: LifecycleMeasures): string {
  const { passages, crowd, idle, passedAgain } = measured;
  const head = ['operator', 'what', ...MILESTONES, 'reads', 'writes', 'CPU of all services'];
  const rows = passages.map(({ shape, what, runs }) => [
    shape,
    what,
    ...MILESTONES.map((milestone) => seconds(medianOf(runs, ({ seconds: at }) => at.get(milestone)))),
    ...([false, true] as const).map((write) =>
      String(medianOf(runs, ({ requests }) => requests.filter(isWrite(write)).length)),
    ),
    seconds(medianOf(runs, ({ cpuSeconds }) => [...cpuSeconds.values()].reduce((sum, one) => sum + one, 0))),
  ]);
  const crowded = (['install', 'upgrade'] as const).flatMap((what) =>
    (['CSV Succeeded', 'Subscription AtLatestKnown'] as const).map((milestone: keyof typeof crowd.install.all) => {
      const all = crowd[what].all[milestone];
      return [what, milestone, seconds(all[0]), seconds(all[Math.floor(all.length / 2)]), seconds(all.at(-1))];
    }),
  );
  const each = (requests: readonly CountedRequest[]) => (requests.length / crowd.namespaces).toFixed(1);
  return [
    table(head, rows),
    `${crowd.namespaces} namespaces at once (requests a namespace: install ${each(crowd.install.requests)}, upgrade ${each(crowd.upgrade.requests)}):\n`,
    table(['what', 'milestone', 'first', 'half', 'last'], crowded),
    `At rest for ${idle.seconds} s: ${counted(idle.requests)}. Everything checked again, nothing changed: ${counted(passedAgain)}.\n`,
    usageTable(measured.usage),
  ].join('\n');
}

export const renderMany = ({ clusters, operators, seconds: took, usage }: ManyMeasures): string =>
  `${clusters} clusters with ${operators} operators each, all Succeeded after ${seconds(took)}\n\n${usageTable(usage)}`;

function usageTable(all: ReadonlyMap<string, Usage | undefined>): string {
  const rows = [...all].map(([name, usage]) => [
    name,
    seconds(usage?.cpuSeconds),
    usage === undefined ? 'unknown' : `${Math.round(usage.peakMiB)} MiB`,
  ]);
  return table(['process', 'CPU', 'peak memory'], rows);
}

/** Renders the requests of the middle run of each kind, by verb and resource. */
export function renderRequests({ passages }: LifecycleMeasures): string {
  return passages
    .map(({ shape, what, runs }) => {
      const middle = runs.toSorted((a, b) => a.requests.length - b.requests.length)[Math.floor(runs.length / 2)];
      const counts = new Map<string, number>();
      for (const { service, verb, resource } of middle?.requests ?? []) {
        const key = `${service} ${verb} ${resource}`;
        counts.set(key, (counts.get(key) ?? 0) + 1);
      }
      const rows = [...counts].toSorted(([, a], [, b]) => b - a).map(([key, count]) => [key, String(count)]);
      return `${shape}, ${what}:\n\n${table(['request', 'times'], rows)}`;
    })
    .join('\n');
}

const isWrite =
  (wanted: boolean) =>
  ({ verb }: CountedRequest): boolean =>
    WRITES.has(verb) === wanted;

const counted = (requests: readonly CountedRequest[]): string =>
  `${requests.filter(isWrite(false)).length} reads, ${requests.filter(isWrite(true)).length} writes`;

function medianOf(runs: readonly Passage[], value: (run: Passage) => number | undefined): number | undefined {
  const values = runs.flatMap((run) => value(run) ?? []).toSorted((a, b) => a - b);
  return values[Math.floor(values.length / 2)];
}

const seconds = (value: number | undefined): string => (value === undefined ? '–' : `${value.toFixed(2)} s`);

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |\n`;
  return line(head) + line(head.map(() => '---')) + rows.map(line).join('');
}
