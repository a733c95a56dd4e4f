import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { KIND } from '#core/kernel/api/kinds';
import type { KubernetesObject } from '#core/kernel/api/kubernetes-object';
import { phasesOf } from '#core/v1/bundle-render/phases';
import { stampConditions } from '#core/v1/extension/stamp-conditions';
import { type HelmRelease, readRelease } from '#core/v1/helm-release/read-release';
import {
  deployedRelease,
  furtherChunks,
  releaseBytes,
  releaseLabels,
  releaseSelector,
} from '#core/v1/helm-release/release-secrets';
import { type DesiredRevision, ownedPhases } from '#core/v1/revision/build-revision';
import { fitPhases } from '#core/v1/revision/fit-phases';
import { MIGRATED } from '#core/v1/revision/revision-conditions';
import { MIGRATED_FROM_HELM_LABEL } from '#core/v1/revision/revision-keys';
import { hasSucceeded, isArchived } from '#core/v1/revision/revision-states';
import { isRefusal } from '../../engine/passes/refusal.js';
import { AT_REST, MOVED, type StageOutcome } from '../../engine/passes/stage.js';
import type { ExtensionPass } from '../extensions/extension-pass.js';
import { performOnOwn } from '../extensions/perform-on-own.js';

/** Manifests and chart of a bundle of the largest size, several times over. */
const MOST_RELEASE_BYTES = 64 * 2 ** 20;

/** The revision that a Helm release of OLM v1 becomes, or why it cannot. */
export type ReleaseRevision = Readonly<{ desired: DesiredRevision }> | Readonly<{ error: string }>;

/**
 * Returns the first revision of an extension without revisions, made from the Helm release by which OLM v1
 * has installed it (spec: v1-apply.md §7, "Migration from Helm"; why: extensions.md "Helm releases become
 * revisions"). Undefined if there is no such release, or none of the bundle that the extension's status calls
 * installed.
 */
export async function releaseRevision(pass: ExtensionPass): Promise<ReleaseRevision | undefined> {
  const { name, extension, revisions } = pass.read;
  if (revisions.length > 0) return undefined;
  const namespace = await releaseNamespace(pass);
  const index = deployedRelease(await indexSecrets(pass, namespace), extension.metadata.uid);
  if (index === undefined) return undefined;
  const place = `${namespace}/${index.metadata.name}`;
  const release = await unpacked(pass, index, namespace);
  if ('error' in release) {
    return { error: `the Helm release of OLM v1 in Secret ${place} cannot be taken over: ${release.error}` };
  }
  const installed = extension.status?.install?.bundle;
  const { bundle } = release.from;
  if (installed === undefined) {
    const why = `status.install does not name bundle ${bundle.name}, so it may not be the running bundle`;
    const way = 'let operator-controller write its status once more, or delete that Secret';
    return { error: `the Helm release of OLM v1 in Secret ${place} is not taken over: ${why}; ${way}` };
  }
  // A leftover of an earlier time: a newer bundle runs now.
  if (installed.name !== bundle.name || installed.version !== bundle.version) return undefined;
  return desiredOf(name, extension.spec.source.catalog?.packageName ?? '', release, place);
}

/** Returns the namespace in which OLM v1 keeps releases in this cluster. Secrets are believed only there. */
async function releaseNamespace({ client, deps }: ExtensionPass): Promise<string> {
  if (deps.helmReleaseNamespace !== '') return deps.helmReleaseNamespace;
  return (await client.serves(KIND.ClusterVersion)) ? 'openshift-operator-controller' : 'olmv1-system';
}

async function indexSecrets({ reader, read }: ExtensionPass, namespace: string): Promise<readonly KubernetesObject[]> {
  try {
    return await reader.list(KIND.Secret, { namespace, labelSelector: releaseSelector(read.name) });
  } catch (error) {
    // A hub that was given fewer rights takes nothing over.
    if (isRefusal(error)) return [];
    throw error;
  }
}

async function unpacked(
  { reader }: ExtensionPass,
  index: KubernetesObject,
  namespace: string,
): Promise<HelmRelease | Readonly<{ error: string }>> {
  const names = furtherChunks(index);
  if ('error' in names) return names;
  const further = await Promise.all(
    names.map(async (name) => [name, await reader.get({ ...KIND.Secret, namespace, name })] as const),
  );
  const bytes = releaseBytes(index, further);
  if ('error' in bytes) return bytes;
  try {
    const json = await promisify(gunzip)(bytes, { maxOutputLength: MOST_RELEASE_BYTES });
    return readRelease(json.toString('utf8'), releaseLabels(index));
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return { error: `it cannot be unpacked to ${MOST_RELEASE_BYTES} bytes at most (${why})` };
  }
}

function desiredOf(extension: string, packageName: string, release: HelmRelease, place: string): ReleaseRevision {
  const { from, objects, olmProperties } = release;
  const { version } = from.bundle;
  const phases = fitPhases(ownedPhases(phasesOf(objects), extension, { packageName, version }));
  if ('error' in phases) return { error: `the Helm release of OLM v1 in Secret ${place}: ${phases.error}` };
  const adoption = { protection: 'None', labels: { [MIGRATED_FROM_HELM_LABEL]: 'true' } } as const;
  return { desired: { from, phases, olmProperties, inputs: '', query: '', digest: '', adoption } };
}

/**
 * Marks a revision that was made from a Helm release as succeeded: from then on the installed bundle is
 * known, whatever becomes of its objects (spec: v1-apply.md §7, "Migration from Helm").
 */
export async function markMigrated(pass: ExtensionPass): Promise<StageOutcome> {
  const migrated = pass.read.revisions.filter(
    (revision) =>
      revision.metadata.labels?.[MIGRATED_FROM_HELM_LABEL] === 'true' &&
      revision.spec.revision === 1 &&
      !hasSucceeded(revision) &&
      !isArchived(revision),
  );
  const actions = migrated.map((revision) => {
    const { metadata, status } = revision;
    const conditions = stampConditions(status?.conditions, [MIGRATED], metadata.generation, pass.now);
    return { do: 'updateStatus', object: { ...revision, status: { ...status, conditions } } } as const;
  });
  return (await performOnOwn(pass, actions, migrated)) ? MOVED : AT_REST;
}
