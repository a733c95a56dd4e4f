import { setTimeout } from 'node:timers/promises';
import { OWNER_ANNOTATION } from '#core/cluster/joining/cluster-owner';
import { counted } from '#core/kernel/text/counted';
import { changeJoinedCluster, joinedClusters, writeJoinedClusters } from '#platform/clusters/joined-clusters';
import { parseDuration } from '#platform/config/duration';
import type { Settings } from '#platform/config/settings';
import { type HeldObject, heldObjects, releaseObjects } from '#platform/joining/hub-finalizers';
import { loadClusters } from '#platform/kube/access/load-clusters';
import type { KubeClient } from '#platform/kube/client/kube-client.port';
import { lineOf } from '../../clusters/ask-clusters.js';
import { hubOfSettings, readOwner, writeOwner } from '../../clusters/cluster-owner.js';
import { commandPlugins } from '../../clusters/command-plugins.js';
import { reportRelease } from '../../clusters/report-release.js';
import { TOKEN_ADVICE } from '../../hub/ask-hub.js';
import { commandSettings } from '../../hub/command-settings.js';
import { hubAddresses } from '../../hub/hub-address.js';
import { hubStatus } from '../../hub/hub-status.js';
import { hubToken } from '../../hub/hub-token.js';
import { NEXT } from '../../output/next-commands.js';
import { ExitCode, type Io, UsageError } from '../../terminal/io.js';
import { joinedAs } from './joined-cluster.js';

export type LeaveOptions = Readonly<{
  name: string;
  yes: boolean;
  force: boolean;
  /** Longest time for a hub to leave the cluster: a duration such as `30s`. */
  timeout: string;
  /** Addresses of the hub that the user named; none: the address that the settings give. */
  hub: readonly string[];
}>;

/**
 * Runs `flotilla clusters remove`: shows the finalizers that would be released. With `yes` the hub leaves the
 * cluster first. Then the command releases the finalizers, and removes the cluster from the file. A hub that
 * does not leave would put them back: then the cluster stays.
 */
export async function leaveCluster(io: Io, { name, yes, force, timeout, hub }: LeaveOptions): Promise<void> {
  const withinMs = parseDuration(timeout);
  if (withinMs === undefined) throw new UsageError(`invalid --timeout "${timeout}": expected a duration such as 30s`);
  const settings = commandSettings(process.env);
  const file = settings.clustersFile;
  const access = joinedAs(name, await joinedClusters(file), file);
  const addresses = hub.length > 0 ? hub : hubAddresses(settings);
  const managing = managingHub(addresses, name, await hubToken(settings));
  const [client] = await loadClusters({
    access: [access],
    fieldManager: 'flotilla',
    plugins: commandPlugins(commandSettings(process.env)),
  });
  if (client === undefined) return;
  try {
    const begun = await managing();
    if (!yes) return await show(io, client, begun);
    if (begun?.withheld && !force) {
      io.err(`error: ${name} is not removed: ${begun.text}; remove it nevertheless with --force\n`);
      return io.exit(ExitCode.no);
    }
    // Checked before the hub leaves the cluster.
    const isReached = await reach(io, client, force);
    if (!force && !(await isLeft({ io, name, file, withinMs, begun, managing }))) return io.exit(ExitCode.no);
    const held = isReached ? await release(client, io) : [];
    if (!force && held.length > 0 && (await isPutBack(client, io, name))) return io.exit(ExitCode.no);
    if (isReached) await giveUp(client, io, settings);
    const others = (await joinedClusters(file)).filter(({ context }) => context !== name);
    await writeJoinedClusters(file, others);
    io.out(`cluster ${name} removed from ${file}\n`);
    io.exit(ExitCode.done);
  } finally {
    await client.close();
  }
}

async function show(io: Io, client: KubeClient, managing: Managing | undefined): Promise<void> {
  const { cluster: name } = client;
  const held = await heldObjects(client).catch((error: unknown) => unreached(name, error));
  reportRelease(io, client, held, false);
  const first = managing === undefined ? '' : ` (${managing.text} and leaves it first)`;
  io.err(`Nothing was changed${first}. To remove the cluster: ${NEXT.removeCluster(name)}\n`);
  io.exit(ExitCode.done);
}

