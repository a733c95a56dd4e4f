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

/** Access to the cluster of the orders. */
export type OrderCluster = Readonly<{
  client: KubeClient;
  globalCatalogNamespace: string;
  clock: Pick<Clock, 'now'>;
  /** Authenticates the notes of applied fields. */
  notes: AppliedNotes;
}>;

/** Answers about the offers of catalogs to a cluster. An answer that is absent is not asked for. */
export type OrderPreviews = Readonly<{
  /** Previews the installs of the cluster with these objects. Absent: Subscriptions alone are planned. */
  preview?: (desired: DesiredClassic) => Promise<ClassicPreview>;
  /** True if the Subscription has no further upgrade. Also false while that is not known. */
  checkEnd?: (subscription: Subscription) => Promise<boolean>;
  /** Asks for the deprecations of a bundle in the catalog of a Subscription, as it was read last. */
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
  /**
   * Returns the reason why the Subscription could not get the bundle from its catalog again. Undefined if it
   * could.
   */
  whyNotOffered?: (subscription: Subscription, bundle: string) => Promise<NotThere | undefined>;
  /** Plans ClusterExtensions. Absent: none are planned. */
  extensions?: ExtensionPlans;
  /**
   * Schedules another pass. Call it when an answer is not available yet: nothing else may bring another pass
   * then (why: fleet-rollouts.md "Inputs that come later are requested again").
   */
  noteWait?: () => void;
}>;

/** The hub API that has the orders, the cluster that carries them out, and the known facts of both. */
export type OrderPlace = Readonly<{
  hub: KubeClient;
  cluster: OrderCluster;
  previews: OrderPreviews;
  memo: OrderMemo;
}>;

/** The place of one row, with the plans that are found for it. */
export type PlanningPlace = Omit<OrderPlace, 'memo'> & Readonly<{ plans: RowPlans }>;
