import { setTimeout } from 'node:timers/promises';
import { CLUSTER_CATALOG_API } from '#core/kernel/api/cluster-catalog';
import { CSV_API, CSV_CLEANUP_FINALIZER } from '#core/kernel/api/cluster-service-version';
import type { KubernetesObject } from '#core/kernel/api/kubernetes-object';
import { counted } from '#core/kernel/text/counted';
import { joinedClusters, writeJoinedClusters } from '#platform/hub/joined-clusters';
import type { ClusterAccess } from '#platform/kube/access/kubeconfig';
import { loadClusters } from '#platform/kube/access/load-clusters';
import type { KindRef, KubeClient } from '#platform/kube/client/kube-client.port';
import { commandSettings } from '../command-settings.js';
import { didYouMean } from '../did-you-mean.js';
import { ExitCode, type Io, UsageError } from '../io.js';
import { NEXT } from '../output/next-commands.js';
import { lineOf } from './ask-clusters.js';
import { TOKEN_ADVICE } from './ask-hub.js';
import { hubAddresses } from './hub-address.js';
import { hubStatus } from './hub-status.js';
import { hubToken } from './hub-token.js';

export type LeaveOptions = Readonly<{
  name: string;
  yes: boolean;
  force: boolean;
  /** Addresses of the hub that were named; none: where the settings say that it listens. */
  hub: readonly string[];
}>;

/** Finalizers that the hub sets; no other controller removes them when the hub is gone (decision 0109). */
const FINALIZERS: readonly (readonly [kind: KindRef, finalizer: string])[] = [
  [CSV_API, CSV_CLEANUP_FINALIZER],
  [CLUSTER_CATALOG_API, 'olm.operatorframework.io/delete-server-cache'],
];

type Held = Readonly<{ object: KubernetesObject; kind: KindRef; finalizer: string }>;

/**
 * `flotilla clusters remove`: shows which finalizers would be released; with `yes` releases them and
 * removes the cluster from the file. A hub that still manages the cluster would put them back: nothing is
 * done while one is found.
 */
export async function leaveCluster(io: Io, { name, yes, force, hub }: LeaveOptions): Promise<void> {
  const settings = commandSettings(process.env);
  const file = settings.clustersFile;
  const joined = await joinedClusters(file);
  const access = joinedAs(name, joined, file);
  const addresses = hub.length > 0 ? hub : hubAddresses(settings);
  const running = await managingHub(addresses, name, await hubToken(settings));
  if (running !== undefined && yes && !force) {
    io.err(`error: ${name} is not removed: ${running}; --force removes ${name} all the same\n`);
    return io.exit(ExitCode.no);
  }
  const [client] = await loadClusters({ access: [access], fieldManager: 'flotilla' });
  if (client === undefined) return;
  try {
    const reached = await release(client, io, yes).catch((error: unknown) => {
      if (!force) {
        throw new Error(`${lineOf(error)}; --force removes ${name} all the same, and leaves its finalizers`, {
          cause: error,
        });
      }
      io.err(`${name}: its finalizers stay, it was not reached: ${lineOf(error)}\n`);
    });
    if (!yes) {
      const next = `then: ${NEXT.removeCluster(name)}`;
      const first = running === undefined ? 'Stop a hub that manages it first' : running;
      if (reached !== undefined) io.err(`Nothing was changed. ${first}, ${next}\n`);
      return io.exit(ExitCode.done);
    }
    const isReleased = !force && reached !== undefined && reached.length > 0;
    if (isReleased && (await isPutBack(client, io, name))) return io.exit(ExitCode.no);
    await writeJoinedClusters(
      file,
      joined.filter(({ context }) => context !== name),
    );
    io.out(`cluster ${name} removed from ${file}\n`);
    io.exit(ExitCode.done);
  } finally {
    await client.close();
  }
}

function joinedAs(name: string, joined: readonly ClusterAccess[], file: string): ClusterAccess {
  const access = joined.find(({ context }) => context === name);
  if (access !== undefined) return access;
  const hint = didYouMean(
    name,
    joined.map(({ context }) => context),
  );
  throw new UsageError(`no cluster "${name}"${hint} in ${file}; ${NEXT.listClusters()} shows all`);
}

/**
 * Of the first service of a hub at these addresses that manages the cluster, or may: why the cluster stays.
 */
async function managingHub(
  addresses: readonly string[],
  name: string,
  token: string | undefined,
): Promise<string | undefined> {
  const found = await Promise.all(addresses.map((url) => hubStatus(url, token)));
  const service = found.find((one) => one.reached && (one.withheld || one.clusters?.includes(name)));
  if (service === undefined) return undefined;
  const isKnown = service.reached && service.withheld !== true;
  return isKnown
    ? hubText(service.url)
    : `the hub at ${service.url} withholds which clusters it manages; ${TOKEN_ADVICE}`;
}

const hubText = (url: string): string =>
  `the hub at ${url} manages it and would put its finalizers back; stop that hub, and start it again afterwards`;

/** A hub that watches the cluster puts a finalizer back within a second or two. */
const RETURNS_WITHIN_MS = 3_000;

/** Whether finalizers that were released are there again, which is then reported. */
async function isPutBack(client: KubeClient, io: Io, name: string): Promise<boolean> {
  await setTimeout(RETURNS_WITHIN_MS);
  const { length } = await heldObjects(client);
  if (length === 0) return false;
  const why = `a hub that runs put its finalizers back on ${counted(length, 'object')}`;
  io.err(`error: ${name} is not removed: ${why}; stop that hub, then do it again (--force does not wait for it)\n`);
  return true;
}

async function release(client: KubeClient, io: Io, yes: boolean): Promise<readonly Held[]> {
  const held = await heldObjects(client);
  for (const { object, kind, finalizer } of held) {
    const { name = '', namespace, resourceVersion, finalizers = [] } = object.metadata;
    const rest = finalizers.filter((one) => one !== finalizer);
    if (yes) await client.patch({ ...kind, name, namespace }, { metadata: { resourceVersion, finalizers: rest } });
    const where = namespace === undefined ? name : `${namespace}/${name}`;
    io.out(`${kind.kind} ${where}: finalizer ${finalizer} ${yes ? 'released' : 'would be released'}\n`);
  }
  if (held.length === 0) io.out(`no object of ${client.cluster} carries a finalizer of the hub\n`);
  io.out('Operators, their objects and OLM’s kinds stay as they are.\n');
  return held;
}

async function heldObjects(client: KubeClient): Promise<readonly Held[]> {
  const lists = await Promise.all(
    FINALIZERS.map(async ([kind, finalizer]) => {
      const list = await client.list(kind);
      return (list?.items ?? [])
        .filter(({ metadata }) => metadata.finalizers?.includes(finalizer))
        .map((object) => ({ object, kind, finalizer }));
    }),
  );
  return lists.flat();
}
