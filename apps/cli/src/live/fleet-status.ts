import { byCodeUnit } from '#core/canonical/canonical-json';
import { urgency } from '#core/diagnosis/diagnosis';
import type { Settings } from '#platform/config/settings';
import type { KubeClient } from '#platform/kube/kube-client.port';
import { ExitCode, type Io } from '../io.js';
import { type Away, askClusters } from './ask-clusters.js';
import { type ClusterStatus, clusterStatus } from './cluster-status.js';
import { hubAddresses, hubStatus } from './hub-status.js';
import { type FleetFinding, type FleetStatus, printStatus } from './print-status.js';

export type StatusOptions = Readonly<{ hub: readonly string[]; output: 'text' | 'json' }>;

/** `flotilla status`: hub and clusters on one screen. */
export async function fleetStatus(
  clients: readonly KubeClient[],
  io: Io,
  settings: Settings,
  { hub, output }: StatusOptions,
): Promise<void> {
  const away: Away[] = [];
  const addresses = hub.length > 0 ? hub : hubAddresses(settings);
  const [services, { answers, allAway }] = await Promise.all([
    Promise.all(addresses.map(hubStatus)),
    askClusters(
      clients,
      io,
      (client) => clusterStatus(client, settings),
      (one) => void away.push(one),
    ),
  ]);
  const statuses = answers.map(({ value }) => value);
  const status: FleetStatus = {
    hub: services,
    clusters: statuses.map(({ findings: _told, ...rest }) => rest),
    away: away.toSorted((a, b) => byCodeUnit(a.cluster, b.cluster)),
    waiting: statuses.flatMap(ofCluster).sort(mostUrgentFirst),
  };
  io.out(output === 'json' ? `${JSON.stringify(status, undefined, 2)}\n` : printStatus(status));
  io.exit(allAway ? ExitCode.remoteFailed : ExitCode.done);
}

const ofCluster = ({ cluster, findings }: ClusterStatus): FleetFinding[] =>
  findings.map((finding) => ({ cluster, ...finding }));

/** Within a cluster they are in order. */
const mostUrgentFirst = (a: FleetFinding, b: FleetFinding): number =>
  urgency(a.standing) - urgency(b.standing) || byCodeUnit(a.cluster, b.cluster);
