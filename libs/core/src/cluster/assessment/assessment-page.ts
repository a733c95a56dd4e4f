import { element, escaped, text } from '../../catalog/graph/svg/svg-element.js';
import { byCodeUnit } from '../../kernel/canonical/canonical-json.js';
import { counted } from '../../kernel/text/counted.js';
import {
  type AssessedOperator,
  assessmentTotals,
  type ClusterAssessment,
  hasOlm,
  isReady,
  isUpToDate,
} from './assessment.js';
import { ASSESSMENT_STYLE } from './assessment-style.js';
import { memoryText } from './assessment-text.js';

/** Contents of a page. */
type AssessmentPage = Readonly<{
  clusters: readonly ClusterAssessment[];
  /** Clusters that did not answer, and why. */
  away: readonly Readonly<{ cluster: string; because: string }>[];
  /** RFC 3339. */
  at: string;
  /** The version of the command that created the page. */
  version: string;
}>;

/**
 * Returns the report as one HTML page for a meeting, without scripts and without external resources. The page
 * shows the installed operators, the outdated ones, the memory that OLM uses, and the obstacles to a
 * hand-over. Names come from clusters and are escaped.
 */
export function assessmentPage({ clusters, away, at, version }: AssessmentPage): string {
  const body = [
    `<header><h1>Operators in ${plain(clusters.length)} ${clusters.length === 1 ? 'cluster' : 'clusters'}</h1>`,
    `<p class="pale">Read on ${escaped(at.slice(0, 16).replace('T', ' '))} UTC by flotilla ${escaped(version)}. Nothing was changed.</p></header>`,
    cards(clusters),
    away.length === 0 ? '' : awaySection(away),
    section(
      'How far behind',
      behindPicture(clusters),
      'Operators by the number of upgrades to the newest version: of their channel in OLM Classic, of their package in OLM v1.',
    ),
    memorySection(clusters),
    section('Clusters', clusterTable(clusters)),
    section(
      'Operators',
      packageTable(clusters),
      'One line for each package and version. Operators that need attention come first.',
    ),
    ...clusters.map(clusterSection).filter((one) => one !== ''),
  ];
  return `<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'"><meta name="viewport" content="width=device-width, initial-scale=1"><title>Operators · Flotilla</title><style>${ASSESSMENT_STYLE}</style></head>\n<body>\n${body.filter((one) => one !== '').join('\n')}\n</body></html>\n`;
}

const plain = (count: number): string => String(count);
const section = (title: string, content: string, note = ''): string =>
  content === ''
    ? ''
    : `<section><h2>${escaped(title)}</h2>${note === '' ? '' : `<p class="pale">${escaped(note)}</p>`}${content}</section>`;

function cards(clusters: readonly ClusterAssessment[]): string {
  const {
    operators,
    packages,
    upToDate,
    behind,
    withoutWay,
    deprecated,
    notWell,
    movable,
    olmBytes,
    olmPods,
    ...totals
  } = assessmentTotals(clusters);
  const all: readonly (readonly [string, string, string])[] = [
    [plain(operators), `operators of ${counted(packages, 'package')}`, ''],
    [plain(upToDate), 'at the newest version', 'well'],
    [plain(behind), 'behind', behind > 0 ? 'approval' : ''],
    [plain(withoutWay), 'without an upgrade path', withoutWay > 0 ? 'failed' : ''],
    [plain(deprecated), 'deprecated', deprecated > 0 ? 'approval' : ''],
    [plain(notWell), 'unhealthy objects', notWell > 0 ? 'failed' : ''],
    [plain(movable), 'of OLM Classic could move to OLM v1', ''],
    [olmPods === 0 ? '–' : memoryText(olmBytes), 'memory of OLM', ''],
    [
      `${totals.ready}/${totals.withOlm}`,
      'clusters with OLM ready to hand over',
      totals.ready === clusters.length ? 'well' : '',
    ],
  ];
  return `<div class="cards">${all.map(([value, label, tone]) => `<div class="card ${tone}"><b>${escaped(value)}</b><span>${escaped(label)}</span></div>`).join('')}</div>`;
}

