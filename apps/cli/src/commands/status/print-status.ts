import { type CommandAccess, commandIn } from '#core/cluster/advice/command-in';
import type { Finding } from '#core/cluster/diagnosis/cluster-findings';
import { HEALTH_STATES, type HealthState } from '#core/cluster/diagnosis/diagnosis';
import { equalCauses } from '#core/cluster/diagnosis/equal-causes';
import { counted } from '#core/kernel/text/counted';
import type { Away } from '../../clusters/ask-clusters.js';
import { withheldLines } from '../../clusters/withheld.js';
import type { HubStatus, QueueStatus } from '../../hub/hub-status.js';
import { NEXT } from '../../output/next-commands.js';
import { type Columns, table } from '../../output/table.js';
import type { Verdict } from '../../output/verdict.js';
import type { ClusterStatus, Share } from './cluster-status.js';

export type ClusterFinding = Finding & Readonly<{ cluster: string }>;

/** Everything on the screen, also printed by `-o json`. */
export type StatusAnswer = Readonly<{
  /** The verdict is `incomplete` if a cluster, or a named service of the hub, did not answer. */
  verdict: Verdict;
  hub: readonly HubStatus[];
  clusters: readonly Omit<ClusterStatus, 'findings'>[];
  /** Clusters that did not answer, and why. */
  away: readonly Away[];
  /** Waiting objects, the most urgent first. */
  waiting: readonly ClusterFinding[];
}>;

/** Causes on one screen; the others are printed with --all. */
const SHOWN = 20;
/** Names of objects with one and the same cause. */
const NAMED = 5;

const shareText = ({ well, of }: Share): string => (of === 0 ? '-' : `${well}/${of}`);
const CLUSTERS: Columns<Omit<ClusterStatus, 'findings'>> = [
  ['CLUSTER', ({ cluster }) => cluster],
  ['VERSION', ({ version }) => version],
  ['CATALOGS READY', ({ catalogs }) => shareText(catalogs)],
  ['SUBSCRIPTIONS AT LATEST', ({ subscriptions }) => shareText(subscriptions)],
  ['OPERATORS SUCCEEDED', ({ operators }) => shareText(operators)],
  ['EXTENSIONS WELL', ({ extensions }) => shareText(extensions)],
];
const QUEUES: Columns<QueueStatus> = [
  ['QUEUE', ({ queue }) => queue],
  ['WAITING', ({ waiting }) => String(waiting)],
  ['ACTIVE', ({ active }) => String(active)],
  ['DELAYED', ({ delayed }) => String(delayed)],
  ['FAILED', ({ failed }) => String(failed)],
];

type StatusText = Readonly<{
  namespace?: string | undefined;
  all: boolean;
  /** Columns of the terminal, to cut tables to. */
  width?: number | undefined;
  /** Returns the options that lead to a cluster, for commands in the text. */
  access: (cluster: string) => CommandAccess;
  /** Options of this call, for commands in the text. */
  asked: readonly string[];
}>;

/** The screen as text. */
export function printStatus(status: StatusAnswer, options: StatusText): string {
  const parts = [hubText(status.hub, options), clustersText(status, options), waitingText(status, options)];
  return `${parts.filter((part) => part !== '').join('\n')}`;
}

function hubText(hub: readonly HubStatus[], { width }: StatusText): string {
  const reached = hub.filter((one) => one.reached);
  if (reached.length === 0) {
    const others = hub.flatMap((one) =>
      one.reached || one.because === undefined ? [] : [`${one.url}: ${one.because}`],
    );
    const asked = hub.map(({ url }) => url).join(', ') || 'any address';
    const why = others.length === 0 ? `HUB not reached at ${asked}` : `HUB not shown: ${others.join('; ')}`;
    return `${why} (name another hub with --hub URL). The following state comes from the clusters.\n`;
  }
  const services = reached.map(({ url, ready, complaints }) =>
    [`HUB ${url} ${ready ? 'ready' : 'NOT READY'}`, ...complaints.map((one) => `  ${one}`)].join('\n'),
  );
  const queues = reached.find((one) => one.queues.length > 0)?.queues ?? [];
  return `${services.join('\n')}\n${queues.length === 0 ? '' : `\n${table(queues, QUEUES, width)}`}`;
}

