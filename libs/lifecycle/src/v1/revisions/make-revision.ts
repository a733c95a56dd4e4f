import { gzipSync } from 'node:zlib';
import type { Action } from '#core/kernel/actions/action';
import { CLUSTER_OBJECT_SET_API, ClusterObjectSet } from '#core/kernel/api/cluster-object-set';
import { KIND } from '#core/kernel/api/kinds';
import { type KubernetesObject, refOf } from '#core/kernel/api/kubernetes-object';
import { readForeign } from '#core/kernel/verdict/read-foreign';
import { buildRevision, type DesiredRevision } from '#core/v1/revision/build-revision';
import { OWNER_NAME_LABEL, REVISION_NAME_LABEL } from '#core/v1/revision/revision-keys';
import { requireLive } from '../../engine/passes/perform.js';
import type { ExtensionPass } from '../extensions/extension-pass.js';
import { performOnOwn } from '../extensions/perform-on-own.js';

/** Archived revisions that are kept (spec: v1-apply.md §7, "New revision"). */
const HISTORY = 5;

/**
 * Stores the next revision: its manifests first, then itself, then it becomes the owner of the manifests.
 * Until it is their owner, the extension owns the manifests: they go with it, whenever it is deleted and
 * wherever a pass ends. Deletes the oldest revisions. Stores nothing if one of the manifests is too large.
 *
 * Returns `gone` if the revision has been deleted meanwhile, as happens with its extension. Returns
 * `collecting` if a Secret of that name, of an earlier extension, is still being deleted.
 */
export async function makeRevision(
  pass: ExtensionPass,
  desired: DesiredRevision,
): Promise<
  | Readonly<{ revision: ClusterObjectSet }>
  | Readonly<{ error: string }>
  | Readonly<{ gone: true }>
  | Readonly<{ collecting: true }>
> {
  requireLive(pass, 'a new revision');
  const { client, read, deps } = pass;
  const { systemNamespace } = deps;
  const number = read.states.highestNumber + 1;
  const plan = buildRevision(read.extension, number, desired, { systemNamespace, compress: gzipSync });
  if ('error' in plan) return plan;
  const { revision, secrets } = plan;
  const namespace = { ...KIND.Namespace, metadata: { name: systemNamespace } };
  await performOnOwn(
    pass,
    [namespace, ...secrets].map((object) => ({ do: 'create', object })),
  );
  const live = await Promise.all(secrets.map((secret) => client.get(refOf(secret))));
  if (live.some((secret) => isLeaving(secret, read.extension.metadata.uid))) return { collecting: true };
  await performOnOwn(pass, [{ do: 'create', object: revision }]);
  const found = await client.get({ ...CLUSTER_OBJECT_SET_API, name: revision.metadata.name ?? '' });
  if (found === undefined) return { gone: true };
  const made = readForeign(ClusterObjectSet, { ...found, ...CLUSTER_OBJECT_SET_API });
  if ('problem' in made) return { error: `revision ${revision.metadata.name} cannot be read: ${made.problem}` };
  const stored = made.value;
  const owned = secrets.map((secret) => ownedBy(secret, stored));
  await performOnOwn(pass, [...owned, ...forgotten(pass)]);
  return { revision: stored };
}

/**
 * True if the garbage collector removes it, now or soon: it belongs to an extension or a revision that is
 * gone.
 */
function isLeaving(secret: KubernetesObject | undefined, extension: string | undefined): boolean {
  if (secret === undefined || secret.metadata.deletionTimestamp !== undefined) return true;
  const { ownerReferences: owners = [] } = secret.metadata;
  return owners.length > 0 && !owners.some(({ uid }) => uid === extension);
}

/**
 * Secrets of revisions that were stored by a pass that ended before it could set their owner; and
 * those without a revision.
 */
export async function repairOwners(pass: ExtensionPass): Promise<void> {
  const { revisions, secrets, name } = pass.read;
  const actions = [...secrets.values()].flatMap((secret) => {
    const of = secret.metadata.labels?.[REVISION_NAME_LABEL];
    const revision = revisions.find(({ metadata }) => metadata.name === of);
    const isOwned = secret.metadata.ownerReferences?.some(({ uid }) => uid === revision?.metadata.uid);
    if (revision === undefined || isOwned || secret.metadata.labels?.[OWNER_NAME_LABEL] !== name) return [];
    return [ownedBy(secret, revision)];
  });
  await performOnOwn(pass, actions);
}

const ownedBy = (secret: KubernetesObject, { metadata }: ClusterObjectSet): Action => ({
  do: 'patch',
  ref: refOf({ ...secret, ...KIND.Secret }),
  patch: {
    metadata: {
      ownerReferences: [
        {
          ...CLUSTER_OBJECT_SET_API,
          name: metadata.name ?? '',
          uid: metadata.uid ?? '',
          controller: true,
          blockOwnerDeletion: true,
        },
      ],
    },
  },
});

const forgotten = ({ read }: ExtensionPass): Action[] =>
  read.states.archived.slice(0, -HISTORY).map(({ metadata }) => ({
    do: 'delete',
    ref: { ...CLUSTER_OBJECT_SET_API, name: metadata.name ?? '' },
    propagation: 'Background',
    uid: metadata.uid,
  }));
