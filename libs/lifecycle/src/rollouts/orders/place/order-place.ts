import type { BundleReference } from '#core/classic/install-plan/creation/bundle-reference';
import type { InstallPlan } from '#core/kernel/api/install-plan';
import type { KubernetesObject } from '#core/kernel/api/kubernetes-object';
import type { Subscription } from '#core/kernel/api/subscription';
import type { DesiredClassic } from '#core/rollout/desired/desired-classic';
import type { Clock } from '#platform/clock/clock.port';
import type { KubeClient } from '#platform/kube/client/kube-client.port';
import type { ClassicPreview, NotThere } from '../../previews/classic-preview.js';
import type { ExtensionPlans } from '../../previews/extension-plans.js';
import type { AppliedNotes } from './applied-notes.js';
import type { OrderMemo } from './order-memo.js';
import type { RowPlans } from './row-plans.js';

/** Access to the cluster in which orders are carried out. */
export type OrderCluster = Readonly<{
  client: KubeClient;
  globalCatalogNamespace: string;
  clock: Pick<Clock, 'now'>;
  /** Authenticates the notes of what was applied. */
  notes: AppliedNotes;
}>;

/** Answers about what catalogs offer a cluster. An answer that is absent is not asked for. */
export type OrderPreviews = Readonly<{
  /** Previews what the cluster would install with these objects. Absent: Subscriptions alone are planned. */
  preview?: (desired: DesiredClassic) => Promise<ClassicPreview>;
  /** Checks that nothing follows on what a Subscription has; false also while that is not known. */
  checkEnd?: (subscription: Subscription) => Promise<boolean>;
  /** Asks what the catalog of a Subscription deprecates of a bundle, as it was read last. */
  askDeprecations?: (
    namespace: string,
    asked: Subscription['spec'],
    bundle: string,
  ) => Promise<readonly string[] | NotThere>;
  /** Fetches the manifests that an InstallPlan refers to. Absent: only those in the plan itself are known. */
  fetchObjects?: (
    reference: BundleReference,
    plan: InstallPlan,
  ) => Promise<Readonly<{ objects: readonly KubernetesObject[] }> | NotThere>;
  /** Why the Subscription could not get the bundle from its catalog again; undefined if it could. */
  whyNotOffered?: (subscription: Subscription, bundle: string) => Promise<NotThere | undefined>;
  /** Plans ClusterExtensions. Absent: none are planned. */
  extensions?: ExtensionPlans;
  /** Notes that an answer is to be had later: nothing else may bring another pass then (decision 0466). */
  noteWait?: () => void;
}>;

/** The hub API that has the orders, the cluster in which they are carried out, and what is known of both. */
export type OrderPlace = Readonly<{
  hub: KubeClient;
  cluster: OrderCluster;
  previews: OrderPreviews;
  memo: OrderMemo;
}>;

/** The place of one row, with the plans that are found for it. */
export type PlanningPlace = Omit<OrderPlace, 'memo'> & Readonly<{ plans: RowPlans }>;
