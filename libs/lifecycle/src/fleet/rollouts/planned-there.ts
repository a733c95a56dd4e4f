import type { SubscriptionMove } from '#core/fleet/plan-class/hop-hash';
import type { InstallPlan } from '#core/kernel/api/install-plan';
import type { KubernetesObject } from '#core/kernel/api/kubernetes-object';

/** A plan that a cluster would carry out, or that waits there for approval. */
export type PlannedThere = Readonly<{
  plan: InstallPlan;
  /** The Subscription of the subject, as it is named there or will be. */
  subscription: string;
  moves: readonly SubscriptionMove[];
  planned: string;
  from: string | undefined;
  specHash: string | undefined;
  /** What of the Subscription or ClusterExtension itself would be another, as texts. */
  lines?: readonly string[];
  /** OLM v1: the objects of the revision that runs; its steps are rendered objects. */
  earlier?: readonly KubernetesObject[];
}>;
