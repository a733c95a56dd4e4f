import { stringify } from 'yaml';
import type { KubeClient } from '#platform/kube/kube-client.port';
import { commandSettings } from '../command-settings.js';
import { type Columns, table } from '../commands/catalog-table.js';
import { inParallel } from '../in-parallel.js';
import { ExitCode, type Io } from '../io.js';
import { lineOf } from './ask-clusters.js';
import { findCluster, olmText } from './find-clusters.js';

type Row = Readonly<{
  name: string;
  reachable: boolean;
  version: string;
  globalCatalogNamespace: string;
  olm: string;
  because?: string;
}>;

const COLUMNS: Columns<Row> = [
  ['NAME', ({ name }) => name],
  ['REACHABLE', ({ reachable }) => (reachable ? 'yes' : 'no')],
  ['VERSION', ({ version }) => version],
  ['GLOBAL CATALOGS', ({ globalCatalogNamespace }) => globalCatalogNamespace],
  ['OLM', ({ olm }) => olm],
];

const AT_ONCE = 32;

/** `flotilla clusters list`: every cluster with what is seen of it now. */
export async function listClusters(clients: readonly KubeClient[], io: Io, output: string): Promise<void> {
  const settings = commandSettings(process.env);
  const rows = await inParallel(clients, AT_ONCE, async (client): Promise<Row> => {
    const name = client.cluster;
    try {
      const facts = await findCluster(client, settings);
      const { version, globalCatalogNamespace } = facts;
      return { name, reachable: true, version, globalCatalogNamespace, olm: olmText(facts) };
    } catch (error) {
      const because = lineOf(error);
      if (output === 'table') io.err(`${name}: ${because}\n`);
      return { name, reachable: false, version: '', globalCatalogNamespace: '', olm: '', because };
    }
  });
  io.out(printed(rows, output));
  io.exit(rows.some(({ reachable }) => reachable) ? ExitCode.done : ExitCode.remoteFailed);
}

function printed(rows: readonly Row[], output: string): string {
  if (output === 'json') return `${JSON.stringify(rows, undefined, 2)}\n`;
  if (output === 'yaml') return stringify(rows);
  if (output === 'name') return rows.map(({ name }) => `${name}\n`).join('');
  return table(rows, COLUMNS);
}
