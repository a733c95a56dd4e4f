import { at, both, drop, inKind, isList, isMap, sorted, withoutConditions, withoutKinds } from '../dump-edits.js';
import { REFUSALS } from '../orders.js';
import type { Json } from '../recording.js';
import type { Departure } from './departure.js';

const REAL_BUNDLES = [
  'real-cluster-aas-operator',
  'real-dbaas-operator',
  'real-eventing-kogito',
  'real-gitlab-operator-kubernetes',
  'real-kairos-operator',
  'real-mercury-operator',
  'real-node-healthcheck-operator',
  'real-node-maintenance-operator',
  'real-pelorus-operator',
];

/** Dumps from the middle of OLM's work: OLM reports later the state that we report at once. */
export const IN_FLIGHT: readonly Departure[] = [
  {
    name: 'plan-in-flight',
    because: 'dumped while the first plan was still Installing; the final dump has it Complete',
    scenario: 'upgrade-replaces',
    dump: 'v1',
    leaveOut: both(
      inKind('InstallPlan', drop('status')),
      withoutConditions('Subscription', 'InstallPlanPending'),
      withoutKinds('Operator'),
    ),
  },
  {
    name: 'generated-subscription-in-flight',
    because:
      'dumped before OLM looked at a generated Subscription again: its plan is Complete, and yet it says Installing',
    scenario: 'dependencies-resolved',
    leaveOut: both(
      withoutConditions('Subscription', 'InstallPlanPending'),
      inKind('Operator', (operator) =>
        at(operator, ['status', 'components', 'refs'], (refs) => (isList(refs) ? refs.map(withoutPending) : refs)),
      ),
    ),
  },
  {
    name: 'resolution-in-flight',
    because: 'dumped when the Event about the failed resolution was written, and its condition not yet',
    scenario: 'catalog-faults',
    dump: 'no-catalog',
    leaveOut: both(withoutConditions('Subscription', 'ResolutionFailed'), withoutKinds('Operator')),
  },
  {
    name: 'second-plan-in-flight',
    because: 'dumped within a second of the plan, before anything was done about it',
    scenario: 'crd-invalidates-crs',
    dump: 'retrying',
    leaveOut: withoutKinds(
      'ClusterServiceVersion',
      'InstallPlan',
      'Subscription',
      'Operator',
      'OperatorCondition',
      'Role',
      'RoleBinding',
    ),
  },
  {
    name: 'failed-plan-aftermath',
    because:
      'dumped as the plan failed; OLM comes to InstallPlanFailed and ResolutionFailed a pass later (spec: subscriptions.md, edge cases)',
    scenario: 'crd-invalidates-crs',
    dump: 'final',
    leaveOut: both(
      withoutConditions('Subscription', 'InstallPlanPending', 'InstallPlanFailed', 'ResolutionFailed'),
      withoutKinds('Operator'),
    ),
  },
  {
    name: 'second-plan-in-flight',
    because:
      'dumped while the second plan was still Installing and its Subscription UpgradePending; the CSVs are compared',
    scenario: 'operatorcondition-blocks',
    dump: 'blocked',
    leaveOut: both(
      inKind('InstallPlan', drop('status')),
      inKind('Subscription', drop('status')),
      withoutKinds('Operator'),
    ),
  },
  {
    name: 'subscription-in-flight',
    because: 'dumped before the Subscription was looked at again: its plan is Complete, and yet it says Installing',
    scenario: 'group-all-namespaces',
    dump: 'installed',
    leaveOut: both(withoutConditions('Subscription', 'InstallPlanPending'), withoutKinds('Operator')),
  },
  {
    name: 'plan-in-flight',
    because: 'dumped when the certificate was there; the plan, its Subscription and what is labelled after it follow',
    scenario: 'apiservice-owned',
    dump: 'installing',
    leaveOut: both(
      inKind('InstallPlan', drop('status')),
      inKind('Subscription', drop('status')),
      withoutKinds('ClusterServiceVersion', 'Deployment', 'Operator', 'OperatorCondition', 'Role', 'RoleBinding'),
      withoutKinds('APIService', 'ClusterRole', 'ClusterRoleBinding'),
    ),
  },
  {
    name: 'subscription-in-flight',
    because:
      'dumped before the Subscription was looked at again, and so before anything was labelled as of its Operator',
    scenario: 'apiservice-owned',
    leaveOut: both(inKind('Subscription', drop('status')), withoutKinds('Operator')),
  },
  {
    name: 'unlabelled-out-of-sight',
    because: 'the recorder left out cluster roles and bindings that bore no label of an Operator yet',
    scenario: 'apiservice-owned',
    leaveOut: withoutKinds('ClusterRoleBinding'),
  },
  {
    name: 'failed-install-in-flight',
    because:
      'dumped before the Subscription was looked at again; later it is AtLatestKnown, and its parts are labelled',
    scenario: 'attenuated-csv-install',
    dump: 'no-retry',
    leaveOut: both(inKind('Subscription', drop('status')), withoutKinds('Operator')),
  },
  {
    name: 'timeline-cut-short',
    because:
      'the recorder told nothing after the first waiting; its final dump has the plan Complete and the CSV Succeeded',
    scenario: 'real-kairos-operator',
    dump: 'order',
    leaveOut: withoutKinds('ClusterServiceVersion', 'InstallPlan'),
  },
  {
    name: 'subscription-to-come',
    because: 'recorded until its CSV was deleted; OLM had not come back to the Subscription',
    scenario: 'apiservice-owned',
    dump: 'order',
    leaveOut: withoutKinds('Subscription'),
  },
  ...REAL_BUNDLES.map((scenario) => ({
    name: 'image-lookups',
    because:
      'the recording served the bundle inline; from an image its plan has a lookup, as the recording of an image shows',
    scenario,
    leaveOut: inKind('InstallPlan', drop('status', 'bundleLookups')),
  })),
  ...['cluster-aas', 'node-healthcheck', 'node-maintenance'].map((name) => ({
    name: 'timeline-cut-short',
    because: 'the recorder told nothing of what came after; its final dump has the plan Complete and the CSV Succeeded',
    scenario: `real-${name}-operator`,
    dump: 'order',
    leaveOut: withoutKinds('ClusterServiceVersion', 'InstallPlan', 'Subscription'),
  })),
  {
    name: 'conversion-put-back',
    because:
      'the final dump shows OLM putting the conversion back that a second execution of the plan took away; it was Succeeded before and is again',
    scenario: 'real-dbaas-operator',
    leaveOut: both(
      inKind('ClusterServiceVersion', drop('status')),
      withoutKinds('Operator'),
      inKind('ClusterRole', (role) => (isMap(role['aggregationRule']) ? at(role, ['rules'], () => null) : role)),
    ),
  },
  {
    name: 'conversion-put-back',
    because: 'as above, in the order of phases',
    scenario: 'real-dbaas-operator',
    dump: 'order',
    leaveOut: withoutKinds('ClusterServiceVersion', 'InstallPlan', 'Subscription'),
  },
  {
    name: 'account-order',
    because: 'OLM walks a Go map of service accounts',
    leaveOut: inKind('ClusterServiceVersion', (csv) =>
      at(csv, ['status', 'requirementStatus'], sorted('kind', 'name')),
    ),
  },
  {
    name: 'refusal-to-come',
    because: 'recorded until the plan failed; ResolutionFailed comes after that (spec: subscriptions.md, edge cases)',
    scenario: 'crd-invalidates-crs',
    dump: 'order',
    leaveOut: withoutKinds(REFUSALS),
  },
];

const withoutPending = (ref: Json): Json => String(ref).replace(' InstallPlanPending=True/Installing', '');
