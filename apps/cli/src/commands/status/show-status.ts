import { urgency } from '#core/cluster/diagnosis/diagnosis';
import { byCodeUnit } from '#core/kernel/canonical/canonical-json';
import { pagePaths } from '#core/view/questions/page-paths';
import type { Settings } from '#platform/config/settings';
import type { KubeClient } from '#platform/kube/client/kube-client.port';
import { askClusters, fleetVerdict } from '../../clusters/ask-clusters.js';
import type { ClusterOptions } from '../../clusters/cluster-options.js';
import { commandAccess, optionsOf } from '../../clusters/command-access.js';
import { consoleLine } from '../../hub/console-page.js';
import { hubAddresses } from '../../hub/hub-address.js';
import { type HubStatus, hubStatus } from '../../hub/hub-status.js';
import { hubToken } from '../../hub/hub-token.js';
import { isData } from '../../output/data-format.js';
import { dataText } from '../../output/data-text.js';
import type { AnswerFormat } from '../../output/output-option.js';
import { exitCodeOf } from '../../output/verdict.js';
import type { Io } from '../../terminal/io.js';
import { type ClusterStatus, clusterStatus } from './cluster-status.js';
import { type ClusterFinding, printStatus, type StatusAnswer } from './print-status.js';

export type StatusOptions = ClusterOptions &
  Readonly<{
    /** Addresses of the hub's services that the user named; none: those that the settings give. */
    hub: readonly string[];
    namespace?: string | undefined;
    /** Every finding on its own. */
    all: boolean;
    output: AnswerFormat;
    allowMissing: boolean;
  }>;

/** Runs `flotilla status`: prints hub and clusters on one screen. */
export async function showStatus(
  clients: readonly KubeClient[],
  io: Io,
  settings: Settings,
  options: StatusOptions,
): Promise<void> {
  const { hub, namespace, output } = options;
  const [services, fleet] = await Promise.all([
    hubServices(hub, settings, clients),
    askClusters(clients, (client) => clusterStatus(client, settings, namespace), { namespace, options }),
  ]);
  const statuses = fleet.answers.map(({ value }) => value);
  const isHubLost = hub.length > 0 && services.some(({ reached }) => !reached);
  const status: StatusAnswer = {
    verdict: isHubLost ? 'incomplete' : fleetVerdict(true, fleet, options),
    away: fleet.away,
    hub: services,
    clusters: statuses.map(({ findings: _own, ...rest }) => rest),
    waiting: statuses.flatMap(ofCluster).sort(mostUrgentFirst),
  };
  const access = (cluster: string) => {
    const client = clients.find((one) => one.cluster === cluster);
    return client === undefined ? { cluster } : commandAccess(client, options);
  };
  const asked = [...optionsOf(options), ...(namespace === undefined ? [] : [`-n ${namespace}`])];
  io.out(
    isData(output) ? dataText(status, output) : printStatus(status, { ...options, access, asked, width: io.columns }),
  );
  if (!isData(output)) io.out(consoleLine(settings, pageOfClusters(clients)));
  io.exit(exitCodeOf(status.verdict));
}

/** The page of the cluster that was asked, or of the fleet. */
const pageOfClusters = ([first, ...others]: readonly KubeClient[]): string =>
  first === undefined || others.length > 0 ? pagePaths.fleet() : pagePaths.cluster(first.cluster);

/**
 * Returns the services of the hub. A service that was not named and manages none of these clusters belongs to
 * another hub. It has nothing to say about them.
 */
async function hubServices(
  named: readonly string[],
  settings: Settings,
  clients: readonly KubeClient[],
): Promise<readonly HubStatus[]> {
  const token = await hubToken(settings);
  const addresses = named.length > 0 ? named : hubAddresses(settings);
  const found = await Promise.all(addresses.map((url) => hubStatus(url, token)));
  if (named.length > 0) return found;
  const asked = new Set(clients.map(({ cluster }) => cluster));
  return found.map((service) => {
    if (!service.reached || service.clusters === undefined) return service;
    if (service.clusters.length === 0 || service.clusters.some((name) => asked.has(name))) return service;
    return { url: service.url, reached: false, because: `it manages other clusters: ${few(service.clusters)}` };
  });
}

const NAMED = 5;
const few = (names: readonly string[]): string =>
  names.slice(0, NAMED).join(', ') + (names.length > NAMED ? ` and ${names.length - NAMED} more` : '');

const ofCluster = ({ cluster, findings }: ClusterStatus): ClusterFinding[] =>
  findings.map((finding) => ({ cluster, ...finding }));

/** Within a cluster they are in order. */
const mostUrgentFirst = (a: ClusterFinding, b: ClusterFinding): number =>
  urgency(a.standing) - urgency(b.standing) || byCodeUnit(a.cluster, b.cluster);
