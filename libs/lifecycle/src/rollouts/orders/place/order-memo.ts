import type { ChangeKind } from '#core/kernel/api/fleet/fleet-strategy';

/** Memory of a process about the orders of one cluster. Without it the cluster is read again. */
export class OrderMemo {
  /** Kinds of change of a plan in the cluster, by the hash of the plan, if it was read. */
  readonly contentChanges = new Map<string, readonly ChangeKind[]>();
  /**
   * Hashes of the changes of plans in the cluster beyond the shown ones, by FleetPlan. Empty: there are none.
   */
  readonly differences = new Map<string, string>();
  /** `<namespace>/<name>` of ConfigMaps that would keep a return: none has begun. */
  readonly noReturns = new Set<string>();
  /**
   * Time at which this process found an attempt in its present state, by subject: no report may have been
   * written.
   */
  readonly foundAt = new Map<string, Readonly<{ state: string; since: string }>>();

  constructor(
    /** Content of FleetPlans by `<namespace>/<name>`, shared by all clusters of a hub. */
    readonly keptPlans = new Map<string, readonly string[]>(),
  ) {}

  /** Forgets all that is known of the cluster. */
  forget(): void {
    for (const known of [this.contentChanges, this.differences, this.noReturns, this.foundAt]) known.clear();
  }
}
