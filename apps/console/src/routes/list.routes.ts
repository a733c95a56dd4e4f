import { z } from 'zod';
import { placeOf } from '#core/view/rights/rights';
import type { OperatorRow, PlanRow } from '#core/view/rows/rows';
import * as lists from '../api/lists.schema.js';
import { badRequest, notFound } from '../api/problem.js';
import { catalogContents, contentColumns } from '../lists/catalog-contents.js';
import { causeGroups } from '../lists/causes.js';
import { rolloutColumns } from '../lists/derived-rollouts.js';
import { unknownFacets } from '../lists/facets.js';
import {
  catalogColumns,
  clusterColumns,
  historyColumns,
  matching,
  operatorColumns,
  planColumns,
  type RowColumns,
  unknownFilters,
} from '../lists/filter.js';
import { packageColumns, packageSpreads } from '../lists/packages.js';
import { planClassColumns, planClasses, plansOfFleet } from '../lists/plan-classes.js';
import { rolloutSeenBy, rolloutsSeenBy } from '../lists/rollouts.js';
import { changeColumns, seenChanges } from '../lists/seen-history.js';
import { type Counting, windowOf } from '../lists/window.js';
import type { FleetRows } from '../rows/fleet-rows.js';
import { labelsIn } from '../rows/visible-rows.js';
import { type ApiRoute, get, type RouteContext } from './route.js';

type Query = lists.ListQuery;
type Listed<R> = Readonly<{
  path: string;
  name: string;
  summary: string;
  answer: z.ZodType;
  columns: RowColumns<R>;
  /** Columns of the operators that the rows sum up: the rows themselves no longer have them. */
  also?: RowColumns<OperatorRow>;
  rows: (rows: FleetRows, query: Query) => readonly R[];
}>;

export const asOf = ({ view }: Pick<RouteContext, 'view'>): string => view.asOf?.toISOString() ?? '';

function checkQuery<R>(query: Query, columns: RowColumns<R>, also: RowColumns<OperatorRow> = {}): void {
  const [unknown] = unknownFilters(query, { ...also, ...columns } as RowColumns<R>);
  if (unknown !== undefined) throw badRequest(`This list has no filter ${unknown}.`);
  // Sums of operators are filtered by the operators' columns, and have no counts of them.
  const [uncounted] = unknownFacets(query, { ...also, ...columns } as RowColumns<R>);
  if (uncounted !== undefined) throw badRequest(`This list does not count ${uncounted}.`);
  const column = query.sort?.replace(/^-/, '');
  if (column !== undefined && columns[column] === undefined)
    throw badRequest(`This list has no column ${column} to sort by.`);
}

/**
 * Returns the question for counts and their cache. `stands`: the counted values change only with the rows.
 */
function counting({ facets, person, view, query }: RouteContext<Query>, list: string, stands = true): Counting {
  // A version that is equal to none: only the time decides if a count is old.
  const version = stands ? view.version : Number.NaN;
  return { kept: facets, question: { rights: person.rights.key, list, version, query } };
}

/** The filters that are not yet applied. */
const without = (query: Query, columns: RowColumns<never>): Query =>
  Object.fromEntries(Object.entries(query).filter(([key]) => columns[key] === undefined)) as Query;

const list = <R>({ path, name, summary, answer, columns, also, rows }: Listed<R>): ApiRoute =>
  get({
    path,
    name,
    summary,
    query: lists.ListQuery,
    answer,
    run: async (context) => {
      const { query } = context;
      checkQuery(query, columns, also);
      const found = rows(context.rows, query);
      const rest = also === undefined ? query : without(query, also);
      return { ...windowOf(found, rest, columns, counting(context, path)), asOf: asOf(context) };
    },
  });

/** Returns the operators in an order that is ready, if the query asks for it. */
function sortedOperators(rows: FleetRows, query: Query): readonly OperatorRow[] {
  if (query.sort === 'cluster') return rows.operatorsByCluster;
  return query.sort === 'package' ? rows.operatorsByPackage : rows.operators;
}

const spreadFilters: RowColumns<OperatorRow> = Object.fromEntries(
  Object.entries(operatorColumns).filter(([name]) => !['package', 'deprecated', 'newest', 'operators'].includes(name)),
);

const operators: ApiRoute = get({
  path: '/operators',
  name: 'OperatorList',
  summary: 'Operators: Subscriptions and ClusterExtensions',
  query: lists.ListQuery,
  answer: lists.OperatorList,
  run: async (context) => {
    const { query, rows } = context;
    checkQuery(query, operatorColumns);
    const sorted = query.sort === 'cluster' || query.sort === 'package';
    const { sort: _sort, ...unsorted } = query;
    const asked = sorted ? unsorted : query;
    const window = windowOf(sortedOperators(rows, query), asked, operatorColumns, counting(context, 'operators'));
    return { ...window, asOf: asOf(context) };
  },
});

