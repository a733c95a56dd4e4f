import type { Action } from '../../kernel/actions/action.js';
import { type ClusterServiceVersion, CSV_API } from '../../kernel/api/cluster-service-version.js';
import { csvName, isCopied } from '../../kernel/api/csv-facts.js';
import { INSTALL_PLAN_API, type InstallPlan } from '../../kernel/api/install-plan.js';
import type { KubernetesObject } from '../../kernel/api/kubernetes-object.js';
import type { Subscription, SubscriptionStatus } from '../../kernel/api/subscription.js';
import { referenceOf } from '../install-plan/creation/bundle-reference.js';
import { CSV_KIND } from '../install-plan/steps/install-plan-step.js';
import { manifestOf } from '../install-plan/steps/step-manifest.js';
import { PLAN_CONDITIONS } from './install-plan-conditions.js';
import { changeTo, type SubscriptionChange, statusOf, withoutConditions } from './subscription-change.js';

/** The objects in the namespace of the plan that must be recreated. */
type ReplanSurroundings = Readonly<{
  subscriptions: readonly Subscription[];
  csvs: readonly ClusterServiceVersion[];
  deployments: readonly KubernetesObject[];
}>;

/** The actions that roll a failed plan back, in this order; or the reason that is impossible. */
type Replan =
  | Readonly<{ changes: readonly SubscriptionChange[]; deletions: readonly Action[] }>
  | Readonly<{ refused: string }>;

/**
 * True if a plan can be recreated at all. Either it failed; or it is complete and none of its
 * ClusterServiceVersions is in the namespace, because they were deleted or only copies exist.
 */
export function isReplannable({ spec, status }: InstallPlan, csvs: readonly ClusterServiceVersion[]): boolean {
  if (status?.phase === 'Failed') return true;
  const own = new Set(csvs.filter((csv) => !isCopied(csv)).map(csvName));
  return status?.phase === 'Complete' && !spec.clusterServiceVersionNames.some((name) => own.has(name));
}

/** Phases of a CSV that is not installed. */
const NOT_INSTALLED: readonly string[] = ['', 'Pending', 'Failed'];

/**
 * Rolls back a failed plan's changes to its Subscriptions, so that the next resolution starts from the same
 * state as the plan's own. The ClusterServiceVersions of the plan are deleted, its Subscriptions name the
 * previously installed ones, and the plan is deleted. Refused as soon as one of these ClusterServiceVersions
 * is installed or has a Deployment: deleting it would stop a running operator. It is idempotent.
 */
export function replan(plan: InstallPlan, around: ReplanSurroundings, now: string): Replan {
  const { name = '', namespace = '', uid } = plan.metadata;
  const own = around.csvs.filter((csv) => !isCopied(csv));
  const made = own.filter((csv) => plan.spec.clusterServiceVersionNames.includes(csvName(csv)));
  const runs = made.find((csv) => isInstalled(csv, around.deployments));
  if (runs !== undefined) return { refused: refusalText(runs) };
  const changes = around.subscriptions
    .filter(({ status }) => status?.installPlanRef?.name === name)
    .map((subscription) => {
      const replaced = replacedBy(subscription.status?.currentCSV ?? '', plan);
      return changeTo(subscription, takenBack(subscription, replaced, own), now);
    });
  const csvs = made.map(({ metadata }) => deletion({ ...CSV_API, name: metadata.name ?? '', namespace }, metadata.uid));
  return { changes, deletions: [...csvs, deletion({ ...INSTALL_PLAN_API, name, namespace }, uid)] };
}

const deletion = (ref: Extract<Action, { do: 'delete' }>['ref'], uid: string | undefined): Action => ({
  do: 'delete',
  ref,
  propagation: 'Background',
  uid,
});

const isInstalled = (csv: ClusterServiceVersion, deployments: readonly KubernetesObject[]): boolean =>
  !NOT_INSTALLED.includes(csv.status?.phase ?? '') || deployments.some((one) => hasDeployment(csv, one));

export const hasDeployment = (csv: ClusterServiceVersion, { metadata }: KubernetesObject): boolean =>
  metadata.labels?.['olm.owner'] === csvName(csv);

const refusalText = (csv: ClusterServiceVersion): string =>
  `the plan is not recreated: ClusterServiceVersion ${csvName(csv)} is installed or has a Deployment (phase ` +
  `${csv.status?.phase || 'not set'}), and recreating the plan would delete it. Publish a version that replaces it`;

/** The status from before the plan: it names the CSV that was replaced, if that is still there. */
export function takenBack(
  subscription: Subscription,
  replaced: string,
  own: readonly ClusterServiceVersion[],
): SubscriptionStatus {
  const status = statusOf(subscription);
  const {
    installPlanRef: _ref,
    installplan: _twin,
    currentCSV: _now,
    installedCSV: _new,
    state: _state,
    ...rest
  } = status;
  const cleared = withoutConditions(rest, PLAN_CONDITIONS);
  if (!own.some((csv) => csvName(csv) === replaced)) return cleared;
  return { ...cleared, currentCSV: replaced, installedCSV: replaced, state: 'AtLatestKnown' };
}

/**
 * Returns `spec.replaces` of a CSV as the plan makes it: a resolution writes the CSV that was installed
 * there.
 */
function replacedBy(name: string, { status }: InstallPlan): string {
  const step = (status?.plan ?? []).find((one) => one?.resource.kind === CSV_KIND && one.resource.name === name);
  if (step === null || step === undefined) return '';
  const reference = referenceOf(step);
  if (reference !== undefined) return reference.replaces ?? '';
  const manifest = manifestOf(step);
  if ('fail' in manifest) return '';
  const { spec } = manifest.object as Readonly<{ spec?: Readonly<{ replaces?: unknown }> }>;
  return typeof spec?.replaces === 'string' ? spec.replaces : '';
}
