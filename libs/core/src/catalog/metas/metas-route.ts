import { catalogNameProblem } from './catalog-name.js';
import { type MetasQuery, readMetasQuery } from './metas-query.js';
import { badRequest, methodNotAllowed, pageNotFound, type ResponsePlan, refusal } from './response-plan.js';

/** The content that a request asks for. */
export type MetasQuestion = Readonly<{
  /** Segments of the path at each `*` of the place, decoded. The last is the catalog's name. */
  names: readonly string[];
  endpoint: 'all' | 'metas';
  query: MetasQuery;
}>;

/** The path of catalogs, segment by segment; `*` takes any one segment. */
export type CatalogPlace = readonly string[];

/** The place of one cluster's catalogs, as in catalogd. */
export const CATALOGS: CatalogPlace = ['catalogs', '*'];
/** The hub's: the catalogs of all clusters (decision 0137). */
export const CATALOGS_OF_CLUSTERS: CatalogPlace = ['clusters', '*', 'catalogs', '*'];

/**
 * Reads a request target (path and query as sent). Checks come in the order of catalogd: path, method, name,
 * parameters (spec: v1-catalog.md §2); whether the catalog is there is asked afterwards.
 */
export function routeMetas(place: CatalogPlace, method: string, target: string): MetasQuestion | ResponsePlan {
  const mark = target.indexOf('?');
  const path = mark < 0 ? target : target.slice(0, mark);
  const segments = segmentsOf(path);
  if (segments === undefined) return badRequest;
  const endpoint = segments.at(-1);
  const names = matched([...place, 'api', 'v1', endpoint ?? ''], segments);
  if (names === undefined || (endpoint !== 'all' && endpoint !== 'metas')) return pageNotFound;
  if (method !== 'GET' && method !== 'HEAD') return methodNotAllowed;
  const problem = catalogNameProblem(names.at(-1) ?? '');
  if (problem !== undefined) return refusal(400, `invalid catalog name: ${problem}`);
  const query = endpoint === 'all' ? {} : readMetasQuery(mark < 0 ? '' : target.slice(mark + 1));
  return query === undefined ? badRequest : { names, endpoint, query };
}

function segmentsOf(path: string): string[] | undefined {
  try {
    return path.split('/').slice(1).map(decodeURIComponent);
  } catch {
    return undefined;
  }
}

function matched(pattern: readonly string[], segments: readonly string[]): string[] | undefined {
  const fits =
    pattern.length === segments.length &&
    pattern.every((part, at) => (part === '*' ? segments[at] !== '' : part === segments[at]));
  return fits ? segments.filter((_, at) => pattern[at] === '*') : undefined;
}
