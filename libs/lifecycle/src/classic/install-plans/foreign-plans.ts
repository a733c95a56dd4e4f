import { unfinishedSteps } from '#core/classic/install-plan/execution/step-install-plan';
import { foreignText, REFUSE_FOREIGN_ANNOTATION } from '#core/classic/install-plan/plan/plan-mark';
import type { InstallPlan } from '#core/kernel/api/install-plan';
import { KIND } from '#core/kernel/api/kinds';
import type { Settings } from '#platform/config/settings';
import type { NamespaceStageInput } from '../namespaces/namespace-stage.js';
import type { ExecutedStep } from './execute-steps.js';
import type { PlanMarks } from './plan-marks.js';

export type ForeignPlans = Readonly<{ setting: Settings['foreignInstallPlans']; marks: PlanMarks | undefined }>;

/**
 * Returns the end of a plan that the hub did not make, if such plans are refused. Empty for every other plan.
 */
export async function refuseForeign(
  { client, read, reader }: NamespaceStageInput,
  plan: InstallPlan,
  { setting, marks }: ForeignPlans,
): Promise<ReadonlyMap<number, ExecutedStep>> {
  const [next] = unfinishedSteps(plan);
  if (next === undefined || marks === undefined || marks.isOwn(client.cluster, plan)) return new Map();
  const { namespace } = read;
  const found = await reader.get({ ...KIND.Namespace, name: namespace });
  const because =
    setting === 'refuse'
      ? 'setting FLOTILLA_FOREIGN_INSTALL_PLANS of the hub'
      : `annotation ${REFUSE_FOREIGN_ANNOTATION} of namespace ${namespace}`;
  if (setting !== 'refuse' && found?.metadata.annotations?.[REFUSE_FOREIGN_ANNOTATION] !== 'true') return new Map();
  const [index, { status }] = next;
  return new Map([[index, { status: status as ExecutedStep['status'], error: foreignText(because), patienceMs: 0 }]]);
}