const awaySection = (away: AssessmentPage['away']): string =>
  section(
    'Did not answer',
    `<ul>${away.map(({ cluster, because }) => `<li><b>${escaped(cluster)}</b> ${escaped(because)}</li>`).join('')}</ul>`,
  );

/** One bar of a picture. */
type Bar = Readonly<{ label: string; value: number; shown: string; tone: string }>;
const BAR_HEIGHT = 22;
const LABELS = 220;
const WIDE = 620;

/** Horizontal bars, longest value over the whole width. */
function bars(title: string, all: readonly Bar[]): string {
  const most = Math.max(1, ...all.map(({ value }) => value));
  const rows = all.map(({ label, value, shown, tone }, at) => {
    const y = at * BAR_HEIGHT;
    const length = Math.max(value === 0 ? 0 : 2, (value / most) * (WIDE - LABELS - 90));
    return (
      text(LABELS - 10, y + 15, label, { class: 'label', 'text-anchor': 'end' }) +
      element('rect', { x: LABELS, y: y + 3, width: length, height: BAR_HEIGHT - 7, rx: 2, class: `bar ${tone}` }) +
      text(LABELS + length + 8, y + 15, shown, { class: 'value' })
    );
  });
  const height = all.length * BAR_HEIGHT;
  return element(
    'svg',
    { viewBox: `0 0 ${WIDE} ${height}`, role: 'img', 'aria-label': title, class: 'picture' },
    rows.join(''),
  );
}

function behindPicture(clusters: readonly ClusterAssessment[]): string {
  const operators = clusters.flatMap((one) => one.operators);
  if (operators.length === 0) return '';
  const groups: readonly (readonly [string, string, (one: AssessedOperator) => boolean])[] = [
    ['at the newest', 'well', isUpToDate],
    ['1 upgrade behind', 'approval', (one) => stepsTo(one) === 1],
    ['2 to 5 behind', 'approval', (one) => stepsTo(one) >= 2 && stepsTo(one) <= 5],
    ['more than 5 behind', 'approval', (one) => stepsTo(one) > 5],
    ['no upgrade path', 'failed', (one) => one.noWay !== ''],
    ['not installed', 'blocked', (one) => one.installed === '' && one.noWay === ''],
  ];
  const shares = groups.map(([label, tone, test]): Bar => {
    const value = operators.filter(test).length;
    return { label, value, shown: plain(value), tone };
  });
  return bars('Operators by upgrades behind', shares);
}

/** Returns the number of upgrades to the newest version. Returns 0 if the operator cannot reach it. */
const stepsTo = ({ hops, noWay }: AssessedOperator): number => (noWay === '' ? hops.length : 0);

const MOST_BARS = 20;

function memorySection(clusters: readonly ClusterAssessment[]): string {
  const known = clusters
    .flatMap(({ cluster, memory }) => (memory === null ? [] : [{ cluster, memory }]))
    .toSorted((a, b) => b.memory.bytes - a.memory.bytes || byCodeUnit(a.cluster, b.cluster));
  const all = known.slice(0, MOST_BARS).map(
    ({ cluster, memory }): Bar => ({
      label: cluster,
      value: memory.bytes,
      shown: `${memoryText(memory.bytes)}${memory.measured ? '' : ' requested'}`,
      tone: 'plain',
    }),
  );
  const note = 'The pods of OLM, of its package server and of catalogs. With Flotilla none of them runs in a cluster.';
  return all.length === 0 ? '' : section('Memory that OLM uses now', bars('Memory of OLM by cluster', all), note);
}

type Cell = Readonly<{ html: string; number?: boolean }>;
const cell = (content: string): Cell => ({ html: escaped(content) });
const number = (value: number): Cell => ({ html: plain(value), number: true });
const mark = (content: string, tone: string): Cell => ({
  html: `<span class="mark ${tone}">${escaped(content)}</span>`,
});

function tableOf(headings: readonly string[], rows: readonly (readonly Cell[])[]): string {
  const head = headings.map((one) => `<th scope="col">${escaped(one)}</th>`).join('');
  const body = rows.map(
    (cells) =>
      `<tr>${cells.map(({ html, number }) => `<td${number === true ? ' class="number"' : ''}>${html}</td>`).join('')}</tr>`,
  );
  return `<div class="wide"><table><thead><tr>${head}</tr></thead><tbody>${body.join('')}</tbody></table></div>`;
}

