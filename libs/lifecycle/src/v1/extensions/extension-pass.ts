import type { ClusterObjectSet } from '#core/kernel/api/cluster-object-set';
import type { Patience } from '#platform/fairness/patience';
import type { KubeClient } from '#platform/kube/kube-client.port';
import type { ExtensionDeps } from './extension-deps.js';
import type { ExtensionRead } from './read-extension.js';

/** One look at a ClusterExtension: what was read, and the cluster to act on. */
export type ExtensionPass = Readonly<{
  deps: ExtensionDeps;
  read: ExtensionRead;
  client: KubeClient;
  /** Writes the objects of bundles: as the extension's service account, where it names one. */
  writer: KubeClient;
  now: Date;
  signal: AbortSignal;
  /** For work that goes on when the pass has ended. */
  patience: Patience;
}>;

/** A look at revisions alone, whatever they belong to. */
export type RevisionsPass = Omit<ExtensionPass, 'read'> &
  Readonly<{ read: Pick<ExtensionRead, 'revisions' | 'states' | 'secrets'> }>;

/** Revisions by uid may own what another one wants. */
export const siblingsOf = ({ read }: RevisionsPass, revision: ClusterObjectSet): readonly ClusterObjectSet[] =>
  read.revisions.filter(({ metadata }) => metadata.uid !== revision.metadata.uid);
