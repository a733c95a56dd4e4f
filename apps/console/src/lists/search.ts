import type { SearchAnswer } from '../api/lists.schema.js';
import type { FleetRows } from '../rows/fleet-rows.js';
import { catalogContents } from './catalog-contents.js';
import { packageSpreads } from './packages.js';
import { planClasses } from './plan-classes.js';
import { hasAllWords } from './words.js';

type Hit = SearchAnswer['items'][number];

const MOST_OF_A_KIND = 6;

const PAGES: readonly Hit[] = [
  ['Fleet', '/'],
  ['Clusters', '/clusters'],
  ['Operators', '/operators'],
  ['Approvals', '/approvals'],
  ['Catalogs', '/catalogs'],
  ['Rollouts', '/rollouts'],
  ['Changes', '/changes'],
  ['Hub', '/hub'],
  ['About', '/about'],
].map(([title = '', url = '']) => ({ kind: 'page', title, note: 'page', url }));

const part = encodeURIComponent;

const operatorPath = (row: Readonly<{ cluster: string; namespace: string; name: string; api: string }>): string =>
  row.api === 'v1'
    ? `/clusters/${part(row.cluster)}/extensions/${part(row.name)}`
    : `/clusters/${part(row.cluster)}/${part(row.namespace)}/subscriptions/${part(row.name)}`;

/** The list of a kind, for hits that were cut. */
type Rest = Readonly<{ noun: string; nouns?: string; url: (q: string) => string; rows: () => readonly object[] }>;

const inList = (path: string) => (q: string) => `${path}${path.includes('?') ? '&' : '?'}q=${part(q)}`;

/** Returns the link to all rows of a list that match, with their number. */
function restOf({ noun, nouns = `${noun}s`, url, rows }: Rest, question: string, kind: Hit['kind']): Hit[] {
  const matches = hasAllWords<object>(question);
  const total = matches === undefined ? 0 : rows().filter(matches).length;
  if (total === 0) return [];
  return [{ kind, title: `All ${total} ${total === 1 ? noun : nouns}`, note: 'list', url: url(question) }];
}

type Sought<R> = Readonly<{
  rows: Iterable<R>;
  text: (row: R) => string;
  hit: (row: R) => Hit;
  rest?: Rest;
}>;

/** Returns the first rows that match, as hits. If there are more, a link to all of them follows. */
function hits<R>({ rows, text, hit, rest }: Sought<R>, question: string): Hit[] {
  const words = wordsOf(question);
  const found: Hit[] = [];
  for (const row of rows) {
    const lower = text(row).toLowerCase();
    if (!words.every((word) => lower.includes(word))) continue;
    if (found.length === MOST_OF_A_KIND) {
      const [first] = found;
      return first === undefined || rest === undefined ? found : [...found, ...restOf(rest, question, first.kind)];
    }
    found.push(hit(row));
  }
  return found;
}

const wordsOf = (question: string): string[] => question.toLowerCase().split(/\s+/).filter(Boolean);

const ofClusters = ({ clusters }: FleetRows, question: string): Hit[] =>
  hits(
    {
      rows: clusters,
      text: ({ cluster }) => cluster,
      hit: ({ cluster, standing }) => ({
        kind: 'cluster',
        title: cluster,
        note: standing,
        url: `/clusters/${part(cluster)}`,
      }),
      rest: { noun: 'cluster', url: inList('/clusters'), rows: () => clusters },
    },
    question,
  );

const ofPackages = (rows: FleetRows, question: string): Hit[] =>
  hits(
    {
      rows: new Set(rows.operatorsByPackage.map((row) => row.package)),
      text: (name) => name,
      hit: (name) => ({ kind: 'package', title: name, note: 'package', url: `/operators/${part(name)}` }),
      rest: { noun: 'package', url: inList('/operators?view=packages'), rows: () => packageSpreads(rows) },
    },
    question,
  );

const ofOperators = ({ operators }: FleetRows, question: string): Hit[] =>
  hits(
    {
      rows: operators,
      text: (row) => `${row.name} ${row.package} ${row.namespace} ${row.cluster}`,
      hit: (row) => ({
        kind: 'operator',
        title: row.name,
        note: `${row.standing} · ${row.cluster}${row.namespace === '' ? '' : `/${row.namespace}`}`,
        url: operatorPath(row),
      }),
      rest: { noun: 'operator', url: inList('/operators'), rows: () => operators },
    },
    question,
  );

function ofPlans({ plans }: FleetRows, question: string): Hit[] {
  const classes = planClasses(plans);
  return hits(
    {
      rows: classes,
      text: ({ moves, hash }) => `${hash} ${moves.map(({ package: name, to }) => `${name} ${to}`).join(' ')}`,
      hit: ({ hash, moves, clusters }) => ({
        kind: 'plan',
        title: moves.map(({ to }) => to).join(', '),
        note: `waits for approval in ${clusters}`,
        url: `/approvals/${part(hash)}`,
      }),
      rest: { noun: 'class', nouns: 'classes', url: inList('/approvals'), rows: () => classes },
    },
    question,
  );
}

function ofCatalogs({ catalogs }: FleetRows, question: string): Hit[] {
  const contents = catalogContents(catalogs);
  return hits(
    {
      rows: contents,
      text: ({ name }) => name,
      hit: ({ name, id, clusters }) => ({
        kind: 'catalog',
        title: name,
        note: `in ${clusters}`,
        url: `/catalogs/${part(id)}`,
      }),
      rest: { noun: 'content', url: inList('/catalogs'), rows: () => contents },
    },
    question,
  );
}

/** Clusters, packages, operators, plans, catalogs and pages with all the words. */
export function searchIn(rows: FleetRows, question: string): Hit[] {
  if (wordsOf(question).length === 0) return [];
  const pages = hits({ rows: PAGES, text: ({ title }) => title, hit: (page) => page }, question);
  const kinds = [ofClusters, ofPackages, ofOperators, ofPlans, ofCatalogs];
  return [pages, ...kinds.map((of) => of(rows, question))].flat();
}
