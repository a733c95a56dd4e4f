import { z } from 'zod';
import { projectVersion } from '#platform/files/build-info';
import { RequestProblem } from '../serve/problem.js';
import { fleetSummary } from '../view/fleet-summary.js';
import { searchIn } from '../view/search.js';
import { asOf } from './list.routes.js';
import * as lists from './lists.schema.js';
import { type ApiRoute, get } from './route.js';

const SearchQuery = z.strictObject({ q: z.string().max(200).default('') });

/** What is not a list. */
export const fleetRoutes: readonly ApiRoute[] = [
  get({
    path: '/fleet',
    name: 'FleetSummary',
    summary: 'The first page in one answer',
    answer: lists.FleetSummary,
    run: async (context) => {
      const { filling } = context.view;
      return { ...fleetSummary(context.rows), asOf: asOf(context), ...(filling && { filling }) };
    },
  }),
  get({
    path: '/hub',
    name: 'HubSummary',
    summary: 'The services of the hub, their checks and queues',
    answer: lists.HubSummary,
    run: async (context) => {
      if (!context.person.rights.mayAnywhere('admin'))
        throw new RequestProblem(
          404,
          'not-found',
          'There is no such page that you may see.',
          'Ask for the role admin.',
        );
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
    path: '/me',
    name: 'Me',
    summary: 'Who is signed in, and what that allows',
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