function clustersText({ clusters, away }: StatusAnswer, { width, access }: StatusText): string {
  const lines = away
    .map(
      ({ cluster, because, refused }) =>
        `${cluster}  ${refused ? 'refuses this login' : 'does not answer'}: ${because}\n`,
    )
    .join('');
  const withheld = clusters.flatMap((one) =>
    withheldLines(one.withheld ?? [], access(one.cluster)).map((line) => `${one.cluster}  ${line}\n`),
  );
  const blocked = clusters.flatMap(({ cluster, upgradeBlockers = [] }) =>
    upgradeBlockers.map((why) => `${cluster}  an operator blocks the next minor version of OpenShift: ${why}\n`),
  );
  return (clusters.length === 0 ? '' : table(clusters, CLUSTERS, width)) + blocked.join('') + withheld.join('') + lines;
}

const HEADINGS: Readonly<Record<HealthState, string>> = {
  failed: 'FAILED',
  blocked: 'BLOCKED',
  'needs-approval': 'WAITS FOR APPROVAL',
  'under-way': 'UNDER WAY',
  well: 'WELL',
};

function waitingText({ waiting, clusters, away }: StatusAnswer, { namespace, all, access, asked }: StatusText): string {
  if (waiting.length === 0) return nothingText(clusters.length, away, namespace);
  const causes = all ? waiting.map((one) => [one] as const) : equalCauses(waiting);
  const shown = all ? causes : causes.slice(0, SHOWN);
  const groups = HEALTH_STATES.flatMap((health) => {
    const members = shown.filter(([first]) => first.standing === health);
    return members.length === 0
      ? []
      : [[HEADINGS[health], ...members.flatMap((cause) => causeLines(cause, access))].join('\n')];
  });
  const left = causes.slice(shown.length);
  return `${groups.join('\n')}\n${left.length === 0 ? '' : `${moreText(left)}: ${NEXT.everyCause(asked)}\n`}`;
}

/** Returns the text when nothing waits in the clusters that answered. */
function nothingText(answered: number, others: readonly Away[], namespace: string | undefined): string {
  const away = others.length;
  const isRefused = others.some(({ refused }) => refused);
  if (answered === 0 && isRefused) return 'No cluster showed the requested objects: waiting objects are unknown.\n';
  if (answered === 0) return 'No cluster answered: waiting objects are unknown.\n';
  const where = namespace === undefined ? '' : ` in namespace ${namespace}`;
  if (away === 0) return `Nothing waits${where}: all requested operators are installed.\n`;
  const them = answered === 1 ? 'the one cluster that answered' : `the ${answered} clusters that answered`;
  return `Nothing waits${where} in ${them}; of ${away === 1 ? 'the other' : `the ${away} others`} nothing is known.\n`;
}

function moreText(causes: readonly (readonly ClusterFinding[])[]): string {
  const objects = causes.reduce((sum, cause) => sum + cause.length, 0);
  return `and ${counted(causes.length, 'more cause')}, of ${counted(objects, 'object')}`;
}

const LONGEST = 300;

/** Returns a cause at the first object that has it, and the others that have it too. */
function causeLines(
  [first, ...others]: readonly [ClusterFinding, ...ClusterFinding[]],
  access: StatusText['access'],
): string[] {
  const { cluster, kind, because, todo } = first;
  const [todoFirst] = todo;
  const text = because.map((one) => one.trim()).join(' ');
  const shown = text.length <= LONGEST ? text : `${text.slice(0, LONGEST)}…`;
  return [
    `  ${cluster}  ${kind} ${placeOf(first)}`,
    `    ${shown}`,
    ...(todoFirst === undefined ? [] : [`    → ${commandIn(access(cluster), todoFirst)}`]),
    ...(others.length === 0 ? [] : [`    the same: ${othersText(others)}`]),
  ];
}

const placeOf = ({ kind, namespace, name }: ClusterFinding): string =>
  namespace === undefined || kind === 'Namespace' ? name : `${namespace}/${name}`;

function othersText(others: readonly ClusterFinding[]): string {
  const names = others.slice(0, NAMED).map((one) => `${one.cluster} ${placeOf(one)}`);
  const more = others.length - names.length;
  return `${others.length} more (${names.join(', ')}${more === 0 ? '' : ` and ${counted(more, 'other')}`})`;
}
