import { historyLine, withoutRaces } from './csv-history.js';
import {
  at,
  both,
  drop,
  type Edit,
  eachManifest,
  eachStep,
  inEveryKind,
  inKind,
  inTexts,
  isList,
  isMap,
  sorted,
  steps,
  withoutConditions,
  withoutKinds,
} from './dump-edits.js';
import { REFUSALS } from './orders.js';
import type { Json } from './recording.js';

/** Something in which Flotilla may differ from the recordings; it is left out of both sides before they are compared. */
export type Departure = Readonly<{
  name: string;
  because: string;
  /** Absent: in every scenario. */
  scenario?: string;
  /** The label of the only dump it is for; absent: all. */
  dump?: string;
  leaveOut: Edit;
}>;

const REQUIREMENT =
  /requires an operator (with package: lighthouse-operator and with version in range: >=1\.0\.0|providing an API with group: tugs\.missing-dependency\.example\.com, version: v1, kind: Tug)/;

const MERCURY_REQUIREMENT =
  /(bundle mercury-operator\.v1\.0\.2 requires an operator with package:) (strimzi-kafka-operator and with version in range: 0\.28\.0|camel-k and with version in range: 1\.9\.0)/;

const WHY = /(no registry client established for catalogsource \S+?): .*/;

const onceInARow = (list: Json): Json => (isList(list) ? list.filter((item, index) => item !== list[index - 1]) : list);

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

