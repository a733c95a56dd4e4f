import { CLUSTER_EXTENSION_API } from '#core/kernel/api/cluster-extension';
import { CLUSTER_OBJECT_SET_API } from '#core/kernel/api/cluster-object-set';
import type { KubernetesObject } from '#core/kernel/api/kubernetes-object';
import { extensionStatusOf, statusEvents } from '#core/v1/extension/report-extension';
import { OLM_FINALIZERS } from '#core/v1/revision/revision-keys';
import { hasSucceeded, isArchived } from '#core/v1/revision/revision-states';
import type { Clock } from '#platform/clock/clock.port';
import type { KubeClient } from '#platform/kube/client/kube-client.port';
import type { ClusterReads } from '../engine/passes/pass-reader.js';
import { perform } from '../engine/passes/perform.js';
import { type PassOutcome, reconcile } from '../engine/passes/reconcile-loop.js';
import { reportRefusedRead } from '../engine/passes/report-refused-read.js';
import {
  AT_REST,
  joined,
  MOVED,
  type RoundInput,
  type Stage,
  type StageOutcome,
  waitFor,
} from '../engine/passes/stage.js';
import { tenantOf } from '../engine/passes/tenant.js';
import { type FollowOutcome, followDesiredState } from './desired/follow-desired-state.js';
import { markMigrated } from './desired/helm-release.js';
import type { ExtensionDeps } from './extensions/extension-deps.js';
import type { ExtensionPass, RevisionsRead } from './extensions/extension-pass.js';
import { performOnOwn } from './extensions/perform-on-own.js';
import { type ExtensionRead, readExtension } from './extensions/read-extension.js';
import { repairOwners } from './revisions/make-revision.js';
import { readObjectSet } from './revisions/read-object-set.js';
import { reconcileRevisions } from './revisions/reconcile-revisions.js';

/**
 * A ClusterObjectSet without an extension is not watched as others are: the pause until it
 * has rolled out, and after.
 */
const LONE_SET_MS = { unfinished: 2_000, finished: 30_000 } as const;

/**
 * A ClusterExtension, or a ClusterObjectSet; `client` writes there, `reads` may be shared with other passes.
 */
type NamedPlace = Readonly<{ client: KubeClient; reads: ClusterReads; name: string }>;

/** Reconciles one ClusterExtension. */
export const reconcileExtension = async (
  deps: ExtensionDeps,
  { client, reads, name }: NamedPlace,
  clock: Clock,
  signal: AbortSignal,
): Promise<PassOutcome> => {
  const stages = stagesOfExtension(deps);
  const read = (reader: RoundInput['reader']) => readExtension(reader, name, deps.systemNamespace);
  const outcome = await reconcile({ client, reads, read, stages }, clock, signal);
  return reportRefusedRead(outcome, { ...CLUSTER_EXTENSION_API, name }, { client, clock });
};

/** Reconciles one ClusterObjectSet without a ClusterExtension. */
export const reconcileObjectSet = async (
  deps: ExtensionDeps,
  { client, reads, name }: NamedPlace,
  clock: Clock,
  signal: AbortSignal,
): Promise<PassOutcome> => {
  const read = (reader: RoundInput['reader']) => readObjectSet(reader, name, deps);
  const outcome = await reconcile({ client, reads, read, stages: () => [loneSetStage(deps)] }, clock, signal);
  return reportRefusedRead(outcome, { ...CLUSTER_OBJECT_SET_API, name }, { client, clock });
};

/** The stages of one round: the status reports the result of following the desired state in this round. */
const stagesOfExtension =
  (deps: ExtensionDeps) =>
  ({ extension, revisions }: ExtensionRead): readonly Stage<ExtensionRead>[] => {
    if (extension.metadata.deletionTimestamp !== undefined) {
      return [(input) => releaseFinalizers(input, [extension, ...revisions])];
    }
    const passOf = (input: Parameters<Stage<ExtensionRead>>[0]): ExtensionPass => ({
      ...input,
      deps,
      writer: writerOf(input.client, input.read),
    });
    let desired: FollowOutcome | undefined;
    return [
      async (input) => {
        await repairOwners(passOf(input));
        return AT_REST;
      },
      (input) => markMigrated(passOf(input)),
      async (input) => {
        desired = await followDesiredState(passOf(input));
        return desired;
      },
      (input) => reconcileRevisions(passOf(input)),
      async (input) => (desired === undefined ? AT_REST : reportStatus(passOf(input), desired)),
    ];
  };

/**
 * Returns the client that writes the objects. If the extension names a service account, it writes in that
 * account's name (why: extensions.md "`serviceAccount` of a ClusterExtension").
 */
function writerOf(client: KubeClient, { extension }: ExtensionRead): KubeClient {
  const { namespace, serviceAccount } = extension.spec;
  return serviceAccount?.name ? tenantOf(client, { namespace, name: serviceAccount.name }) : client;
}

/** Rolls out and keeps a ClusterObjectSet of a user or another tool, on a timer alone. */
const loneSetStage =
  (deps: ExtensionDeps): Stage<RevisionsRead> =>
  async (input) => {
    const [set] = input.read.revisions;
    if (set === undefined) return AT_REST;
    if (set.metadata.deletionTimestamp !== undefined) return releaseFinalizers(input, [set]);
    // Its extension has just been deleted: the set goes too, and none of its objects may
    // be made again meanwhile.
    if (set.metadata.ownerReferences?.some(({ kind }) => kind === CLUSTER_EXTENSION_API.kind)) return AT_REST;
    const outcome = await reconcileRevisions({ ...input, deps, writer: input.client });
    const pause = isArchived(set) || hasSucceeded(set) ? LONE_SET_MS.finished : LONE_SET_MS.unfinished;
    return joined(outcome, waitFor('changes of a ClusterObjectSet that is not watched', pause));
  };

/**
 * Removes OLM's finalizers. All objects belong to the extension by owner references and are deleted with it.
 * Finalizers of a real OLM v1 guard its own caches and watches, which no longer exist.
 */
async function releaseFinalizers(input: RoundInput, objects: readonly KubernetesObject[]): Promise<StageOutcome> {
  const held = objects.flatMap((object) => {
    const { finalizers = [], name = '', resourceVersion } = object.metadata;
    const left = finalizers.filter((finalizer) => !OLM_FINALIZERS.includes(finalizer));
    if (left.length === finalizers.length) return [];
    const ref = { apiVersion: object.apiVersion, kind: object.kind, name };
    return [{ do: 'patch' as const, ref, patch: { metadata: { resourceVersion, finalizers: left } } }];
  });
  await performOnOwn(input, held);
  return AT_REST;
}

async function reportStatus(pass: ExtensionPass, desired: FollowOutcome): Promise<StageOutcome> {
  const { extension, states } = pass.read;
  if (desired.unsolved) return AT_REST; // no solution yet: the status stays as it is, rather than report Unknown
  const { trouble, deprecation, note } = desired;
  const status = extensionStatusOf(extension, { states, trouble, deprecation, note }, pass.now);
  const object = { ...extension, ...CLUSTER_EXTENSION_API, status };
  if (!(await performOnOwn(pass, [{ do: 'updateStatus', object }], [extension]))) return AT_REST;
  await perform(pass, statusEvents(extension, status));
  return MOVED;
}
