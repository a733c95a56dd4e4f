import type { ProblemKind } from '../world/component-problem.js';
import type { CsvPhase } from '../world/csv-status.js';
import type { Condition, Rule } from './outcome.js';
import * as is from './phase-rules.js';

/**
 * One line: in this phase, when the condition holds, the CSV goes to that phase for that
 * reason; without `to` it stays.
 */
type PhaseRow = Readonly<{ phase: CsvPhase; when: string; to?: CsvPhase; reason?: string; rule: Rule }>;

const move = (phase: CsvPhase, when: string, to: CsvPhase, reason: string, condition: Condition): PhaseRow => ({
  phase,
  when,
  to,
  reason,
  rule: (subject) => {
    const finding = condition(subject);
    if (finding === undefined) return undefined;
    const { message, ...doings } = finding;
    return { verdict: { phase: to, reason, message }, ...doings };
  },
});

const stay = (phase: CsvPhase, when: string, rule: Rule): PhaseRow => ({ phase, when, rule });

/**
 * Returns the rows for a failed check, in the order of precedence of problems (spec: csv-lifecycle.md §5,
 * result handling).
 */
const checkNotOk = (phase: CsvPhase, retry: CsvPhase, reason: string): readonly PhaseRow[] => {
  const found = (when: string, kind: ProblemKind, doing: string, to: CsvPhase, why = reason): PhaseRow =>
    move(phase, when, to, why, is.checkFound(kind, doing, to));
  return [
    found('check: unrecoverable', 'unrecoverable', 'install failed: ', 'Failed', 'InstallCheckFailed'),
    stay(phase, 'check: APIService error, retryable', is.backendDisrupted),
    found('check: APIServices unavailable', 'apiServicesMissing', '', retry),
    found('check: webhook error', 'webhookFailed', 'Webhook install failed: ', 'InstallReady'),
    found('check: webhooks missing', 'webhooksMissing', '', retry),
    found('check: Deployment hash/annotation drift', 'drifted', 'installing: ', 'InstallReady'),
    found('check: anything else', 'waiting', 'installing: ', retry),
  ];
};

const CANNOT_MODIFY = 'CannotModifyStaticOperatorGroupProvidedAPIs';
const MODES_AGAIN = 'InstallModes now support target namespaces';
const NO_LONGER_INTERSECTING = 'OperatorGroup no longer intersecting with conflicting owner';
const STATIC_AGAIN = 'static OperatorGroup and intersecting groups now support providedAPIs';
const REFRESH_OF_OWNED = 'CSV owns resources that require a cert refresh';
const MODE_REASONS = ['NoTargetNamespaces', 'NoOperatorGroup', 'TooManyOperatorGroups', 'UnsupportedOperatorGroup'];

const met = is.withRequirements;

/**
 * The phase machine (spec: csv-lifecycle.md §3): within the CSV's phase, the first row with a true condition
 * decides. Rows that are not in the spec begin with `Flotilla:`; docs/differences-from-olm.md gives their
 * reasons.
 */