/** Every allowed difference there is. */
export const DEPARTURES: readonly Departure[] = [
  // What the recordings' own README lets differ.
  {
    name: 'step-status',
    because: 'README: Created or Present, depending on whether a second execution came',
    leaveOut: eachStep((step) => at(step, ['status'], (status) => (status === 'Created' ? 'Present' : status))),
  },
  {
    name: 'step-order',
    because: 'README: the order of steps among service accounts; OLM walks a Go map',
    leaveOut: steps(sorted('resource.kind', 'resource.name')),
  },
  {
    name: 'csv-history',
    because: 'README: waiting, requirements still being created, and loops through ComponentUnhealthy',
    leaveOut: inKind('ClusterServiceVersion', (csv) => at(csv, ['status', 'conditions'], settledHistory)),
  },
  {
    name: 'deployment-spec-hash',
    because: "README: a hash of Go's own of the resulting spec",
    leaveOut: inKind('Deployment', drop('metadata', 'labels', 'olm.deployment-spec-hash')),
  },
  {
    name: 'webhook-description-hash',
    because: "a hash of Go's own of the description; ours is another",
    leaveOut: both(
      inKind('ValidatingWebhookConfiguration', drop('metadata', 'labels', 'olm.webhook-description-hash')),
      inKind('MutatingWebhookConfiguration', drop('metadata', 'labels', 'olm.webhook-description-hash')),
    ),
  },
  // What means nothing.
  {
    name: 'condition-order',
    because: 'conditions are a map by type: their order says nothing',
    leaveOut: inEveryKind((object) =>
      at(object, ['status', 'conditions'], (list) => (isHistory(list) ? list : sorted('type')(list))),
    ),
  },
  {
    name: 'owner-order',
    because: 'owner references are a set',
    leaveOut: inEveryKind((object) => at(object, ['metadata', 'ownerReferences'], sorted('kind', 'name'))),
  },
  {
    name: 'csv-name-order',
    because: 'OLM lists the CSVs and catalogs of a plan in the order of a Go map (spec: classic-resolution.md §8)',
    leaveOut: inKind('InstallPlan', (plan) =>
      at(at(plan, ['spec', 'clusterServiceVersionNames'], sorted()), ['status', 'catalogSources'], sorted()),
    ),
  },
  {
    name: 'long-manifests',
    because: 'the recordings leave out step manifests over 6000 bytes; ours may be a few bytes longer or shorter',
    leaveOut: eachStep((step) =>
      at(step, ['resource', 'manifest'], (manifest) => (isMap(manifest) ? manifest : '<omitted>')),
    ),
  },
  {
    name: 'zero-values',
    because:
      'OLM writes step manifests from Go structs: zero values that say nothing, some without apiVersion and kind, which the step has',
    leaveOut: eachManifest((manifest) =>
      [['status'], ['apiVersion'], ['kind'], ['metadata', 'creationTimestamp']].reduce(
        (left, path) => at(left, path, () => undefined),
        at(manifest, ['spec', 'cleanup'], (cleanup) =>
          JSON.stringify(cleanup) === '{"enabled":false}' ? null : cleanup,
        ),
      ),
    ),
  },
  {
    name: 'step-namespaces',
    because:
      'OLM writes a namespace into cluster-scoped manifests and leaves it out of some accounts; what is created is compared',
    leaveOut: eachManifest((manifest, kind) =>
      NAMESPACE_VARIES.has(kind) ? at(manifest, ['metadata', 'namespace'], () => undefined) : manifest,
    ),
  },
  // Our decisions.
  {
    name: 'catalog-connection',
    because: 'decision 12: no pod and no service behind a source; connectionState tells what the hub holds',
    leaveOut: both(
      ...['connectionState', 'registryService', 'latestImageRegistryPoll'].map((field) =>
        inKind('CatalogSource', drop('status', field)),
      ),
    ),
  },
  {
    name: 'plan-generate-name',
    because: 'decision 5: plans are named install-<hash of their content>, so they have no generateName',
    leaveOut: inKind('InstallPlan', drop('metadata', 'generateName')),
  },
  {
    name: 'plan-moves',
    because: 'decision 5: a repeated job finds in its plan which Subscriptions it was made for',
    leaveOut: inKind('InstallPlan', drop('metadata', 'annotations', 'flotilla.dev/moves')),
  },
  {
    name: 'plan-shared-crds',
    because: 'decision 22: a plan names the other owners of a CRD and what changes for them',
    leaveOut: inKind('InstallPlan', drop('metadata', 'annotations', 'flotilla.dev/shared-crds')),
  },
  {
    name: 'no-unpack-job',
    because: 'decision 27: the hub pulls the bundle, so nothing is unpacked into the cluster',
    scenario: 'unpack-image-bundle',
    leaveOut: both(
      withoutKinds('Job'),
      inEveryKind((object, key) => (UNPACKED.test(key) ? undefined : object)),
    ),
  },
  {
    name: 'inline-manifests',
    because: 'decision 27: a plan that has room for its manifests holds them; OLM refers to the unpacked bundle',
    scenario: 'unpack-image-bundle',
    leaveOut: eachStep((step) => at(step, ['resource', 'manifest'], () => undefined)),
  },
  {
    name: 'unpacking-over',
    because: 'OLM leaves BundleUnpacking behind until the next resolution (spec: subscriptions.md §2.9)',
    scenario: 'unpack-image-bundle',
    leaveOut: both(
      withoutConditions('Subscription', 'BundleUnpacking'),
      inTexts('Operator', / BundleUnpacking=True\/UnpackingInProgress/, ''),
    ),
  },
  {
    name: 'while-unpacking',
    because: 'dumped between Job and plan; here there is no such time',
    scenario: 'unpack-image-bundle',
    dump: 'unpacking',
    leaveOut: () => ({}),
  },
  // Dumps that were taken while OLM was still at work: later it says what we say at once.
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
  // What OLM itself does now this way, now that.
  {
    name: 'which-conflict',
    because:
      'two requirements cannot be met; which of them the message names varies from run to run in OLM (spec: classic-resolution.md §5)',
    scenario: 'missing-dependency',
    leaveOut: both(...['Subscription', REFUSALS].map((kind) => inTexts(kind, REQUIREMENT, 'requires <either>'))),
  },
  {
    name: 'which-conflict',
    because: 'as above: of the two packages that are required, now one is named and now the other',
    scenario: 'real-dependencies-missing',
    leaveOut: both(...['Subscription', REFUSALS].map((kind) => inTexts(kind, MERCURY_REQUIREMENT, '$1 <either>'))),
  },
  {
    name: 'account-evaluated',
    because:
      'OLM evaluated the rights of an account before its cache had the Role that makes this needless; in operatorcondition-blocks, the same upgrade, it had',
    scenario: 'upgrade-replaces',
    leaveOut: inKind('ClusterServiceVersion', (csv) =>
      at(csv, ['status', 'requirementStatus'], (list) =>
        isList(list) ? list.filter((entry) => !isMap(entry) || entry['kind'] !== 'ServiceAccount') : list,
      ),
    ),
  },
  {
    name: 'why-no-client',
    because: 'where OLM says that a catalog has no client, we go on to say why (decision 12)',
    scenario: 'catalog-faults',
    leaveOut: both(
      ...['Subscription', REFUSALS].map((kind) => inTexts(kind, WHY, '$1')),
      inKind(REFUSALS, (told) => at(told, ['history'], onceInARow)),
    ),
  },
  {
    name: 'refused-verb',
    because:
      'OLM asks for a Deployment with the rights of the account before it creates it; we know by then that there is none',
    scenario: 'attenuated-csv-install',
    leaveOut: inTexts(
      'ClusterServiceVersion',
      /deployments\.apps.* is forbidden: (User "\S+" cannot) \w+/,
      'deployments.apps is forbidden: $1',
    ),
  },
  {
    name: 'turning-in-circles',
    because: 'OLM tries again without end what it refuses; here the CSV stays Failed while the cause stands',
    scenario: 'webhook-rule-guard',
    leaveOut: both(
      inKind('ClusterServiceVersion', (csv) =>
        at(at(csv, ['status', 'conditions'], withoutCircles), ['history'], withoutCircles),
      ),
    ),
  },
  {
    name: 'conversion-put-back',
    because:
      'OLM carries out a plan a second time, puts the CRD of the bundle over the installed conversion, and installs again; here a step that is done is not done again',
    scenario: 'webhooks-conversion',
    leaveOut: inKind('ClusterServiceVersion', (csv) =>
      at(at(csv, ['status', 'conditions'], withoutReinstall), ['history'], withoutReinstall),
    ),
  },
  {
    name: 'edit-undone',
    because:
      'an edited template rolls out; who looks during the roll-out reinstalls the CSV’s, who looks after it leaves the edit (README: loops)',
    scenario: 'drift',
    leaveOut: inKind('Deployment', drop('spec', 'template', 'metadata', 'labels', 'edited')),
  },
];

