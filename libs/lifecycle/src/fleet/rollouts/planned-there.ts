import type { SubscriptionMove } from '#core/fleet/plan-class/hop-hash';
import type { InstallPlan } from '#core/kernel/api/install-plan';
import type { KubernetesObject } from '#core/kernel/api/kubernetes-object';
import type { Subscription } from '#core/kernel/api/subscription';

/** A plan that a cluster would carry out, or that waits there for approval. */
export type PlannedThere = Readonly<{
  plan: InstallPlan;
  /** The Subscription of the subject, as it is named there or will be. */
  subscription: string;
  moves: readonly SubscriptionMove[];
  planned: string;
  from: string | undefined;
  specHash: string | undefined;
  /** What the Subscription asks for; absent for OLM v1. */
  asked?: Subscription['spec'];
  /** What its catalog deprecates of it, as texts; absent: the catalog that the cluster has is to be asked. */
  deprecations?: readonly string[] | undefined;
  /** What of the Subscription or ClusterExtension itself would be another, as texts. */
  lines?: readonly string[];
  /** OLM v1: the objects of the revision that runs; its steps are rendered objects. */
  earlier?: readonly KubernetesObject[];
}>;
