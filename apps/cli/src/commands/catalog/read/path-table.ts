import type { Hop } from '#core/catalog/path/hop';
import type { PathEnd, UpgradePath } from '#core/catalog/path/upgrade-path';
import { counted } from '#core/kernel/text/counted';
import { type Columns, table } from '../../../output/table.js';

type Row = Hop & Readonly<{ number: number }>;

const columns: Columns<Row> = [
  ['HOP', ({ number }) => String(number)],
  ['FROM', ({ from }) => from],
  ['TO', ({ to }) => to],
  ['CHANNEL', ({ channel }) => channel],
  ['BY', byOf],
];

/** Returns the paths as people read them: OLM's own, and the shortest if it differs. */
export function pathTable({ package: name, from, to, channel, olm, shortest, goesOnTo }: UpgradePath): string {
  const lines = [`${name} from ${endText(from)} to ${endText(to)}, Subscription in channel ${channel}\n`];
  if (olm !== undefined) lines.push(wayText('OLM', olm, channel));
  if (goesOnTo !== undefined) {
    lines.push(`OLM then continues to ${goesOnTo} by itself, unless installPlanApproval is Manual.\n`);
  }
  if (shortest === undefined) lines.push('Shortest: none over any edges.\n');
  else if (sameHops(olm, shortest)) lines.push('Shortest: the same.\n');
  else lines.push(wayText('Shortest, versions pinned (OLM v1)', shortest, channel));
  return lines.join('\n');
}

function wayText(title: string, hops: readonly Hop[], channel: string): string {
  if (hops.length === 0) return `${title}: nothing to do, the version is installed.\n`;
  const switches = hops.filter(({ switchesChannel }) => switchesChannel).length;
  const changes = switches === 0 ? '' : `, ${counted(switches, 'change')} of channel`;
  const rows = hops.map((hop, index) => ({ ...hop, number: index + 1 }));
  const notes = hops.flatMap((hop, index) => notesOn(hop, hops[index - 1]?.channel ?? channel));
  return `${title}: ${counted(hops.length, 'hop')}${changes}\n${table(rows, columns)}${notes.join('')}`;
}

function notesOn({ from, to, channel, switchesChannel, insteadOf, deprecated }: Hop, before: string): string[] {
  const inTime = insteadOf === undefined ? '' : `, before OLM continues to ${insteadOf} (installPlanApproval: Manual)`;
  const change = `at ${from} change the Subscription's channel from ${before} to ${channel}${inTime}\n`;
  return [
    ...(switchesChannel ? [change] : []),
    ...(deprecated === undefined ? [] : [`${to} is deprecated: ${deprecated.replaceAll(/\s+/g, ' ')}\n`]),
  ];
}

function byOf({ by, skipRange, switchesChannel }: Hop): string {
  const edges = by.map((kind) => (kind === 'skipRange' ? `skipRange ${skipRange}` : kind)).join(', ');
  return switchesChannel ? `${edges} (after the change of channel)` : edges;
}

const sameHops = (a: readonly Hop[] | undefined, b: readonly Hop[]): boolean =>
  a?.length === b.length && a.every((hop, index) => hop.to === b[index]?.to && hop.channel === b[index]?.channel);

const endText = ({ bundle, version }: PathEnd): string => (version === '' ? bundle : `${version} (${bundle})`);
