import type { InstallPlan, InstallPlanStep } from '../api/install-plan.js';
import { isDone } from '../install-plan/install-plan-step.js';
import { installedCondition } from '../install-plan/plan-conditions.js';
import { type Diagnosis, diagnosis, sentence } from './diagnosis.js';

/** Steps named one by one; more are counted. */
const NAMED = 5;

/** Where a plan is: what it waits for, or which step stops it (spec: install-plans.md §3, §5). */
export function diagnoseInstallPlan(plan: InstallPlan): Diagnosis {
  const { spec, status } = plan;
  const what = spec.clusterServiceVersionNames.join(', ') || 'nothing';
  switch (status?.phase) {
    case 'Complete':
      return diagnosis(
        'well',
        `It is complete: ${what} ${spec.clusterServiceVersionNames.length > 1 ? 'are' : 'is'} created.`,
      );
    case 'Failed':
      return diagnosis(
        'failed',
        ['It failed, and is not tried again by itself.', ...stopped(plan)],
        [
          'Mend the cause, then delete the plan: a new one is made while its Subscriptions still ask for it.',
          `kubectl -n ${plan.metadata.namespace ?? ''} delete installplan ${plan.metadata.name ?? ''}`,
        ],
      );
    case 'RequiresApproval':
      if (!spec.approved) return waits(plan, what);
      return diagnosis('under-way', `It is approved, and its ${steps(plan).length} steps come next.`);
    case 'Installing':
      return installing(plan);
    default:
      return diagnosis('under-way', status === undefined ? 'Nobody has looked at it yet.' : 'It is being planned.');
  }
}

function waits({ metadata: { name = '', namespace = '' } }: InstallPlan, what: string): Diagnosis {
  return diagnosis(
    'needs-approval',
    `It waits for somebody to approve it; then it installs ${what}.`,
    `flotilla approve installplan ${name} -n ${namespace}`,
  );
}

function installing(plan: InstallPlan): Diagnosis {
  const open = steps(plan).filter((step) => !isDone(step));
  const told = stopped(plan);
  const seen = `It is being installed: ${steps(plan).length - open.length} of ${steps(plan).length} steps are done.`;
  const next = open.slice(0, NAMED).map(({ resource }) => `${resource.kind} ${resource.name}`);
  const more = open.length > NAMED ? ` and ${open.length - NAMED} more` : '';
  const missing = open.length === 0 ? [] : [`Still to come: ${next.join(', ')}${more}.`];
  return diagnosis('under-way', [seen, ...told, ...missing]);
}

/** Why it does not get on, in its own words: the condition's, else the status's. */
function stopped({ status }: InstallPlan): string[] {
  const condition = installedCondition(status);
  const text = (condition?.status === 'False' ? condition.message : undefined) || status?.message;
  return text ? [sentence(text)] : [];
}

const steps = ({ status }: InstallPlan): readonly InstallPlanStep[] =>
  (status?.plan ?? []).filter((step): step is InstallPlanStep => step !== null);
