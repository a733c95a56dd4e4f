import type { PlannedThere } from '../../previews/planned-there.js';

/** Plans that are found in a cluster for one row of its orders. */
export class RowPlans {
  readonly #byHash = new Map<string, PlannedThere>();

  constructor(
    /** Hash of the spec that the FleetOperator desires in all clusters. */
    readonly asked: string,
    /** A denied bundle that is installed all the same: its rollout is tried again. */
    readonly lifted: string | undefined,
  ) {}

  /** Notes the plan behind a hash that may be reported. */
  note(planHash: string | undefined, planned: PlannedThere): void {
    this.#byHash.set(planHash ?? '', planned);
  }

  /** Finds the plan behind a reported hash. */
  find(planHash: string | undefined): PlannedThere | undefined {
    return this.#byHash.get(planHash ?? '');
  }
}
