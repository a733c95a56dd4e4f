import { sameIdentities } from '#core/cluster/membership/identity-claims';
import type { KubeClient } from '#platform/kube/client/kube-client.port';
import { askClusters, fleetVerdict, reportAway, reportSame } from '../../clusters/ask-clusters.js';
import { findCluster, olmText } from '../../clusters/find-clusters.js';
import { commandSettings } from '../../hub/command-settings.js';
import { dataText } from '../../output/data-text.js';
import type { ListFormat } from '../../output/output-option.js';
import type { Columns } from '../../output/table.js';
import { exitCodeOf } from '../../output/verdict.js';
import type { Io } from '../../terminal/io.js';
import { tableText } from '../objects/print-objects.js';

type Row = Readonly<{
  name: string;
  reachable: boolean;
  version: string;
  globalCatalogNamespace: string;
  olm: string;
  /** The hub that manages the cluster. */
  hub: string;
  because?: string;
}>;

const COLUMNS: Columns<Row> = [
  ['NAME', ({ name }) => name],
  ['REACHABLE', ({ reachable }) => (reachable ? 'yes' : 'no')],
  ['VERSION', ({ version }) => version],
  ['GLOBAL CATALOGS', ({ globalCatalogNamespace }) => globalCatalogNamespace],
  ['OLM', ({ olm }) => olm],
];
const WIDE: Columns<Row> = [...COLUMNS, ['HUB', ({ hub }) => hub], ['BECAUSE', ({ because = '' }) => because]];

export type ClusterListOptions = Readonly<{ output: ListFormat; headers: boolean; allowMissing: boolean }>;

/** Runs `flotilla clusters list`: prints every cluster with its present state. */
export async function listClusters(clients: readonly KubeClient[], io: Io, options: ClusterListOptions): Promise<void> {
  const settings = commandSettings(process.env);
  const { output } = options;
  const fleet = await askClusters(clients, (client) => findCluster(client, settings));
  const same = sameIdentities(fleet.answers.map(({ cluster, value: { identity } }) => ({ cluster, identity })));
  const rows = clients.map(({ cluster: name }): Row => {
    const facts = fleet.answers.find(({ cluster }) => cluster === name)?.value;
    if (facts !== undefined) {
      const { version, globalCatalogNamespace } = facts;
      const conflict = same.get(name);
      const because = conflict === undefined ? {} : { because: conflict };
      return {
        name,
        reachable: true,
        version,
        globalCatalogNamespace,
        olm: olmText(facts),
        hub: facts.hub,
        ...because,
      };
    }
    const because = fleet.away.find(({ cluster }) => cluster === name)?.because ?? '';
    return { name, reachable: false, version: '', globalCatalogNamespace: '', olm: '', hub: '', because };
  });
  if (output === 'table') reportAway(fleet.away, io);
  if (output === 'table') reportSame(same, io);
  const verdict = fleetVerdict(true, fleet, options);
  switch (output) {
    case 'json':
    case 'yaml':
      io.out(dataText({ verdict, away: fleet.away, items: rows }, output));
      break;
    case 'name':
      io.out(rows.map(({ name }) => `${name}\n`).join(''));
      break;
    case 'table':
    case 'wide':
      io.out(
        tableText(
          rows,
          output === 'wide' ? WIDE : COLUMNS,
          options.headers,
          output === 'wide' ? undefined : io.columns,
        ),
      );
  }
  io.exit(exitCodeOf(verdict));
}
