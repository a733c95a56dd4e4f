import { APPLIER, POLLER } from '#core/kernel/actions/field-managers';
import { counted } from '#core/kernel/text/counted';
import { openLiveController } from '#lifecycle/rollouts/controller/open-live-controller';
import { openNotifier } from '#lifecycle/rollouts/notifications/open-notifier';
import { SystemClock } from '#platform/clock/system-clock';
import { managedClusters } from '#platform/clusters/managed-clusters';
import { ownLogins } from '#platform/clusters/own-logins';
import { FleetPlaceError, fleetPlace } from '#platform/config/fleet-place';
import { unknownSettings } from '#platform/config/settings';
import { FleetFolder } from '#platform/fleet/folder/fleet-folder';
import { FleetFolderError } from '#platform/fleet/folder/fleet-folder.error';
import { openFleetHub, openSecretClusters } from '#platform/fleet/open-fleet-hub';
import type { SecretClusters } from '#platform/fleet/secret-clusters';
import { type Hub, openHub } from '#platform/hub/hub';
import { hubIdentity } from '#platform/hub/hub-identity';
import { HubLock, HubRunsAlready } from '#platform/hub/hub-lock';
import { claimsBeside } from '#platform/hub/kept-claims';
import { HubKey } from '#platform/keys/hub-key';
import { ClusterConfigError } from '#platform/kube/access/cluster-config.error';
import { kubectlFiles, NO_KUBECONFIG } from '#platform/kube/access/load-clusters';
import type { KubeClient } from '#platform/kube/client/kube-client.port';
import type { ClusterRegistry } from '#platform/membership/cluster-registry';
import { collectAtRest } from '#platform/processes/collect-at-rest';
import { boundGarbage } from '#platform/processes/service-memory';
import { type FoundRedis, namedRedis } from '#platform/redis/local/find-redis';
import { startOn } from '#platform/service/run-main';
import type { RunningService } from '#platform/service/run-service';
import { createLog } from '#platform/telemetry/log';
import type { Log } from '#platform/telemetry/log.port';
import { PlainLog } from '#platform/telemetry/plain-log';
import { usablePort } from '../../hub/usable-port.js';
import { NEXT } from '../../output/next-commands.js';
import { ExitCode, type Io, UsageError } from '../../terminal/io.js';
import { stopSignal } from '../../terminal/stop-signals.js';
import { accessOf, accessToAll } from './access-options.js';
import { allServices, type FleetOfServices } from './all-services.js';
import { ClusterWatch } from './cluster-watch.js';
import { startConsole } from './start-console.js';
import { type UpOptions, type UpSettings, upSettings } from './up-settings.js';

const GRACE_MS = 10_000;
const A_DAY_MS = 86_400_000;
type Endings = (() => Promise<unknown>)[];
type Start = Readonly<{
  io: Io;
  up: UpSettings;
  log: Log;
  key: HubKey;
  lock: HubLock;
  registry: ClusterRegistry;
  secrets: SecretClusters | undefined;
  folder: FleetFolder | undefined;
  endings: Endings;
  withConsole: boolean;
}>;

/**
 * Runs `flotilla up`: all services in this process until it is asked to stop. Installed objects stay as they
 * are.
 */
export async function runUp(io: Io, options: UpOptions): Promise<void> {
  boundGarbage();
  collectAtRest({ clock: new SystemClock() });
  const up = upSettings(options, process.env);
  const log = createLog({ service: 'up', level: up.settings.logLevel, destination: logDestination(io) });
  const endings: Endings = [];
  let lost: Error | undefined;
  // Between two steps there may be nothing else that Node waits for, such as a connection to Redis.
  const stays = setInterval(() => undefined, A_DAY_MS);
  const stop = stopSignal(up.settings.shutdownTimeout + GRACE_MS, () => io.err('error: could not end in time\n'));
  try {
    const folder = await folderOf(log, up);
    if (folder !== undefined) endings.push(() => folder.stop());
    const { registry, secrets } = await clustersOf(log, up, folder);
    endings.push(() => registry.close());
    // The key is opened after the kubeconfigs were read: other processes of this machine then do not decide
    // the reported fault.
    const key = await keyOf(up.settings);
    const lock = await lockOf(up, key);
    endings.push(() => lock.stop());
    await start({ io, up, log, key, lock, registry, secrets, folder, endings, withConsole: options.console });
    const losses = [lock.whenLost, ...(folder === undefined ? [] : [folder.whenLost])];
    lost = await Promise.race([stop.then(() => undefined), ...losses]);
    if (lost !== undefined) io.err(`error: ${lost.message}: this hub stops\n`);
    io.out('Stopping: running work is finished first (press Ctrl-C again to stop at once)\n');
  } finally {
    for (const end of endings.reverse()) await end();
    clearInterval(stays);
  }
  io.out('Stopped. Installed operators keep running; "flotilla up" continues from here.\n');
  io.exit(lost === undefined ? ExitCode.done : ExitCode.remoteFailed);
}

