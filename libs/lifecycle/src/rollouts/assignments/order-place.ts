import type { BundleReference } from '#core/classic/install-plan/creation/bundle-reference';
import type { AssignmentReport } from '#core/kernel/api/fleet/fleet-assignment';
import type { ChangeKind } from '#core/kernel/api/fleet/fleet-strategy';
import type { InstallPlan } from '#core/kernel/api/install-plan';
import type { KubernetesObject } from '#core/kernel/api/kubernetes-object';
import type { Subscription } from '#core/kernel/api/subscription';
import type { DesiredClassic } from '#core/rollout/desired/desired-classic';
import type { Clock } from '#platform/clock/clock.port';
import type { KubeClient } from '#platform/kube/client/kube-client.port';
import type { ClassicPreview, NotThere } from '../previews/classic-preview.js';
import type { ExtensionPlans } from '../previews/extension-plans.js';
import type { PlannedThere } from '../previews/planned-there.js';
import type { AppliedNotes } from './applied-notes.js';

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
  /** When this process found an attempt to be as it is, by subject: no report may have been written. */
  foundAt?: Map<string, Readonly<{ state: string; since: string }>>;
  /** Content of FleetPlans that this process knows, by `<namespace>/<name>`. */
  keptPlans?: Map<string, readonly string[]>;
}>;

/** What is reported of a row beyond what follows from the row itself. */
export type RowFinding = Partial<AssignmentReport> & Pick<AssignmentReport, 'state'>;

const MOST_MESSAGE = 1_024;
/** A text as a report has room for it. */
export const reportText = (text: string): string => text.slice(0, MOST_MESSAGE);
