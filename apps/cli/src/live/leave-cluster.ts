import { CLUSTER_CATALOG_API } from '#core/api/cluster-catalog';
import { CSV_API, CSV_CLEANUP_FINALIZER } from '#core/api/cluster-service-version';
import type { KubernetesObject } from '#core/api/kubernetes-object';
import { joinedClusters, writeJoinedClusters } from '#platform/hub/joined-clusters';
import type { KindRef, KubeClient } from '#platform/kube/kube-client.port';
import { loadClusters } from '#platform/kube/load-clusters';
import { commandSettings } from '../command-settings.js';
import { ExitCode, type Io, UsageError } from '../io.js';
import { lineOf } from './ask-clusters.js';

export type LeaveOptions = Readonly<{ name: string; yes: boolean; force: boolean }>;

/** Finalizers that the hub puts on objects, and that nobody would take off once it is gone (decision 9). */
const FINALIZERS: readonly (readonly [kind: KindRef, finalizer: string])[] = [
  [CSV_API, CSV_CLEANUP_FINALIZER],
  [CLUSTER_CATALOG_API, 'olm.operatorframework.io/delete-server-cache'],
];

type Held = Readonly<{ object: KubernetesObject; kind: KindRef; finalizer: string }>;

/** `flotilla clusters remove`: shows which finalizers would be released; with `yes` releases them and forgets the cluster. */
export async function leaveCluster(io: Io, { name, yes, force }: LeaveOptions): Promise<void> {
  const file = commandSettings(process.env).clustersFile;
  const joined = await joinedClusters(file);
  const access = joined.find(({ context }) => context === name);
  if (access === undefined) throw new UsageError(`no cluster "${name}" in ${file}; flotilla clusters list shows all`);
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
    if (yes) {
      await writeJoinedClusters(
        file,
        joined.filter(({ context }) => context !== name),
      );
      io.out(`cluster ${name} removed from ${file}\n`);
    } else if (reached !== undefined) {
      io.err(`Nothing was changed. End the hub's work there first, then: flotilla clusters remove ${name} --yes\n`);
    }
    io.exit(ExitCode.done);
  } finally {
    await client.close();
  }
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
