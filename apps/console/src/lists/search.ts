import type { SearchAnswer } from '../api/lists.schema.js';
import type { FleetRows } from '../rows/fleet-rows.js';
import { catalogContents } from './catalog-contents.js';
import { planClasses } from './plan-classes.js';

type Hit = SearchAnswer['items'][number];

const MOST = 20;
const MOST_OF_A_KIND = 6;

const PAGES: readonly Hit[] = [
  ['Fleet', '/'],
  ['Clusters', '/clusters'],
  ['Operators', '/operators'],
  ['Approvals', '/approvals'],
  ['Catalogs', '/catalogs'],
  ['Roll-outs', '/rollouts'],
  ['Changes', '/changes'],
  ['Hub', '/hub'],
  ['About', '/about'],
].map(([title = '', url = '']) => ({ kind: 'page', title, note: 'page', url }));

const part = encodeURIComponent;

const operatorPath = (row: Readonly<{ cluster: string; namespace: string; name: string; api: string }>): string =>
  row.api === 'v1'
    ? `/clusters/${part(row.cluster)}/extensions/${part(row.name)}`
    : `/clusters/${part(row.cluster)}/${part(row.namespace)}/subscriptions/${part(row.name)}`;

/** The first rows that match, made hits. */
function hits<R>(rows: Iterable<R>, text: (row: R) => string, words: readonly string[], hit: (row: R) => Hit): Hit[] {
  const found: Hit[] = [];
  for (const row of rows) {
    const lower = text(row).toLowerCase();
    if (words.every((word) => lower.includes(word))) found.push(hit(row));
    if (found.length === MOST_OF_A_KIND) break;
  }
  return found;
}

const ofClusters = ({ clusters }: FleetRows, words: readonly string[]): Hit[] =>
  hits(
    clusters,
    ({ cluster }) => cluster,
    words,
    ({ cluster, standing }) => ({
      kind: 'cluster',
      title: cluster,
      note: standing,
      url: `/clusters/${part(cluster)}`,
    }),
  );

const ofPackages = ({ operatorsByPackage }: FleetRows, words: readonly string[]): Hit[] =>
  hits(
    new Set(operatorsByPackage.map((row) => row.package)),
    (name) => name,
    words,
    (name) => ({ kind: 'package', title: name, note: 'package', url: `/operators/${part(name)}` }),
  );

const ofOperators = ({ operators }: FleetRows, words: readonly string[]): Hit[] =>
  hits(
    operators,
    (row) => `${row.name} ${row.package} ${row.namespace} ${row.cluster}`,
    words,
    (row) => ({
      kind: 'operator',
      title: row.name,
      note: `${row.standing} · ${row.cluster}${row.namespace === '' ? '' : `/${row.namespace}`}`,
      url: operatorPath(row),
    }),
  );

const ofPlans = ({ plans }: FleetRows, words: readonly string[]): Hit[] =>
  hits(
    planClasses(plans),
    ({ moves, hash }) => `${hash} ${moves.map(({ package: name, to }) => `${name} ${to}`).join(' ')}`,
    words,
    ({ hash, moves, clusters }) => ({
      kind: 'plan',
      title: moves.map(({ to }) => to).join(', '),
      note: `waits for approval in ${clusters}`,
      url: `/approvals/${part(hash)}`,
    }),
  );

const ofCatalogs = ({ catalogs }: FleetRows, words: readonly string[]): Hit[] =>
  hits(
    catalogContents(catalogs),
    ({ name }) => name,
    words,
    ({ name, id, clusters }) => ({
      kind: 'catalog',
      title: name,
      note: `in ${clusters}`,
      url: `/catalogs/${part(id)}`,
    }),
  );

/** Clusters, packages, operators, plans, catalogs and pages with all the words. */
export function searchIn(rows: FleetRows, question: string): Hit[] {
  const words = question.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return [];
  const pages = hits(
    PAGES,
    ({ title }) => title,
    words,
    (page) => page,
  );
  const kinds = [ofClusters, ofPackages, ofOperators, ofPlans, ofCatalogs];
  return [pages, ...kinds.map((of) => of(rows, words))].flat().slice(0, MOST);
}
