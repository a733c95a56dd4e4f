import type { ChangeKind } from '#core/kernel/api/fleet/fleet-strategy';

/** Keeps what a process knows about the orders of one cluster. Without it the cluster is read again. */
export class OrderMemo {
  /** What the content of a plan changes in the cluster, by the hash of the plan, as far as it was read. */
  readonly contentChanges = new Map<string, readonly ChangeKind[]>();
  /** Hashes of what plans change in the cluster beyond what is shown, by FleetPlan; empty: nothing. */
  readonly differences = new Map<string, string>();
  /** `<namespace>/<name>` of ConfigMaps that would keep a return: none has begun. */
  readonly noReturns = new Set<string>();
  /** When this process found an attempt to be as it is, by subject: no report may have been written. */
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
