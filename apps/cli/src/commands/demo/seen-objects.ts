import type { ClusterServiceVersion } from '#core/kernel/api/cluster-service-version';
import type { InstallPlan } from '#core/kernel/api/install-plan';
import type { KubernetesObject } from '#core/kernel/api/kubernetes-object';
import type { Subscription } from '#core/kernel/api/subscription';

/** OLM's objects of the scenario in one cluster. */
export type Seen = Readonly<{
  catalogs: readonly KubernetesObject[];
  subscriptions: readonly Subscription[];
  plans: readonly InstallPlan[];
  csvs: readonly ClusterServiceVersion[];
}>;