async function start({ io, up, log, key, lock, ...given }: Start): Promise<void> {
  const { registry, secrets, folder, endings, withConsole } = given;
  const catalogPollerPort = await usablePort(up.settings.catalogPollerPort, up.settings.bindAddress);
  const settings = { ...up.settings, catalogPollerPort };
  const redis = settings.redisUrl === '' ? undefined : await namedRedis(settings.redisUrl, process.env);
  for (const name of unknownSettings(process.env)) log.warn({ name }, 'no such setting; see docs/settings.md');
  const hub = await openHub({ service: 'up', settings, log, store: redis ?? 'memory', key });
  endings.push(() => hub.close());
  if (folder !== undefined) await use(folder, io);
  const clients = registry.allClients(APPLIER);
  if (isUnnamed(up) && (folder?.contexts ?? []).length === 0) io.out(UNNAMED);
  io.out(header(clients));
  const isObserved = (cluster: string) => registry.of(APPLIER).isObserved(cluster);
  const mayPrepare = (cluster: string, identity: string | undefined) => registry.mayPrepare(cluster, identity);
  const access = accessOf((name) => registry.allClients(APPLIER).find(({ cluster }) => cluster === name)?.login);
  const watch = new ClusterWatch(clients, settings, io, {
    ...{ mayPrepare, isObserved, hub: hub.identity, instance: hub.instance },
    access,
  });
  endings.push(async () => watch.stop());
  await watch.firstCheck();
  const [poller, applier] = [registry.of(POLLER), registry.of(APPLIER)];
  const fleet = await fleetOf(hub, up, secrets, folder);
  const renewals = ownLogins(hub, registry, fleet?.applier);
  const parts = allServices(settings, { poller, applier, registry, renewals, access }, fleet);
  const service = await startOn(hub, 'flotilla', parts);
  endings.push(() => service.stop());
  await lock.runsAt(service.url);
  const unsubscribe = applier.subscribe((changes) => watch.note(changes));
  endings.push(async () => unsubscribe());
  const console = withConsole ? await startConsole(hub, endings) : '';
  const contexts = [...up.named.contexts, ...(folder?.contexts ?? [])];
  io.out(footer(service, up, accessToAll({ ...up.named, contexts }), [console, workWaits(redis)]));
}

/** Takes the folder into use. Waits if another hub may still use it. */
async function use(folder: FleetFolder, io: Io): Promise<void> {
  if (!folder.isSure) io.out('Another hub of this folder may still run: waiting for a moment\n');
  try {
    await folder.makeSure();
    folder.start();
  } catch (error) {
    throw error instanceof FleetFolderError ? new UsageError(error.message) : error;
  }
}

/** The fleet that the settings name; a place that cannot be used is the user's mistake. */
async function fleetOf(
  hub: Hub,
  { settings, kubeconfigs }: UpSettings,
  credentials: SecretClusters | undefined,
  folder: FleetFolder | undefined,
): Promise<FleetOfServices | undefined> {
  const named = { ...(kubeconfigs.length === 0 ? {} : { kubeconfigs }), folder };
  try {
    const [controller, notifier, poller, applier] = await Promise.all([
      openLiveController(hub, named),
      openNotifier(hub, named),
      openFleetHub(settings, { fieldManager: POLLER, ...named }),
      openFleetHub(settings, { fieldManager: APPLIER, ...named }),
    ]);
    return controller && poller && applier && { controller, notifier, poller, applier, credentials, folder };
  } catch (error) {
    if (error instanceof ClusterConfigError || error instanceof FleetPlaceError) throw new UsageError(error.message);
    throw error;
  }
}

/** The folder that the settings name as the fleet, for this process alone. */
async function folderOf(log: Log, { settings }: UpSettings): Promise<FleetFolder | undefined> {
  try {
    const place = fleetPlace(settings.fleet);
    if (place?.in !== 'folder') return undefined;
    return await FleetFolder.open({ path: place.path, clock: new SystemClock(), log });
  } catch (error) {
    if (error instanceof FleetFolderError || error instanceof FleetPlaceError) throw new UsageError(error.message);
    throw error;
  }
}

/** One process of this user is the hub with this identity: two would write in turns. */
async function lockOf({ settings }: UpSettings, key: HubKey): Promise<HubLock> {
  const identity = await hubIdentity(settings, key);
  try {
    return await HubLock.take({ id: identity?.id, settings, clock: new SystemClock() });
  } catch (error) {
    throw error instanceof HubRunsAlready ? new UsageError(error.message) : error;
  }
}

