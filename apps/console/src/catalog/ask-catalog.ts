import type { CatalogQuestion, QuestionAnswer } from '#core/view/questions/console-question';
import type { CatalogRow } from '#core/view/rows/rows';
import { notFound, RequestProblem, refusedByHub } from '../api/problem.js';
import { contentId } from '../lists/catalog-contents.js';
import type { Ask } from '../questions/question-turns.js';
import type { FleetRows } from '../rows/fleet-rows.js';
import { byText } from '../rows/sorted-rows.js';

/** A question about a content, for any catalog that holds it. */
export type ContentQuestion = CatalogQuestion extends infer Q
  ? Q extends CatalogQuestion
    ? Omit<Q, 'v' | 'cluster' | 'namespace' | 'name' | 'source' | 'digest'>
    : never
  : never;

/** Clusters that are tried, one after the other: another poller may hold the content. */
const MOST_TRIED = 3;

/**
 * Returns the catalogs with a content, the likeliest to answer first. Equal for all people who see the same.
 */
export function catalogsWith(
  { catalogs, clusters }: Pick<FleetRows, 'catalogs' | 'clusters'>,
  id: string,
): CatalogRow[] {
  const fresh = new Set(clusters.filter(({ reach }) => reach === 'fresh').map(({ cluster }) => cluster));
  return catalogs
    .filter((row) => row.digest !== '' && contentId(row) === id)
    .toSorted(
      (a, b) =>
        Number(fresh.has(b.cluster)) - Number(fresh.has(a.cluster)) ||
        byText(a.source, b.source) ||
        byText(a.cluster, b.cluster) ||
        byText(a.id, b.id),
    );
}

/** @throws RequestProblem if no poller answers, or there is no such thing */
export async function askCatalog(rows: readonly CatalogRow[], ask: Ask, asked: ContentQuestion): Promise<unknown> {
  let last: QuestionAnswer | undefined;
  for (const { cluster, namespace, name, source, digest } of rows.slice(0, MOST_TRIED)) {
    const question = { v: 1, cluster, namespace, name, source, digest, ...asked } as CatalogQuestion;
    last = await ask(question);
    if ('answer' in last) return last.answer;
  }
  if (last === undefined) throw notFound('content of a catalog');
  if ('because' in last && last.because === 'gone') throw notFound('package of that name in this content');
  if ('because' in last && last.because === 'refused') throw refusedByHub(last.message);
  const isAway = 'because' in last && last.because === 'away';
  throw new RequestProblem(
    isAway ? 504 : 502,
    isAway ? 'hub-away' : 'not-readable',
    isAway ? 'The hub has not read this content yet.' : 'The content could not be read.',
    `${'message' in last ? last.message : ''}. Try again, or use flotilla catalog.`,
  );
}
