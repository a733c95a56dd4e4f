import type { BundleReference } from '#core/classic/install-plan/bundle-reference';
import type { AssignmentReport } from '#core/kernel/api/fleet/fleet-assignment';
import type { ChangeKind } from '#core/kernel/api/fleet/fleet-strategy';
import type { InstallPlan } from '#core/kernel/api/install-plan';
import type { KubernetesObject } from '#core/kernel/api/kubernetes-object';
import type { Subscription } from '#core/kernel/api/subscription';
import type { DesiredClassic } from '#core/rollout/desired/desired-classic';
import type { Clock } from '#platform/clock/clock.port';
import type { KubeClient } from '#platform/kube/client/kube-client.port';
import type { ExtensionPlans } from '../previews/extension-plans.js';
import type { AppliedNotes } from './applied-notes.js';
import type { PlannedHop, PlannedThere } from './planned-there.js';

/** Reason of a report: something in the cluster is in the way of the subject, and its owner decides. */
export const CONFLICT = 'Conflict';
/** Reason of a report: `versions` of the FleetOperator lets the next version not in. */
export const VERSION_NOT_ALLOWED = 'VersionNotAllowed';
/** Reason of a report: the cluster cannot have what is wanted there. */
export const RESOLUTION_FAILED = 'ResolutionFailed';

/** What the catalog deprecates of what would be installed by then. */
type Deprecations = Readonly<{ deprecations?: readonly string[] }>;

/**
 * What a cluster would install: the InstallPlans one after the other, with the objects that lead to them, or
 * what it waits for, why it cannot be, or what is in the way. `ends`: why the path does not go on.
 */
export type ClassicPreview =
  | (Readonly<{ hops: readonly [PlannedHop, ...PlannedHop[]]; ends?: string; desired: DesiredClassic }> & Deprecations)
  | Readonly<{ waits: string }>
  /** It has what it would get. */
  | (Readonly<{ nothing: string }> & Deprecations)
  | Readonly<{ fails: string }>
  | Readonly<{ conflict: string }>;

/** What is to be had later, or not at all, and why. */
export type NotThere = Readonly<{ waits: string }> | Readonly<{ gone: string }>;

/** The cluster where orders are carried out, and the hub API that has them. */
export type OrderPlace = Readonly<{
  hub: KubeClient;
  client: KubeClient;
  globalCatalogNamespace: string;
  /** Default: the time of this machine. */
  clock?: Clock;
  /** Authenticates the notes of what was applied. Absent: they have no code, and none is asked for. */
  notes?: AppliedNotes;
  /** The manifests that an InstallPlan refers to. Absent: only those that stand in a plan are known. */
  bundleObjects?: (
    reference: BundleReference,
    plan: InstallPlan,
  ) => Promise<Readonly<{ objects: readonly KubernetesObject[] }> | NotThere>;
  /** Why the Subscription could not get the bundle from its catalog again; undefined where it could. */
  offersBundle?: (subscription: Subscription, bundle: string) => Promise<NotThere | undefined>;
  /** Whether nothing follows on what a Subscription has; false also while that is not known. */
  leadsNowhere?: (subscription: Subscription) => Promise<boolean>;
  /** What the catalog of a Subscription deprecates of a bundle, as it was read last. Absent: not asked. */
  deprecationsOf?: (
    namespace: string,
    asked: Subscription['spec'],
    bundle: string,
  ) => Promise<readonly string[] | NotThere>;
  /** What the cluster would install with these objects. Absent: only what is subscribed to is planned. */
  preview?: (desired: DesiredClassic) => Promise<ClassicPreview>;
  /** What ClusterExtensions would run. Absent: none are planned. */
  extensions?: ExtensionPlans;
  /** Of what the FleetOperator asks for in all clusters. */
  asked?: string;
  /** A bundle that is denied, and is to be installed all the same: its roll-out is tried again. */
  lifted?: string | undefined;
  /** Takes the plan behind a hash that is reported. */
  notePlan?: (planHash: string, planned: PlannedThere) => void;
  /** Called where something is to be had later: nothing else may bring another pass then (decision 0466). */
  noteWait?: () => void;
  /** What the content of a plan changes in this cluster, by the hash of the plan, as far as it was read. */
  contentChanges?: Map<string, readonly ChangeKind[]>;
  /** Where no return has begun, as this process knows: `<namespace>/<name>` of what would keep it. */
  noReturns?: Set<string>;
  /** Hashes of what plans change here, where that is more than is shown, by FleetPlan; empty: it is not. */
  differences?: Map<string, string>;
  /** Content of FleetPlans that this process knows, by `<namespace>/<name>`. */
  keptPlans?: Map<string, readonly string[]>;
}>;

/** What is reported of a row beyond what follows from the row itself. */
export type RowFinding = Partial<AssignmentReport> & Pick<AssignmentReport, 'state'>;

const MOST_MESSAGE = 1_024;
/** A text as a report has room for it. */
export const reportText = (text: string): string => text.slice(0, MOST_MESSAGE);