// biome-ignore format: one row, one line
export const PHASE_TABLE: readonly PhaseRow[] = [
  move('', 'always', 'Pending', 'RequirementsUnknown', is.always('requirements not yet checked')),

  move('Pending', 'CSV it replaces exists and is not upgradeable', 'Pending', 'OperatorConditionNotUpgradeable', is.predecessorNotUpgradeable),
  move('Pending', 'strategy name not deployment, or a rule has no verb or mixes resources and URLs', 'Failed', 'InvalidInstallStrategy', is.strategyInvalid),
  move('Pending', 'some requirement unmet', 'Pending', 'RequirementsNotMet', is.requirementsLack("one or more requirements couldn't be found")),
  move('Pending', 'duplicate webhook generateName, or forbidden webhook rules', 'Failed', 'InvalidWebhookDescription', met(is.webhooksInvalid)),
  move('Pending', 'CRD owned by a CSV of the namespace outside the replacement chain', 'Failed', 'OwnerConflict', met(is.crdOfAnother)),
  move('Pending', 'owned APIService exists and is not adoptable', 'Failed', 'OwnerConflict', met(is.apiServiceOfAnother)),
  stay('Pending', 'replaced CSV exists and its phase is not Replacing', is.predecessorNotYetReplacing),
  move('Pending', 'else', 'InstallReady', 'AllRequirementsMet', met(is.always('all requirements found, attempting install'))),

  move('InstallReady', 'strategy name not deployment', 'Failed', 'InvalidInstallStrategy', is.strategyUnknown),
  stay('InstallReady', 'Flotilla: installed too often of late', is.installedTooOften),
  stay('InstallReady', 'Flotilla: certificates are being created', is.certificatesAwaited),
  move('InstallReady', 'install error', 'Failed', 'InstallComponentFailed', is.installRefused),
  move('InstallReady', 'ok', 'Installing', 'InstallSucceeded', is.install),

  move('Installing', 'strategy name not deployment', 'Failed', 'InvalidInstallStrategy', is.strategyUnknown),
  move('Installing', 'CA bundle or cert secret unreadable', 'Pending', 'NeedsReinstall', is.authorityUnreadable),
  move('Installing', 'Flotilla: its replacement has succeeded with its Deployment', 'Replacing', 'BeingReplaced', is.overtaken),
  move('Installing', 'Flotilla: a Deployment is installed with another spec', 'InstallReady', 'InstallWaiting', is.deploymentOutdated),
  move('Installing', 'not ok and 5 min since last phase transition', 'Failed', 'InstallCheckFailed', is.installTakesTooLong),
  move('Installing', 'Flotilla: a Deployment is gone', 'InstallReady', 'InstallWaiting', is.deploymentGone),
  ...checkNotOk('Installing', 'Installing', 'InstallWaiting'),
  move('Installing', 'check ok', 'Succeeded', 'InstallSucceeded', is.checkOk),

  move('Succeeded', 'another non-copied CSV has spec.replaces = this', 'Replacing', 'BeingReplaced', is.beingReplaced),
  move('Succeeded', 'strategy name not deployment', 'Failed', 'InvalidInstallStrategy', is.strategyUnknown),
  move('Succeeded', 'owned APIService resources broken', 'Failed', 'APIServiceResourceIssue', is.apiServicesBroken),
  move('Succeeded', 'certs due', 'Pending', 'NeedsCertRotation', is.certificatesToRotate(REFRESH_OF_OWNED)),
  move('Succeeded', 'strategy invalid', 'Failed', 'InvalidInstallStrategy', is.strategyInvalid),
  move('Succeeded', 'requirements lost', 'Failed', 'RequirementsNotMet', is.requirementsLack('requirements no longer met')),
  move('Succeeded', 'bad CA data', 'Pending', 'NeedsReinstall', is.authorityUnreadable),
  ...checkNotOk('Succeeded', 'Failed', 'ComponentUnhealthy'),
  move('Succeeded', 'ok', 'Succeeded', 'InstallSucceeded', is.healthy),

  move('Failed', 'fail-forward group and a replacement exists', 'Replacing', 'BeingReplaced', is.replacedByFailForward),
  move('Failed', 'strategy name not deployment', 'Failed', 'InvalidInstallStrategy', is.strategyUnknown),
  move('Failed', 'reason was about group or targets', 'Pending', 'RequirementsUnknown', is.groupRepaired(MODE_REASONS, MODES_AGAIN)),
  move('Failed', 'reason InterOperatorGroupOwnerConflict', 'Pending', 'RequirementsUnknown', is.groupRepaired(['InterOperatorGroupOwnerConflict'], NO_LONGER_INTERSECTING)),
  move('Failed', 'reason CannotModifyStatic…', 'Pending', 'RequirementsUnknown', is.groupRepaired([CANNOT_MODIFY], STATIC_AGAIN)),
  move('Failed', 'strategy invalid', 'Failed', 'InvalidInstallStrategy', is.strategyInvalid),
  move('Failed', 'Flotilla: webhooks still invalid', 'Failed', 'InvalidWebhookDescription', is.still('InvalidWebhookDescription', is.webhooksInvalid)),
  move('Failed', 'Flotilla: CRD still owned by another', 'Failed', 'OwnerConflict', is.still('OwnerConflict', is.crdOfAnother)),
  move('Failed', 'Flotilla: install still impossible', 'Failed', 'InstallComponentFailed', is.still('InstallComponentFailed', is.installRefused)),
  move('Failed', 'requirements unmet', 'Pending', 'RequirementsNotMet', is.requirementsLack('requirements not met')),
  stay('Failed', 'Flotilla: install refused a short while ago', is.refusedLately),
  stay('Failed', 'owned APIService unadoptable', is.apiServiceUnadoptable),
  move('Failed', 'APIService resources broken and none unadoptable', 'Pending', 'APIServiceResourcesNeedReinstall', is.apiServicesBroken),
  move('Failed', 'certs due', 'Pending', 'NeedsCertRotation', is.certificatesToRotate('owned APIServices need cert refresh')),
  move('Failed', 'bad CA data', 'Pending', 'NeedsReinstall', is.authorityUnreadable),
  move('Failed', 'Flotilla: a Deployment is installed with another spec', 'Pending', 'NeedsReinstall', is.deploymentOutdated),
  ...checkNotOk('Failed', 'Pending', 'NeedsReinstall'),
  move('Failed', 'check ok', 'Succeeded', 'InstallSucceeded', is.checkOk),

  stay('Replacing', 'it itself replaces an existing CSV', is.notTheOldest),
  move('Replacing', 'replacement (fail-forward: last of the chain) Succeeded', 'Deleting', 'Replaced', is.replacedForGood),
  stay('Replacing', 'replacement not Succeeded, or none', is.notYetReplaced),

  stay('Deleting', 'always', is.deleteIt),
];