/** A key that ends with the process would not recognise the plans of an earlier run. */
const keyOf = async ({ hubKeyFile, foreignInstallPlans }: UpSettings['settings']): Promise<HubKey> =>
  hubKeyFile === '' && foreignInstallPlans === 'accept' ? HubKey.random() : HubKey.open(hubKeyFile);

/** The clusters that are named, and those that the hub API has Secrets for, or the fleet's files name. */
async function clustersOf(
  log: Log,
  { kubeconfigs, contexts, settings }: UpSettings,
  folder: FleetFolder | undefined,
): Promise<Pick<Start, 'registry' | 'secrets'>> {
  try {
    const clock = new SystemClock();
    const named = { ...(kubeconfigs.length === 0 ? {} : { kubeconfigs }), folder };
    const hub = await openFleetHub(settings, { fieldManager: APPLIER, ...named });
    const secrets = await openSecretClusters(hub, { settings, clock, log });
    const fieldManagers = [POLLER, APPLIER];
    const more = folder === undefined ? {} : { more: () => folder.contexts };
    const claims = claimsBeside(settings.clustersFile, log);
    const people = { kubectlFiles: kubectlFiles(process.env) };
    const common = { fieldManagers, contexts, kubeconfigs, clock, log, secrets, claims, ...people };
    const registry = await managedClusters(settings, { ...common, ...more });
    folder?.withClusters(() => namedElsewhere(folder, registry, { kubeconfigs, contexts }));
    if (registry.allClients(APPLIER).length > 0) return { registry, secrets };
  } catch (error) {
    if (error instanceof FleetPlaceError) throw new UsageError(error.message);
    if (!(error instanceof ClusterConfigError)) throw error;
    throw new UsageError(error.message === NO_KUBECONFIG ? `${error.message}\n${WITHOUT_CLUSTERS}` : error.message);
  }
  throw new UsageError(`no context in ${kubeconfigs.join(', ')}: name a kubeconfig with a context with --kubeconfig`);
}

/** The clusters that the command line names, as it does without a fleet. */
function namedElsewhere(
  folder: FleetFolder,
  registry: ClusterRegistry,
  { kubeconfigs, contexts }: Pick<UpSettings, 'kubeconfigs' | 'contexts'>,
): readonly string[] {
  if (contexts.length > 0) return contexts;
  const isAll = kubeconfigs.length > 0 || folder.contexts.length === 0;
  return isAll ? registry.allClients(APPLIER).map(({ cluster }) => cluster) : [];
}

const header = ({ length }: readonly KubeClient[]): string => `Flotilla manages ${counted(length, 'cluster')}:\n`;

/** Names the place of work. It is never the truth: the next hub finds the work in the clusters. */
const workWaits = (redis: FoundRedis | undefined): string =>
  redis === undefined
    ? 'Queues are in the memory of this process and are rebuilt from the clusters; to keep them in Redis: --redis URL'
    : `Queues are in Redis: ${redis.how}`;
/** Text for a user who started the hub without naming a cluster. */
const UNNAMED = `No cluster was named, so these are those of "flotilla clusters add", else the current context of kubectl.
Name others with --context, or a file with --kubeconfig; "flotilla up --help" says more.
`;
/** Text for a user who started the hub on a machine without a kubeconfig. */
const WITHOUT_CLUSTERS = `
"flotilla up" runs the whole hub on this machine until Ctrl-C, for clusters of yours. A cluster where OLM is at work is left alone.
  ${NEXT.tryWithoutClusters()}                                  see it at work on two simulated clusters
  ${NEXT.upWith('FILE', 'NAME')}   manage a cluster of yours
  ${NEXT.examine()}                                check this machine for a hub`;
const isUnnamed = ({ kubeconfigs, contexts }: UpSettings): boolean => kubeconfigs.length === 0 && contexts.length === 0;

/** Lines for people on a terminal; JSON for log collectors. */
const logDestination = (io: Io): Readonly<{ write: (text: string) => void }> =>
  io.isTerminal === true ? new PlainLog(io.err) : { write: io.err };

/** Returns the last lines of the start. They name the hub if `flotilla status` would ask elsewhere. */
function footer(
  { url, metricsUrl }: RunningService,
  { usualHub, settings: { fleet } }: UpSettings,
  access: readonly string[],
  first: readonly string[],
): string {
  const status = NEXT.status(url === usualHub ? undefined : url, access);
  return [
    ...first.filter((line) => line !== ''),
    `Health ${url}/healthz · metrics ${metricsUrl}`,
    `See waiting objects: ${status}`,
    `Running: poller, resolver${fleet === '' ? ' and applier' : ', applier and fleet controller'}. Press Ctrl-C to stop.\n`,
  ].join('\n');
}