/** True if the cluster answers. With `force` a missing answer is only reported. */
async function reach(io: Io, client: KubeClient, force: boolean): Promise<boolean> {
  const { cluster: name } = client;
  try {
    await heldObjects(client);
    return true;
  } catch (error) {
    if (!force) return unreached(name, error);
    io.err(`${name}: its finalizers stay because it is unreachable: ${lineOf(error)}\n`);
    return false;
  }
}

function unreached(name: string, error: unknown): never {
  const text = `${lineOf(error)}; remove ${name} nevertheless with --force, which leaves its finalizers`;
  throw new Error(text, { cause: error });
}

/**
 * Removes the owner from a cluster, so that the next hub finds none. Leaves the cluster as it is if another
 * hub manages it.
 */
async function giveUp(client: KubeClient, io: Io, settings: Settings): Promise<void> {
  const hub = await hubOfSettings(settings);
  const owner = await readOwner(client).catch(() => undefined);
  if (owner === undefined || hub === undefined || ![hub.id, ...hub.older].includes(owner.holder)) return;
  await writeOwner(client, owner, undefined);
  io.out(`Namespace kube-system: annotation ${OWNER_ANNOTATION} removed\n`);
}

type Managing = Readonly<{ text: string; withheld: boolean }>;
type Leaving = Readonly<{
  io: Io;
  name: string;
  file: string;
  withinMs: number;
  begun: Managing | undefined;
  managing: () => Promise<Managing | undefined>;
}>;

const ASK_EVERY_MS = 500;

/** Makes the hub leave the cluster. If it does not, reports that the cluster stays managed. */
async function isLeft({ io, name, file, withinMs, begun, managing }: Leaving): Promise<boolean> {
  await changeJoinedCluster(file, name, { leaving: true });
  if (begun === undefined) return true;
  io.err(`${begun.text}; it leaves the cluster now …\n`);
  for (let waited = 0; waited < withinMs; waited += ASK_EVERY_MS) {
    await setTimeout(ASK_EVERY_MS);
    if ((await managing()) === undefined) return true;
  }
  await changeJoinedCluster(file, name, { leaving: false });
  const why = `${begun.text} still, and would put its finalizers back; its kubeconfig may be another than ${file}`;
  io.err(`error: ${name} is not removed: ${why}; stop that hub, or remove ${name} nevertheless with --force\n`);
  return false;
}

/** Finds the first service at these addresses that manages the cluster, or that does not say. */
const managingHub = (addresses: readonly string[], name: string, token: string | undefined) => async () => {
  const found = await Promise.all(addresses.map((url) => hubStatus(url, token)));
  const service = found.find((one) => one.reached && (one.withheld || one.clusters?.includes(name)));
  if (service === undefined) return undefined;
  const withheld = service.reached && service.withheld === true;
  const text = withheld
    ? `the hub at ${service.url} does not list its clusters without a token; ${TOKEN_ADVICE}`
    : `the hub at ${service.url} manages it`;
  return { text, withheld };
};

/** A hub that watches the cluster puts a finalizer back within a second or two. */
const RETURNS_WITHIN_MS = 3_000;

/** True if the hub has set released finalizers again. Reports them. */
async function isPutBack(client: KubeClient, io: Io, name: string): Promise<boolean> {
  await setTimeout(RETURNS_WITHIN_MS);
  const { length } = await heldObjects(client);
  if (length === 0) return false;
  const why = `a running hub restored its finalizers on ${counted(length, 'object')}`;
  io.err(`error: ${name} is not removed: ${why}; stop that hub and try again (--force does not wait for the hub)\n`);
  return true;
}

async function release(client: KubeClient, io: Io): Promise<readonly HeldObject[]> {
  const held = await heldObjects(client);
  await releaseObjects(client, held);
  reportRelease(io, client, held, true);
  return held;
}
