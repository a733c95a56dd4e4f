import type { ClusterObjectSet } from '#core/kernel/api/cluster-object-set';
import type { KubeClient } from '#platform/kube/client/kube-client.port';
import type { StageInput } from '../../engine/passes/stage.js';
import type { ExtensionDeps } from './extension-deps.js';
import type { ExtensionRead } from './read-extension.js';

/** One round of a pass over a ClusterExtension: its reads, and the cluster to act on. */
export type ExtensionPass = StageInput<ExtensionRead> &
  Readonly<{
    deps: ExtensionDeps;
    /** Writes the objects of bundles: as the extension's service account, if it names one. */
    writer: KubeClient;
  }>;

/** One round of a pass over revisions alone, whatever they belong to. */
export type RevisionsPass = Omit<ExtensionPass, 'read'> & Readonly<{ read: RevisionsRead }>;

/** Revisions as just read. */
export type RevisionsRead = Pick<ExtensionRead, 'revisions' | 'states' | 'secrets'>;

/** Returns the other revisions, compared by uid: they may own objects that this one wants. */
export const siblingsOf = ({ read }: RevisionsPass, revision: ClusterObjectSet): readonly ClusterObjectSet[] =>
  read.revisions.filter(({ metadata }) => metadata.uid !== revision.metadata.uid);
