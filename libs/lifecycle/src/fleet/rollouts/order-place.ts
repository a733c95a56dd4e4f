import type { BundleReference } from '#core/classic/install-plan/bundle-reference';
import type { AssignmentReport } from '#core/kernel/api/fleet/fleet-assignment';
import type { KubernetesObject } from '#core/kernel/api/kubernetes-object';
import type { Clock } from '#platform/clock/clock.port';
import type { KubeClient } from '#platform/kube/client/kube-client.port';

/** The cluster where orders are carried out, and the hub API that has them. */
export type OrderPlace = Readonly<{
  hub: KubeClient;
  client: KubeClient;
  globalCatalogNamespace: string;
  /** Default: the time of this machine. */
  clock?: Clock;
  /**
   * The manifests of a bundle that an InstallPlan refers to, or undefined where they cannot be had any more.
   * Absent: only manifests that stand in a plan are known.
   */
  bundleObjects?: (reference: BundleReference, namespace: string) => Promise<readonly KubernetesObject[] | undefined>;
  /** Whether a catalog that the namespace sees offers the bundle; undefined: not known. */
  offersBundle?: (
    bundle: Readonly<{ namespace: string; package: string; name: string }>,
  ) => Promise<boolean | undefined>;
}>;

/** What is reported of a row beyond what follows from the row itself. */
export type RowFinding = Partial<AssignmentReport> & Pick<AssignmentReport, 'state'>;

const MOST_MESSAGE = 1_024;
/** A text as a report has room for it. */
export const reportText = (text: string): string => text.slice(0, MOST_MESSAGE);
