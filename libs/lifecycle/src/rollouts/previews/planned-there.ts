import type { InstallPlan } from '#core/kernel/api/install-plan';
import type { KubernetesObject } from '#core/kernel/api/kubernetes-object';
import type { Subscription } from '#core/kernel/api/subscription';
import type { SubscriptionMove } from '#core/rollout/review/hop-hash';

/**
 * One InstallPlan of a path, and the versions that it moves the subject from and to. `from`: undefined for an
 * install.
 */
export type PlannedHop = Readonly<{
  plan: InstallPlan;
  moves: readonly SubscriptionMove[];
  from: string | undefined;
  to: string;
}>;

/** The InstallPlans that a cluster would carry out; the first may wait there for approval. */
export type PlannedThere = Readonly<{
  hops: readonly [PlannedHop, ...PlannedHop[]];
  /** The Subscription of the subject, as it is named there or will be. */
  subscription: string;
  specHash: string | undefined;
  /** The desired spec of the Subscription. Absent for OLM v1. */
  asked?: Subscription['spec'];
  /** Deprecations by its catalog, as texts. Absent: ask the catalog that the cluster has. */
  deprecations?: readonly string[] | undefined;
  /** Fields of the Subscription or ClusterExtension itself that would change, as texts. */
  lines?: readonly string[];
  /** OLM v1: the objects of the revision that runs; its steps are rendered objects. */
  earlier?: readonly KubernetesObject[];
}>;

/** Returns the version that a path leads to. */
export const endOf = ({ hops }: Pick<PlannedThere, 'hops'>): string => hops.at(-1)?.to ?? hops[0].to;
