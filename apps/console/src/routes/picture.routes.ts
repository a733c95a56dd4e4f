import * as pictures from '../api/pictures.schema.js';
import { clusterMap } from '../cluster-map/cluster-map.js';
import { seenHistory } from '../lists/seen-history.js';
import { fleetTrend } from '../trends/fleet-trend.js';
import { versionTrend } from '../trends/version-trend.js';
import { asOf } from './list.routes.js';
import { type ApiRoute, get, type RouteContext } from './route.js';

/** Before the first rows are there, nothing is known at any time. */
const nowOf = ({ view }: RouteContext): Date => view.asOf ?? new Date(0);

/** Routes for pictures: counts over time, and clusters by their labels. */
export const pictureRoutes: readonly ApiRoute[] = [
  get({
    path: '/trend',
    name: 'FleetTrend',
    summary: 'Failed and blocked operators, and versions that came, in the last 24 hours',
    answer: pictures.FleetTrend,
    run: async (context) => {
      const { rows, view } = context;
      const rowOf = (cluster: string, id: string) => {
        const row = view.row(cluster, id);
        return row?.kind === 'operator' ? row : undefined;
      };
      return fleetTrend(await seenHistory(context), { now: nowOf(context), operators: rows.operators, rowOf });
    },
  }),
  get({
    path: '/version-trend',
    name: 'VersionTrend',
    summary: 'Clusters by the version of a package, over time',
    query: pictures.VersionTrendQuery,
    answer: pictures.VersionTrend,
    run: async (context) => {
      const { rows, query } = context;
      const facts = { now: nowOf(context), operators: rows.operatorsByPackage, query };
      return versionTrend(await seenHistory(context), facts);
    },
  }),
  get({
    path: '/cluster-map',
    name: 'ClusterMap',
    summary: 'Clusters by two of their labels, with their states',
    query: pictures.ClusterMapQuery,
    answer: pictures.ClusterMap,
    run: async (context) => ({ ...clusterMap(context.rows.clusters, context.query), asOf: asOf(context) }),
  }),
];
