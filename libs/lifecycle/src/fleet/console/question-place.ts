import type { Resolution } from '#core/classic/resolution/problem/resolution-problem';
import type { CommandAccess } from '#core/cluster/advice/command-in';
import type { ClusterServiceVersion } from '#core/kernel/api/cluster-service-version';
import type { KubeClient } from '#platform/kube/client/kube-client.port';
import type { SeenCatalog } from '../../classic/observation/observe-namespace.js';
import type { SeenExtension } from '../../v1/observation/observed-extensions.js';

/** The place of an answer: one cluster, read with the hub's rights. */
export type QuestionPlace = Readonly<{
  client: KubeClient;
  /** Options with which commands of people reach the cluster. */
  access: CommandAccess;
  globalCatalogNamespace: string;
  /** Returns the result of the last resolution of a namespace, if that is known. */
  resolutionOf: (namespace: string) => Promise<Resolution | undefined>;
  /** CatalogSources of the cluster, with the content that the hub holds of them. */
  catalogs: () => readonly SeenCatalog[];
  /** ClusterServiceVersions of the cluster without copies, as the hub keeps them. */
  csvs: () => readonly ClusterServiceVersion[];
  /** A ClusterExtension, with its possible bundles and its revisions. */
  extension: (name: string) => Promise<SeenExtension | undefined>;
}>;