const changes: ApiRoute = get({
  path: '/changes',
  name: 'ChangeList',
  summary: 'Changes in the fleet, the newest first',
  query: lists.ListQuery,
  answer: lists.ChangeList,
  run: async (context) => {
    const { query, rows } = context;
    const { entries, knownSince } = await seenChanges(context);
    const columns = query.about === undefined ? historyColumns : changeColumns(entries, rows.operators);
    checkQuery(query, columns);
    const window = windowOf(entries, query, columns, counting(context, 'changes', false));
    return { ...window, knownSince, asOf: asOf(context) };
  },
});

const rollouts: ApiRoute = get({
  path: '/rollouts',
  name: 'RolloutList',
  summary: 'Rollouts of the fleet, and clusters that move to one bundle',
  query: lists.ListQuery,
  answer: lists.RolloutList,
  run: async (context) => {
    const { query } = context;
    checkQuery(query, rolloutColumns);
    const found = await rolloutsSeenBy(context);
    return { ...windowOf(found, query, rolloutColumns, counting(context, 'rollouts', false)), asOf: asOf(context) };
  },
});

const rollout: ApiRoute = get({
  path: '/rollouts/:id',
  name: 'RolloutDetail',
  summary: 'One rollout, with its decisions and its pace',
  answer: lists.RolloutDetail,
  run: async (context) => {
    const found = await rolloutSeenBy(context, context.params['id'] ?? '');
    if (found === undefined) throw notFound('rollout of that name');
    return found;
  },
});

type Placed = Readonly<{ cluster: string; namespace: string }>;
const placed: RowColumns<Placed> = { cluster: ({ cluster }) => cluster, namespace: ({ namespace }) => namespace };

/** Returns a test for rows that are in a cluster and a namespace of the query. */
function isPlaced(query: Query): (row: Placed) => boolean {
  const { cluster, namespace, offset, limit } = query;
  const place = { ...(cluster !== undefined && { cluster }), ...(namespace !== undefined && { namespace }) };
  return matching({ ...place, offset, limit }, placed);
}

const planClassList: ApiRoute = get({
  path: '/plan-classes',
  name: 'PlanClassList',
  summary: 'Plans that wait for approval, grouped by content',
  query: lists.ListQuery,
  answer: lists.PlanClassList,
  run: async (context) => {
    const { query, rows, person, view } = context;
    checkQuery(query, planClassColumns, placed);
    const { cluster: _cluster, namespace: _namespace, ...rest } = query;
    const plans = rows.plans.filter(isPlaced(query));
    const labels = labelsIn(view);
    const mayApprove = (plan: PlanRow) => person.rights.may('approver', placeOf(plan), labels);
    const classes = planClasses(plans, mayApprove);
    const window = windowOf(classes, rest, planClassColumns, counting(context, 'plan-classes'));
    return { ...window, fleet: plansOfFleet(plans), asOf: asOf(context) };
  },
});

const causeColumns: RowColumns<lists.CauseGroup> = {
  cause: ({ key }) => key,
  standing: ({ standing }) => standing,
  clusters: ({ clusters }) => clusters,
  operators: ({ operators: count }) => count,
  since: ({ since }) => since,
};

/** Every list of the API. */
export const listRoutes: readonly ApiRoute[] = [
  list({
    path: '/clusters',
    name: 'ClusterList',
    summary: 'Clusters, those that need attention first',
    answer: lists.ClusterList,
    columns: clusterColumns,
    rows: ({ clusters }) => clusters,
  }),
  operators,
  list({
    path: '/plans',
    name: 'PlanList',
    summary: 'InstallPlans',
    answer: lists.PlanList,
    columns: planColumns,
    rows: ({ plans }) => plans,
  }),
  list({
    path: '/catalog-rows',
    name: 'CatalogRowList',
    summary: 'Catalogs of each cluster',
    answer: lists.CatalogRowList,
    columns: catalogColumns,
    rows: ({ catalogs }) => catalogs,
  }),
  list({
    path: '/packages',
    name: 'PackageList',
    summary: 'Installed packages, with the distribution of their versions',
    answer: lists.PackageList,
    columns: packageColumns,
    also: spreadFilters,
    rows: (rows, query) => packageSpreads(rows, matching(query, spreadFilters)),
  }),
  planClassList,
  list({
    path: '/catalogs',
    name: 'CatalogList',
    summary: 'Contents of catalogs, by digest',
    answer: lists.CatalogList,
    columns: contentColumns,
    also: placed,
    rows: ({ catalogs }, query) => catalogContents(catalogs.filter(isPlaced(query))),
  }),
  list({
    path: '/causes',
    name: 'CauseList',
    summary: 'Causes of unhealthy objects, grouped',
    answer: lists.CauseList,
    columns: causeColumns,
    rows: causeGroups,
  }),
  rollouts,
  rollout,
  changes,
];
