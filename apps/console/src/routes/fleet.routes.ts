import { z } from 'zod';
import { filterValues } from '#core/kernel/text/filter-values';
import { CONSOLE_VERBS } from '#core/view/rights/console-verbs';
import { type Place, placeOf } from '#core/view/rights/rights';
import { projectVersion } from '#platform/files/build-info';
import { planRowId } from '../actions/admit-targets.js';
import * as lists from '../api/lists.schema.js';
import { badRequest, NotAllowed, notFound, RequestProblem } from '../api/problem.js';
import { isMoving } from '../lists/derived-rollouts.js';
import { fleetSummary } from '../lists/fleet-summary.js';
import { rolloutsSeenBy } from '../lists/rollouts.js';
import { searchIn } from '../lists/search.js';
import { labelsIn } from '../rows/visible-rows.js';
import { asOf } from './list.routes.js';
import { type ApiRoute, get, type RouteContext } from './route.js';

const SearchQuery = z.strictObject({ q: z.string().max(200).default('') });

const Name = z.string().min(1).max(1_000).optional();
const RightsQuery = z.strictObject({
  verb: z.enum(CONSOLE_VERBS),
  cluster: Name,
  namespace: Name,
  /** Several are separated by commas: each must be granted. */
  package: z.string().min(1).max(4_000).optional(),
  /** Name of an InstallPlan of the namespace, in place of the packages that it moves. */
  plan: Name,
});

/** Returns the place that a person asks about; absent: anywhere. */
function askedPlace({ view, person, query }: RouteContext<z.output<typeof RightsQuery>>): Place | undefined {
  const { cluster, namespace, package: packages, plan } = query;
  if (cluster === undefined) {
    if ((namespace ?? packages ?? plan) !== undefined) throw badRequest('Name the cluster, too.');
    return undefined;
  }
  if (plan === undefined) {
    const named = packages && filterValues(packages).filter((name) => name !== '');
    return { cluster, ...(namespace === undefined ? {} : { namespace }), ...(named && { packages: named }) };
  }
  if (namespace === undefined || packages !== undefined)
    throw badRequest('Name the namespace and the packages of the plan, too.');
  const row = view.row(cluster, planRowId({ namespace, name: plan }));
  if (row === undefined || !person.rights.sees(row, labelsIn(view))) throw notFound('such plan');
  return placeOf(row);
}

/** Routes that are not lists. */
export const fleetRoutes: readonly ApiRoute[] = [
  get({
    path: '/fleet',
    name: 'FleetSummary',
    summary: 'The first page in one answer',
    answer: lists.FleetSummary,
    run: async (context) => {
      const { filling } = context.view;
      const rollouts = (await rolloutsSeenBy(context)).filter(isMoving).length;
      return { ...fleetSummary(context.rows), rollouts, asOf: asOf(context), ...(filling && { filling }) };
    },
  }),
  get({
    path: '/hub',
    name: 'HubSummary',
    summary: 'The services of the hub, their checks and queues',
    answer: lists.HubSummary,
    run: async (context) => {
      const decision = context.person.rights.decide('hub', undefined, labelsIn(context.view));
      if (!decision.allowed) {
        const text = 'No such page is visible to you.';
        const answer = new RequestProblem(404, 'not-found', text, 'Ask for the role admin.');
        throw new NotAllowed(answer, 'hub', [], decision.because);
      }
      const services = await context.reader.hub();
      return { asOf: asOf(context), services: [...services], redis: 'ok' };
    },
  }),
  get({
    path: '/search',
    name: 'SearchAnswer',
    summary: 'Clusters, packages, operators, plans, catalogs and pages',
    query: SearchQuery,
    answer: lists.SearchAnswer,
    run: async ({ rows, query }) => ({ items: searchIn(rows, query.q) }),
  }),
  get({
    path: '/can-i',
    name: 'RightsAnswer',
    summary: 'Permission of the person for an action, with the reason',
    query: RightsQuery,
    answer: lists.RightsAnswer,
    run: async (context) => {
      const decision = context.person.rights.decide(context.query.verb, askedPlace(context), labelsIn(context.view));
      return decision.allowed ? { allowed: true, by: [...decision.by], because: '' } : { ...decision, by: [] };
    },
  }),
  get({
    path: '/me',
    name: 'Me',
    summary: 'The signed-in person and their rights',
    answer: lists.Me,
    run: async ({ person }) => {
      const { name, groups, by, csrf, rights } = person;
      const may = {
        approve: rights.mayAnywhere('approver'),
        retry: rights.mayAnywhere('operator'),
        rollBack: rights.mayAnywhere('operator'),
        hub: rights.mayAnywhere('admin'),
      };
      return { name, groups: [...groups], by, rights: [...rights.words], may, csrf, version: projectVersion() };
    },
  }),
];
