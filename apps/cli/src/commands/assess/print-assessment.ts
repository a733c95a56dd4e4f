import {
  type AssessedOperator,
  assessmentTotals,
  type ClusterAssessment,
  hasOlm,
  isMovable,
  isReady,
  isUpToDate,
} from '#core/cluster/assessment/assessment';
import { memoryText, totalsLines } from '#core/cluster/assessment/assessment-text';
import type { OwnAccess } from '../../clusters/command-access.js';
import { NEXT } from '../../output/next-commands.js';
import { type Columns, table } from '../../output/table.js';

const CLUSTERS: Columns<ClusterAssessment> = [
  ['CLUSTER', ({ cluster }) => cluster],
  ['VERSION', ({ version }) => version],
  ['OLM', ({ olm }) => (olm.length === 0 ? 'not at work' : `${olm.length} Deployments`)],
  ['OPERATORS', ({ operators }) => String(operators.length)],
  ['AT NEWEST', ({ operators }) => `${operators.filter(isUpToDate).length}/${operators.length}`],
  ['NOT WELL', ({ findings }) => String(findings.length)],
  [
    'MEMORY OF OLM',
    ({ memory }) => (memory === null ? '-' : `${memoryText(memory.bytes)}${memory.measured ? '' : ' requested'}`),
  ],
  ['HAND-OVER', (one) => (hasOlm(one) ? (isReady(one) ? 'ready' : 'not now') : 'no OLM')],
];

type OperatorLine = AssessedOperator & Readonly<{ cluster: string }>;

const OPERATORS: Columns<OperatorLine> = [
  ['CLUSTER', ({ cluster }) => cluster],
  ['NAMESPACE', ({ namespace }) => namespace || '-'],
  ['PACKAGE', (one) => one.package],
  ['INSTALLED', ({ installed }) => installed || '-'],
  ['NEWEST', ({ newest }) => newest || '-'],
  ['UPGRADES', upgradesText],
  ['APPROVAL', ({ approval }) => approval],
  ['DEPRECATED', ({ deprecations }) => (deprecations.length === 0 ? '-' : 'yes')],
  ['TO V1', (one) => (one.move === null ? '-' : isMovable(one) ? 'yes' : 'no')],
];

function upgradesText(one: AssessedOperator): string {
  if (isUpToDate(one)) return '-';
  const { hops, noWay } = one;
  if (noWay === '') return String(hops.length);
  return hops.length === 0 ? 'no path' : `${hops.length}, then no path`;
}

/** The report for a terminal. */
export function assessmentText(
  clusters: readonly ClusterAssessment[],
  width: number | undefined,
  access: (cluster: string) => OwnAccess,
): string {
  if (clusters.length === 0) return 'No cluster answered.\n';
  const operators = clusters.flatMap(({ cluster, operators: own }) => own.map((one) => ({ ...one, cluster })));
  const sections = [
    `${totalsLines(assessmentTotals(clusters)).join('\n')}\n`,
    table(clusters, CLUSTERS, width),
    ...(operators.length === 0 ? [] : [table(operators, OPERATORS, width)]),
    ...clusters.map((one) => remarks(one, access(one.cluster))).filter((text) => text !== ''),
  ];
  return sections.join('\n');
}

function remarks(one: ClusterAssessment, access: OwnAccess): string {
  const { cluster, operators, findings, conflicts, handover, unread } = one;
  const lines = [
    ...findings.map(
      ({ kind, namespace, name, because }) => `unhealthy: ${kind} ${at(namespace, name)}: ${because[0] ?? ''}`,
    ),
    ...conflicts.map(
      ({ namespace, text }) => `a resolution fails in namespace ${namespace}: ${text.replaceAll('\n', '\n    ')}`,
    ),
    ...operators.flatMap(({ namespace, name, noWay, newest }) =>
      noWay === '' ? [] : [`no upgrade path to ${newest || 'a newer version'}: ${at(namespace, name)}: ${noWay}`],
    ),
    ...operators.flatMap(({ namespace, name, deprecations }) =>
      deprecations.map((text) => `deprecated: ${at(namespace, name)}: ${text}`),
    ),
    ...operators.flatMap(({ namespace, name, move }) =>
      (move ?? []).flatMap(({ kind, text, todo }) =>
        kind === 'refusal' ? [`stays on OLM Classic: ${at(namespace, name)}: ${text}: ${todo}`] : [],
      ),
    ),
    ...handover.map(({ kind, text }) => `hand-over ${kind === 'refusal' ? 'not now' : 'note'}: ${text}`),
    ...unread.map((text) => `could not read a catalog from here: ${text}`),
  ];
  const movable = operators.filter(isMovable).slice(0, 1);
  const move = movable.map(
    ({ name, namespace }) => `→ ${NEXT.migrateSubscription(name, namespace, access.options)} --dry-run`,
  );
  const next = isReady(one) ? [`→ ${NEXT.handoverFromOlm(access.named)} --dry-run`] : [];
  return lines.length + next.length + move.length === 0
    ? ''
    : `${cluster}\n${[...lines, ...next, ...move].map((line) => `  ${line}\n`).join('')}`;
}

const at = (namespace: string | undefined, name: string): string => [namespace, name].filter(Boolean).join('/');
