import { ContentGraph, ContentPackage, ContentTiles } from '#core/view/catalog-pages/catalog-answers';
import { wayIn } from '#core/view/catalog-pages/content-graph';
import { runningBundle } from '#core/view/questions/running-bundle';
import type { CatalogRow, OperatorRow } from '#core/view/rows/rows';
import { GraphAnswer, GraphQuery, PackageDetail, PackageTileList, TilesQuery } from '../api/catalogs.schema.js';
import { notFound, RequestProblem } from '../api/problem.js';
import { askCatalog, type ContentQuestion, catalogsWith } from '../catalog/ask-catalog.js';
import { installManifest } from '../catalog/package-manifest.js';
import { richText, safeAddress } from '../catalog/rich-text.js';
import type { FleetRows } from '../rows/fleet-rows.js';
import { byText } from '../rows/sorted-rows.js';
import { asOf } from './list.routes.js';
import { type ApiRoute, get, type RouteContext } from './route.js';

const notHere = () =>
  new RequestProblem(
    503,
    'no-questions',
    'This console cannot ask a hub.',
    'Use flotilla catalog graph and opm render.',
  );

type Asked = Readonly<{ answer: unknown; row: CatalogRow; id: string; name: string }>;

/**
 * Asks a catalog about a content. Checks rights first: only people who see a catalog with a content get the
 * content.
 */
async function ask(context: RouteContext, asked: (name: string) => ContentQuestion): Promise<Asked> {
  const { questions, person, rows, params } = context;
  const { id = '', package: name = '' } = params;
  const held = catalogsWith(rows, id);
  const [row] = held;
  if (row === undefined) throw notFound('content of a catalog');
  if (questions === undefined) throw notHere();
  const answer = await questions.inTurn(person, () =>
    askCatalog(held, (question) => questions.ask(question, person), asked(name)),
  );
  return { answer, row, id, name };
}

/** Returns the operators that a package has in the clusters. */
const ofPackage = ({ operatorsByPackage: rows }: FleetRows, name: string): readonly OperatorRow[] =>
  rows.filter((row) => row.package === name && row.installed !== '');

/** Counts the clusters in which each bundle runs. */
function clustersByBundle(rows: readonly OperatorRow[]): ReadonlyMap<string, number> {
  const byBundle = Map.groupBy(
    rows.filter((row) => runningBundle(row) !== ''),
    runningBundle,
  );
  return new Map([...byBundle].map(([bundle, of]) => [bundle, new Set(of.map(({ cluster }) => cluster)).size]));
}

const tiles: ApiRoute = get({
  path: '/catalogs/:id/packages',
  name: 'PackageTileList',
  summary: 'The packages of a catalog',
  query: TilesQuery,
  answer: PackageTileList,
  run: async (context) => {
    const { q, offset, limit } = context.query;
    const { answer, id } = await ask(context, () => ({ ask: 'packages', words: q, offset, limit }));
    const { total, items } = ContentTiles.parse(answer);
    const byPackage = Map.groupBy(context.rows.operators, (row) => row.package);
    const clustersOf = (name: string) =>
      new Set(byPackage.get(name)?.flatMap((row) => (runningBundle(row) === '' ? [] : [row.cluster]))).size;
    return {
      total,
      items: items.map((tile) => ({
        ...tile,
        icon: context.icons.pathOf({ id, name: tile.package, hash: tile.icon }),
        clusters: clustersOf(tile.package),
      })),
      asOf: asOf(context),
    };
  },
});

const detail: ApiRoute = get({
  path: '/catalogs/:id/packages/:package',
  name: 'PackageDetail',
  summary: 'A package of a catalog: its description, channels, versions and clusters',
  answer: PackageDetail,
  run: async (context) => {
    const { answer, row, id, name } = await ask(context, (wanted) => ({ ask: 'package', package: wanted }));
    const { description, icon, links, channels, repository, ...found } = ContentPackage.parse(answer);
    const clusters = clustersByBundle(ofPackage(context.rows, name));
    return {
      ...found,
      ...{ catalog: row.namespace === '' ? row.name : `${row.namespace}/${row.name}`, digest: row.digest },
      icon: context.icons.pathOf({ id, name, hash: icon }),
      description: richText(description),
      repository,
      links: links.flatMap(({ name: title, url }) => {
        const address = safeAddress(url);
        return address === undefined ? [] : [{ name: title, url: address.href }];
      }),
      channels: channels.map((channel) => ({
        ...channel,
        entries: channel.entries.map((entry) => ({ ...entry, clusters: clusters.get(entry.bundle) ?? 0 })),
      })),
      where: [...clusters]
        .map(([bundle, count]) => ({ bundle, clusters: count }))
        .toSorted((a, b) => b.clusters - a.clusters || byText(a.bundle, b.bundle)),
      manifest: installManifest(row, {
        ...{ package: found.package, channel: found.defaultChannel, installModes: found.installModes },
      }),
    };
  },
});

const graph: ApiRoute = get({
  path: '/catalogs/:id/packages/:package/graph',
  name: 'GraphAnswer',
  summary: 'The upgrade graph of a package, with the path from an installed version',
  query: GraphQuery,
  answer: GraphAnswer,
  run: async (context) => {
    const { rows, query, params } = context;
    const installed = ofPackage(rows, params['package'] ?? '');
    const clusters = clustersByBundle(installed);
    const there = installed.find(({ cluster }) => cluster === query.cluster);
    const from = query.from || (there?.installed ?? '');
    const { answer } = await ask(context, (name) => ({ ask: 'graph', package: name, from }));
    const found = ContentGraph.parse(answer);
    const followed = there?.channel || '';
    const ways = found.channels.map(({ name }) => ({ name, way: wayIn(found, name) }));
    const taken = ways.find(({ name, way }) => name === followed && way.length > 0);
    const own = followed === '' ? ways.find(({ way }) => way.length > 0) : taken;
    const followers = Map.groupBy(installed, ({ channel }) => channel);
    return {
      ...{ from: found.from, defaultChannel: found.defaultChannel, older: found.older },
      channel: own?.name ?? '',
      way: own?.way ?? [],
      channels: found.channels.map(({ name, nodes, edges }) => ({
        name,
        clusters: new Set(followers.get(name)?.map(({ cluster }) => cluster)).size,
        nodes: nodes.map((node) => ({ ...node, installed: clusters.get(node.bundle) ?? 0 })),
        edges: edges.map(({ from: start, to, type, taken: isTaken }) => ({
          ...{ from: start, to, type, onWay: isTaken && name === own?.name },
        })),
      })),
    };
  },
});

/** Routes for packages of catalogs, from the contents that pollers have. */
export const catalogRoutes: readonly ApiRoute[] = [tiles, detail, graph];
