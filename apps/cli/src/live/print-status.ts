import type { Finding } from '#core/diagnosis/cluster-findings';
import { STANDINGS, type Standing } from '#core/diagnosis/diagnosis';
import { type Columns, table } from '../commands/catalog-table.js';
import type { Away } from './ask-clusters.js';
import type { ClusterStatus, Share } from './cluster-status.js';
import { commandIn } from './command-in.js';
import type { HubStatus, QueueStatus } from './hub-status.js';

export type FleetFinding = Finding & Readonly<{ cluster: string }>;

/** Everything on the screen; also what `-o json` prints. */
export type FleetStatus = Readonly<{
  hub: readonly HubStatus[];
  clusters: readonly Omit<ClusterStatus, 'findings'>[];
  /** Clusters that did not answer, and why. */
  away: readonly Away[];
  /** The most urgent first. */
  waiting: readonly FleetFinding[];
}>;

/** One screen: what is told of a finding beyond these is in `-o json` and in "flotilla explain". */
const SHOWN = 20;

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

/** The screen as text. */
export function printStatus(status: FleetStatus): string {
  const parts = [hubText(status.hub), clustersText(status), waitingText(status.waiting)];
  return `${parts.filter((part) => part !== '').join('\n')}`;
}

function hubText(hub: readonly HubStatus[]): string {
  const reached = hub.filter((one) => one.reached);
  if (reached.length === 0) {
    const asked = hub.map(({ url }) => url).join(', ');
    return `HUB not reached at ${asked || 'any address'} (--hub URL names another): what follows is told by the clusters.\n`;
  }
  const services = reached.map(({ url, ready, complaints }) =>
    [`HUB ${url} ${ready ? 'ready' : 'NOT READY'}`, ...complaints.map((one) => `  ${one}`)].join('\n'),
  );
  const queues = reached.find((one) => one.queues.length > 0)?.queues ?? [];
  return `${services.join('\n')}\n${queues.length === 0 ? '' : `\n${table(queues, QUEUES)}`}`;
}

function clustersText({ clusters, away }: FleetStatus): string {
  const lines = away.map(({ cluster, because }) => `${cluster}  does not answer: ${because}\n`).join('');
  return (clusters.length === 0 ? '' : table(clusters, CLUSTERS)) + lines;
}

const HEADINGS: Readonly<Record<Standing, string>> = {
  failed: 'FAILED',
  blocked: 'BLOCKED',
  'needs-approval': 'WAITS FOR APPROVAL',
  'under-way': 'UNDER WAY',
  well: 'WELL',
};

function waitingText(waiting: readonly FleetFinding[]): string {
  if (waiting.length === 0) return 'Nothing waits: all is installed that was asked for.\n';
  const shown = waiting.slice(0, SHOWN);
  const more = waiting.length - shown.length;
  const groups = STANDINGS.flatMap((standing) => {
    const members = shown.filter((one) => one.standing === standing);
    return members.length === 0 ? [] : [[HEADINGS[standing], ...members.flatMap(findingLines)].join('\n')];
  });
  return `${groups.join('\n')}\n${more === 0 ? '' : `and ${more} more: flotilla status -o json\n`}`;
}

const LONGEST = 300;

function findingLines({ cluster, kind, namespace, name, because, todo }: FleetFinding): string[] {
  const where = namespace === undefined ? name : `${namespace}/${name}`;
  const [todoFirst] = todo;
  const text = because.map((one) => one.trim()).join(' ');
  const told = text.length <= LONGEST ? text : `${text.slice(0, LONGEST)}…`;
  return [
    `  ${cluster}  ${kind} ${where}`,
    `    ${told}`,
    ...(todoFirst === undefined ? [] : [`    → ${commandIn(cluster, todoFirst)}`]),
  ];
}
