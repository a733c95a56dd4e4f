import type { Action } from '../../../kernel/actions/action.js';
import { CSV_API } from '../../../kernel/api/cluster-service-version.js';
import { csvName, csvNamespace, namesApis, providedApis, strategyDeployments } from '../../../kernel/api/csv-facts.js';
import { refOf } from '../../../kernel/api/kubernetes-object.js';
import { servedKey } from '../../../kernel/api/served-key.js';
import { changedAfter, managedRights } from '../../../kernel/rbac/rights-changed.js';
import { annotateGroup } from '../../operator-group/annotate-group.js';
import { memberAnnotations, TARGET_NAMESPACES_ANNOTATION, targetsOf } from '../../operator-group/group-facts.js';
import { reconcileApis } from '../../operator-group/provided-apis.js';
import { selectsNothing } from '../../operator-group/select-targets.js';
import { FORBIDDEN_REASON, refusedRights, rightsOfInstall } from '../install/refused-rights.js';
import { installModesError, unsupportedTargets } from './install-modes.js';
import { type CsvSubject, move, type Outcome, type Rule, STAY, waitFor } from './outcome.js';

const GROUP_STATUS_WAIT_MS = 5_000;
/** Rights without the label `olm.managed` are watched only while an applier has work in the cluster. */
const RIGHTS_RETRY_MS = 5 * 60_000;

/**
 * An install that was forbidden is not tried again until rights or group change
 * (spec: csv-lifecycle.md §2.0): either are others than those that were refused, or were touched since.
 */
const frozen: Rule = ({ csv, world }) => {
  if (csv.status?.reason !== FORBIDDEN_REASON) return undefined;
  const refused = refusedRights(csv);
  const rights = managedRights([...world.roles, ...world.roleBindings, ...world.serviceAccounts]);
  const isOther = refused !== undefined && refused !== rightsOfInstall(csv, world);
  return isOther || changedAfter(csv.status.lastTransitionTime, [...rights, ...world.operatorGroups])
    ? move('Pending', 'DetectedClusterChange', 'Cluster resources changed state')
    : { next: waitFor('rights of the install have to change', RIGHTS_RETRY_MS) };
};

/**
 * A CRD name without a dot names no API. As in OLM, nothing is reported (§2.1), and the group still marks the
 * CSV.
 */
const crdNameWithoutDot: Rule = (subject) => (namesApis(subject.csv) ? undefined : (marked(subject) ?? STAY));

const groupCount: Rule = ({ world }) => {
  if (world.operatorGroups.length === 1) return undefined;
  return world.operatorGroups.length === 0
    ? move('Failed', 'NoOperatorGroup', 'csv in namespace with no operatorgroups')
    : move(
        'Failed',
        'TooManyOperatorGroups',
        "csv created in namespace with multiple operatorgroups, can't pick one automatically",
      );
};

/** Group annotations are written first; the pass ends there, and the next one reads them back (§2.3). */
const marked: Rule = ({ csv, world: { operatorGroups } }) => {
  const [group] = operatorGroups;
  if (group === undefined || operatorGroups.length > 1) return undefined;
  const wanted = memberAnnotations(group);
  const current = csv.metadata.annotations ?? {};
  if (Object.entries(wanted).every(([key, value]) => current[key] === value)) return undefined;
  const ref = { ...CSV_API, name: csvName(csv), namespace: csvNamespace(csv) };
  const { resourceVersion } = csv.metadata;
  const metadata = { ...(resourceVersion === undefined ? {} : { resourceVersion }), annotations: wanted };
  return { actions: [{ do: 'patch', ref, patch: { metadata } }], next: { again: 'now' } };
};

const membership: Rule = (subject) => {
  const [group] = subject.world.operatorGroups;
  if (group === undefined) return STAY;
  const marking = marked(subject);
  if (marking !== undefined) return marking;
  if (targetsOf(group) !== undefined) return undefined;
  if (selectsNothing(group)) {
    const message = 'no targetNamespaces are matched operatorgroups namespace selection';
    return move('Failed', 'NoTargetNamespaces', message);
  }
  return { next: waitFor('the OperatorGroup has no target namespaces yet', GROUP_STATUS_WAIT_MS) };
};

const installModes: Rule = ({ csv }) => {
  const broken = installModesError(csv);
  if (broken !== undefined) return move('Failed', 'InvalidInstallModes', broken);
  const targets = csv.metadata.annotations?.[TARGET_NAMESPACES_ANNOTATION];
  if (targets === undefined) {
    return move('Failed', 'NoTargetNamespaces', 'csv missing olm.targetNamespaces annotation');
  }
  const unsupported = unsupportedTargets(csv, csvNamespace(csv), targets.split(','));
  return unsupported === undefined ? undefined : move('Failed', 'UnsupportedOperatorGroup', unsupported);
};

/**
 * Checks provided APIs against those of groups that watch the same namespaces (spec: operator-groups.md §4).
 */
const providedApiConflicts: Rule = (subject) => {
  const { csv, world } = subject;
  const [group] = world.operatorGroups;
  if (group === undefined) return STAY;
  const provided = new Set(providedApis(csv).map(servedKey));
  const answer = reconcileApis(provided, group, world.otherOperatorGroups);
  switch (answer.result) {
    case 'NoAPIConflict':
      return undefined;
    case 'AddAPIs':
    case 'RemoveAPIs':
      return { actions: [annotateGroup(group, answer.annotation)], next: { again: 'now' } };
    case 'StaticGroup':
      return refused(
        subject,
        'CannotModifyStaticOperatorGroupProvidedAPIs',
        'static provided api operatorgroup cannot be modified by these apis',
      );
    case 'APIConflict':
      return refused(subject, 'InterOperatorGroupOwnerConflict', 'intersecting operatorgroups provide the same apis');
  }
};

/**
 * Deletes the Deployments of an operator that must not run in this state, by name. A CSV that is already in a
 * conflict keeps that verdict, and no action follows (spec: operator-groups.md §4).
 */
function refused({ csv, world }: CsvSubject, reason: string, message: string): Outcome {
  if (csv.status?.reason === 'InterOperatorGroupOwnerConflict') return STAY;
  const names = new Set(strategyDeployments(csv).map(({ name }) => name));
  const actions = world.deployments
    .filter(({ metadata }) => names.has(metadata.name ?? '') && metadata.deletionTimestamp === undefined)
    .map((one): Action => ({ do: 'delete', ref: refOf(one), propagation: 'Background', uid: one.metadata.uid }));
  return { ...move('Failed', reason, message), actions };
}

/** Rules that run in every phase before the phase table (spec: csv-lifecycle.md §2). Order is contract. */
export const GROUP_RULES: readonly Rule[] = [
  frozen,
  crdNameWithoutDot,
  groupCount,
  membership,
  installModes,
  providedApiConflicts,
];
