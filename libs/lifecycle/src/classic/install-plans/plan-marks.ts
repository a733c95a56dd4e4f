import { markedParts, PLAN_MARK_ANNOTATION } from '#core/classic/install-plan/plan/plan-mark';
import type { InstallPlan, InstallPlanStatus } from '#core/kernel/api/install-plan';
import type { HubKey } from '#platform/keys/hub-key';

/** Marks InstallPlans that the hub makes, and recognises them. */
export class PlanMarks {
  constructor(private readonly key: HubKey) {}

  /** Value of the annotation for a plan with this status. */
  markOf(cluster: string, plan: InstallPlan, status: InstallPlanStatus | undefined): string {
    return this.key.codeOf(markedParts(cluster, plan, status));
  }

  /**
   * True if a hub with this key made the plan, and the installs that it lists have not been changed since.
   */
  isOwn(cluster: string, plan: InstallPlan): boolean {
    const mark = plan.metadata.annotations?.[PLAN_MARK_ANNOTATION] ?? '';
    return this.key.verifies(mark, markedParts(cluster, plan, plan.status));
  }
}
