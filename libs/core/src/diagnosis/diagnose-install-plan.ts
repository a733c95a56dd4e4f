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
      return diagnosis('failed', ['It failed.', ...stopped(plan)], wayOn(plan));
    case 'RequiresApproval':
      if (!spec.approved) return waits(plan, what);
      return diagnosis('under-way', `It is approved, and its ${steps(plan).length} steps come next.`);
    case 'Installing':
      return installing(plan);
    default:
      return diagnosis('under-way', status === undefined ? 'Nobody has looked at it yet.' : 'It is being planned.');
  }
}

/** Deleting the plan is no way on: once its ClusterServiceVersion exists, no other plan is made for it. */
function wayOn(plan: InstallPlan): readonly string[] {
  const { name = '', namespace = '' } = plan.metadata;
  const retry = `flotilla retry installplan ${name} -n ${namespace}`;
  const anew = `publish a corrected bundle in its catalog, then have the plan made anew: ${retry} --replan`;
  const isUnsupported = steps(plan).some(({ status }) => status === 'UnsupportedResource');
  if (isUnsupported) return [`The bundle is at fault: ${anew}`];
  return [
    `Correct the cause; the plan then goes on by itself within five minutes, or at once: ${retry}`,
    `Where the bundle is at fault, ${anew}`,
  ];
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