const handoverMark = (one: ClusterAssessment): Cell => {
  if (!hasOlm(one)) return cell('no OLM');
  return isReady(one) ? mark('✔ ready', 'well') : mark('◼ not now', 'blocked');
};

const clusterTable = (clusters: readonly ClusterAssessment[]): string =>
  tableOf(
    ['Cluster', 'Kubernetes', 'OLM', 'Operators', 'At the newest', 'Not well', 'Hand-over'],
    clusters.map((one) => [
      cell(one.cluster),
      cell(one.version),
      cell(one.olm.length === 0 ? 'not running' : 'at work'),
      number(one.operators.length),
      number(one.operators.filter(isUpToDate).length),
      number(one.findings.length),
      handoverMark(one),
    ]),
  );

/** Operators of one package in one version. */
type PackageLine = Readonly<{ first: AssessedOperator; count: number; clusters: number }>;

function packageTable(clusters: readonly ClusterAssessment[]): string {
  const all = clusters.flatMap(({ cluster, operators }) => operators.map((one) => ({ cluster, one })));
  const groups = Map.groupBy(all, ({ one }) =>
    JSON.stringify([one.api, one.package, one.channel, one.installed, one.newest]),
  );
  const lines = [...groups.values()].flatMap((own): PackageLine[] => {
    const [head] = own;
    if (head === undefined) return [];
    return [{ first: head.one, count: own.length, clusters: new Set(own.map(({ cluster }) => cluster)).size }];
  });
  const rank = ({ first }: PackageLine) =>
    first.noWay !== '' ? 0 : first.deprecations.length > 0 ? 1 : first.hops.length > 0 ? 2 : 3;
  lines.sort(
    (a, b) =>
      rank(a) - rank(b) ||
      b.count - a.count ||
      byCodeUnit(a.first.package + a.first.installed, b.first.package + b.first.installed),
  );
  if (lines.length === 0) return '<p>No operator is installed or asked for.</p>';
  return tableOf(
    ['Package', 'Channel', 'Installed', 'Newest', 'Clusters', 'State'],
    lines.map(({ first, clusters: many }) => [
      cell(first.package),
      cell(first.channel || '–'),
      cell(first.installed || '–'),
      cell(first.newest || '–'),
      number(many),
      stateOf(first),
    ]),
  );
}

function stateOf(one: AssessedOperator): Cell {
  if (one.noWay !== '') return mark(`✖ no upgrade path: ${one.noWay}`, 'failed');
  if (one.deprecations.length > 0) return mark(`⚠ deprecated: ${one.deprecations[0]}`, 'approval');
  if (one.hops.length > 0) return mark(`◔ ${one.hops.length} behind`, 'approval');
  return isUpToDate(one) ? mark('✔ at the newest', 'well') : cell('not installed');
}

function clusterSection(one: ClusterAssessment): string {
  const line = (tone: string, head: string, content: string) =>
    `<li><span class="mark ${tone}">${escaped(head)}</span> ${escaped(content)}</li>`;
  const lines = [
    ...one.handover.map(({ kind, text: content }) =>
      kind === 'refusal' ? line('blocked', 'before a hand-over', content) : line('', 'note', content),
    ),
    ...one.findings.map(({ kind, namespace, name, because }) =>
      line('failed', 'not well', `${kind} ${[namespace, name].filter(Boolean).join('/')}: ${because.join(' ')}`),
    ),
    ...one.conflicts.map(({ namespace, text: content }) =>
      line('failed', 'cannot be resolved', `${namespace}: ${content}`),
    ),
    ...one.operators.flatMap(({ namespace, name, move }) =>
      (move ?? []).map(({ kind, text: content, todo }) => {
        const head = kind === 'refusal' ? 'stays on OLM Classic' : 'changes with OLM v1';
        return line(kind === 'refusal' ? 'blocked' : '', head, `${namespace}/${name}: ${content}: ${todo}`);
      }),
    ),
    ...one.unread.map((content) => line('', 'catalog not read', content)),
  ];
  return lines.length === 0 ? '' : section(one.cluster, `<ul class="remarks">${lines.join('')}</ul>`);
}
