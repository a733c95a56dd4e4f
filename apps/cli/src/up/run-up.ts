import { APPLIER, POLLER } from '#core/kernel/actions/field-managers';
import { SharedBytes } from '#core/kernel/read-budget/shared-bytes';
import { counted } from '#core/kernel/text/counted';
import { readLimitsOf } from '#platform/config/kube-limits';
import { unknownSettings } from '#platform/config/settings';
import { openHub } from '#platform/hub/hub';
import { HubKey } from '#platform/hub/hub-key';
import { startOn } from '#platform/hub/run-main';
import { ClusterConfigError } from '#platform/kube/access/cluster-config.error';
import { loadClusters } from '#platform/kube/access/load-clusters';
import type { KubeClient } from '#platform/kube/client/kube-client.port';
import { findRedis } from '#platform/redis/find-redis';
import { createLog } from '#platform/telemetry/log';
import type { RunningService } from '#platform/telemetry/run-service';
import { ExitCode, type Io, UsageError } from '../io.js';
import { NEXT } from '../output/next-commands.js';
import { allServices, type Clients } from './all-services.js';
import { ClusterWatch } from './cluster-watch.js';
import { PlainLog } from './plain-log.js';
import { stopSignal } from './stop-signals.js';
import { type UpOptions, type UpSettings, upSettings } from './up-settings.js';
import { usablePort } from './usable-port.js';

const GRACE_MS = 10_000;
type Endings = (() => Promise<unknown>)[];

/**
 * `flotilla up`: all services in this process until it is asked to stop. What is installed stays as it is.
 */
export async function runUp(io: Io, options: UpOptions): Promise<void> {
  const up = await upSettings(options, process.env);
  const clients = await clientsOf(up);
  const stop = stopSignal(up.settings.shutdownTimeout + GRACE_MS, () => io.err('error: could not end in time\n'));
  const endings: Endings = [() => Promise.all([...clients.poller, ...clients.applier].map((client) => client.close()))];
  try {
    await start(io, up, clients, endings);
    await stop;
    io.out('Ending: what was begun is finished first (a second Ctrl-C ends at once)\n');
  } finally {
    for (const end of endings.reverse()) await end();
  }
  io.out('Ended. What is installed stays; "flotilla up" goes on from there.\n');
  io.exit(ExitCode.done);
}

async function start(io: Io, up: UpSettings, clients: Clients, endings: Endings): Promise<void> {
  // After the kubeconfigs were read: which of two faults is reported does not depend on what
  // else runs on this machine.
  const catalogPollerPort = await usablePort(up.settings.catalogPollerPort, up.settings.bindAddress);
  const settings = { ...up.settings, catalogPollerPort };
  const redis = await findRedis({ log: (line) => io.err(`${line}\n`) });
  endings.push(() => redis.stop());
  const log = createLog({ service: 'up', level: settings.logLevel, destination: logDestination(io, up) });
  for (const name of unknownSettings(process.env)) log.warn({ name }, 'no such setting; see docs/settings.md');
  const key = await keyOf(settings);
  const hub = await openHub({ service: 'up', settings, log, redis, key });
  endings.push(() => hub.close());
  io.out(header(clients.applier));
  const watch = new ClusterWatch(clients.applier, settings, io);
  endings.push(async () => watch.stop());
  await watch.firstCheck();
  const service = await startOn(hub, 'flotilla', allServices(settings, clients));
  endings.push(() => service.stop());
  io.out(footer(service, up));
}

/** A key that ends with the process would not recognise the plans of an earlier run. */
const keyOf = async ({ hubKeyFile, foreignInstallPlans }: UpSettings['settings']): Promise<HubKey> =>
  hubKeyFile === '' && foreignInstallPlans === 'accept' ? HubKey.random() : HubKey.open(hubKeyFile);

async function clientsOf({ kubeconfigs, contexts, settings }: UpSettings): Promise<Clients> {
  const limits = readLimitsOf(settings);
  const memory = new SharedBytes(limits.processBytes);
  const load = (fieldManager: string): Promise<KubeClient[]> =>
    loadClusters({
      kubeconfigs,
      contexts,
      fieldManager,
      limits,
      memory,
      transport: { requestTimeoutMs: settings.kubeRequestTimeout },
    });
  try {
    const clients = { poller: await load(POLLER), applier: await load(APPLIER) };
    if (clients.applier.length > 0) return clients;
  } catch (error) {
    throw error instanceof ClusterConfigError ? new UsageError(error.message) : error;
  }
  throw new UsageError(`no context in ${kubeconfigs.join(', ')}: name a kubeconfig that has one with --kubeconfig`);
}

const header = ({ length }: readonly KubeClient[]): string => `Flotilla manages ${counted(length, 'cluster')}:\n`;

/** Lines for people on a terminal; JSON for log collectors, and with --verbose. */
const logDestination = (io: Io, { verbose }: UpSettings): Readonly<{ write: (text: string) => void }> =>
  io.isTerminal === true && !verbose ? new PlainLog(io.err) : { write: io.err };

/** Names the hub where `flotilla status` would ask elsewhere. */
function footer({ url, metricsUrl }: RunningService, { usualHub }: UpSettings): string {
  const status = NEXT.status(url === usualHub ? undefined : url);
  return [
    `Health ${url}/healthz · metrics ${metricsUrl}`,
    `See what waits: ${status}`,
    'Running: poller, resolver and applier. Ctrl-C ends them.\n',
  ].join('\n');
}
