import { counted } from '#core/kernel/text/counted';
import { windowAnswer, windowTimes, zonedTime } from '#core/rollout/windows/window-answer';
import type { WindowRules } from '#core/rollout/windows/window-rules';
import type { LiveFleet } from '#lifecycle/rollouts/controller/state/live-fleet';
import type { KubeClient } from '#platform/kube/client/kube-client.port';
import { isData } from '../../../output/data-format.js';
import type { ListFormat } from '../../../output/output-option.js';
import { printData } from '../../../output/print-data.js';
import { type Columns, table } from '../../../output/table.js';
import { exitCodeOf, verdictOf } from '../../../output/verdict.js';
import type { Io } from '../../../terminal/io.js';
import { meantName, readFleet } from '../hub/read-fleet.js';

export type WindowsAsked = Readonly<{ cluster?: string | undefined; output: ListFormat }>;

/** A window in a list. Times are in RFC 3339, or null if none is known. */
type ListedWindow = Readonly<{
  name: string;
  type: string;
  active: boolean;
  zone: string;
  start: string | null;
  end: string | null;
  clusters: number;
  subjects: string;
  breakGlassGroups: readonly string[];
}>;

/**
 * Runs `flotilla fleet windows`: prints the windows of the fleet or of a cluster, and if a change may start.
 */
export async function showWindows(hub: KubeClient, io: Io, asked: WindowsAsked, now: Date): Promise<void> {
  const fleet = await readFleet(hub, now);
  const cluster =
    asked.cluster === undefined ? undefined : meantName('cluster', asked.cluster, [...fleet.clusters.keys()]);
  const windows = fleet.files.windows.flatMap((window) => listed(fleet, window, cluster));
  const names = cluster === undefined ? [...fleet.clusters.keys()] : [cluster];
  const open = names.filter((name) => isOpen(fleet, name));
  const verdict = verdictOf(open.length > 0 || names.length === 0);
  const { output } = asked;
  if (isData(output)) {
    const at = now.toISOString();
    await printData(io, { verdict, at, cluster: cluster ?? null, open: open.length, windows }, output);
  } else if (output === 'name') {
    io.out(windows.map(({ name }) => `fleetwindow.fleet.flotilla.dev/${name}\n`).join(''));
  } else {
    const wide = output === 'wide';
    if (windows.length > 0) io.out(`${table(windows, columns(fleet.now, wide), wide ? undefined : io.columns)}\n`);
    io.out(`${conclusion(fleet, cluster, open.length, names.length)}\n`);
  }
  io.exit(exitCodeOf(verdict));
}

/** Windows for some subjects alone close nothing for the others. */
const matching = (fleet: LiveFleet, cluster: string) => {
  const member = fleet.clusters.get(cluster);
  return member === undefined ? [] : fleet.files.windows.filter((window) => window.isForAll && window.selects(member));
};

const isOpen = (fleet: LiveFleet, cluster: string): boolean =>
  windowAnswer(matching(fleet, cluster), fleet.now).hold === undefined;

function listed(fleet: LiveFleet, window: WindowRules, cluster: string | undefined): ListedWindow[] {
  const selected = [...fleet.clusters.values()].filter((one) => window.selects(one));
  if (cluster !== undefined && !selected.some(({ name }) => name === cluster)) return [];
  const { isActive, start, end } = windowTimes(window, fleet.now);
  const time = (ms: number | undefined) => (ms === undefined ? null : new Date(ms).toISOString());
  const { name, type, zone, isForAll, breakGlassGroups } = window;
  return [
    {
      name,
      type,
      active: isActive,
      zone,
      start: time(start),
      end: time(end),
      clusters: selected.length,
      subjects: isForAll ? 'all' : 'some',
      breakGlassGroups,
    },
  ];
}

const columns = (now: number, isWide: boolean): Columns<ListedWindow> => [
  ['NAME', ({ name }) => name],
  ['TYPE', ({ type }) => type],
  ['ACTIVE', ({ active }) => (active ? 'yes' : 'no')],
  ['NEXT', (window) => nextOf(window, now)],
  ['CLUSTERS', ({ clusters }) => String(clusters)],
  ['SUBJECTS', ({ subjects }) => subjects],
  ...(isWide
    ? ([['BREAK GLASS', ({ breakGlassGroups }: ListedWindow) => breakGlassGroups.join(', ') || '-']] as const)
    : []),
];

/** Returns the time of its end if it is active, otherwise that of its next begin. */
function nextOf({ active, start, end, zone }: ListedWindow, now: number): string {
  if (active) return end === null ? 'no end is set' : `ends ${zonedTime(Date.parse(end), zone, now)}`;
  return start === null ? 'never again' : `begins ${zonedTime(Date.parse(start), zone, now)}`;
}

function conclusion(fleet: LiveFleet, cluster: string | undefined, open: number, all: number): string {
  if (cluster === undefined) return `A change may start in ${open} of ${counted(all, 'cluster')}.`;
  const { hold, by, until } = windowAnswer(matching(fleet, cluster), fleet.now);
  if (hold === undefined) return `A change may start in ${cluster}.`;
  const zone = by[0]?.zone ?? 'UTC';
  const when = until === undefined ? 'the next time is unknown' : `one may ${zonedTime(until, zone, fleet.now)}`;
  return `No change may start in ${cluster} (${hold}: ${by.map(({ name }) => name).join(', ')}); ${when}.`;
}