/** Named after the hash of the bundle's image. */
const UNPACKED = /\/[0-9a-f]{63}$/;

// Written with a namespace, or without, as it comes; the API server puts both right.
const NAMESPACE_VARIES = new Set(['ClusterRole', 'ClusterRoleBinding', 'CustomResourceDefinition', 'ServiceAccount']);

const isHistory = (list: Json): boolean =>
  isList(list) && list.some((item) => isMap(item) && item['phase'] !== undefined);

function settledHistory(list: Json): Json {
  if (!isList(list)) return list;
  const lines = list.map((item) => (isMap(item) ? historyLine(item['phase'], item['reason'], item['message']) : ''));
  return [...withoutRaces(lines.filter((line, index) => line !== lines[index - 1]))];
}

/** Each line once: what comes again, and what only leads there. */
const withoutCircles = (list: Json): Json =>
  isList(list) ? [...new Set(list)].filter((line) => !/^(Pending|InstallReady)\//.test(String(line))).toSorted() : list;

const withoutReinstall = (list: Json): Json =>
  isList(list)
    ? [...new Set(list)].filter((line) => !String(line).startsWith('Pending/NeedsReinstall')).toSorted()
    : list;

const withoutPending = (ref: Json): Json => String(ref).replace(' InstallPlanPending=True/Installing', '');
