import type { Resolution } from '#core/classic/resolution/problem/resolution-problem';
import type { KubeClient } from '#platform/kube/client/kube-client.port';
import type { SeenCatalog } from '../../classic/observation/observe-namespace.js';
import type { SeenExtension } from '../../v1/observation/observed-extensions.js';

/** Where a question is answered: one cluster, read with the hub's rights. */
export type QuestionPlace = Readonly<{
  client: KubeClient;
  globalCatalogNamespace: string;
  /** What the last resolution of a namespace came to, if that is known. */
  resolutionOf: (namespace: string) => Promise<Resolution | undefined>;
  /** CatalogSources of the cluster, with what the hub holds of them. */
  catalogs: () => readonly SeenCatalog[];
  /** A ClusterExtension, with what it may get and its revisions. */
  extension: (name: string) => Promise<SeenExtension | undefined>;
}>;
