/**
 * The place and way of playing a recording. Each is played on a real API server, some on a simulated cluster,
 * too.
 */
export type ScenarioRow = Readonly<{
  name: string;
  /** The reason if it cannot share a cluster with others. */
  ownCluster?: string;
  /** The reason if it is not played together with others on a real API server. */
  notWithOthers?: string;
  /** Its kind in `make test-all`, which plays one of each kind. `make e2e` plays all. */
  standsFor?: string;
  /** True if `make test` plays it. */
  inEveryRun?: true;
}>;

const GLOBAL = 'its global group copies its CSV into every namespace, where others want one of the same name';
const FROM_IMAGE = 'there it is played with its bundle in an image: test/e2e/real-bundles.spec.ts';

/** Every recording there is, those that take long first. */
export const SCENARIOS: readonly ScenarioRow[] = [
  { name: 'progress-deadline' },
  { name: 'crd-invalidates-crs', standsFor: 'CRDs that change' },
  { name: 'group-all-namespaces', ownCluster: GLOBAL, standsFor: 'copied CSVs' },
  { name: 'global-vs-own-conflict', ownCluster: GLOBAL },
  { name: 'webhooks-conversion', ownCluster: GLOBAL, standsFor: 'webhooks' },
  { name: 'csv-requirement-missing' },
  { name: 'operatorcondition-blocks' },
  { name: 'attenuated-csv-install', standsFor: 'groups with a service account' },
  { name: 'apiservice-owned', standsFor: 'APIServices' },
  { name: 'upgrade-replaces', standsFor: 'upgrades', inEveryRun: true },
  { name: 'drift', standsFor: 'objects changed by hand' },
  { name: 'two-operatorgroups-plan' },
  { name: 'catalog-faults', standsFor: 'faults of catalogs' },
  { name: 'webhook-rule-guard' },
  { name: 'install-automatic' },
  { name: 'install-manual', standsFor: 'installs with an approval', inEveryRun: true },
  { name: 'upgrade-skiprange' },
  { name: 'dependencies-resolved', standsFor: 'dependencies' },
  { name: 'missing-dependency', standsFor: 'failed resolutions' },
  { name: 'no-operatorgroup' },
  { name: 'unsupported-install-mode' },
  { name: 'plan-deleted-after-success' },
  { name: 'delete-subscription-then-csv' },
  { name: 'subscription-config' },
  { name: 'crd-shared-two-namespaces' },
  { name: 'group-multi-explicit' },
  { name: 'group-single-namespace' },
  { name: 'unpack-image-bundle', standsFor: 'bundles in images' },
  { name: 'real-dependencies-missing' },
  { name: 'real-gitlab-operator-kubernetes', notWithOthers: FROM_IMAGE },
  { name: 'real-kairos-operator', notWithOthers: FROM_IMAGE },
  { name: 'real-mercury-operator', notWithOthers: FROM_IMAGE },
  {
    name: 'real-pelorus-operator',
    ownCluster: 'real-dependencies-missing installs it, too',
    notWithOthers: FROM_IMAGE,
  },
  { name: 'real-cluster-aas-operator', ownCluster: GLOBAL, notWithOthers: FROM_IMAGE },
  { name: 'real-dbaas-operator', ownCluster: GLOBAL, notWithOthers: FROM_IMAGE },
  { name: 'real-eventing-kogito', ownCluster: GLOBAL, notWithOthers: FROM_IMAGE },
  { name: 'real-node-healthcheck-operator', ownCluster: GLOBAL, notWithOthers: FROM_IMAGE },
  { name: 'real-node-maintenance-operator', ownCluster: GLOBAL, notWithOthers: FROM_IMAGE },
];

/** The scenarios of a comma-separated list, to play a few by hand. Undefined without a list. */
export const chosenScenarios = (list: string | undefined): readonly ScenarioRow[] | undefined =>
  list === undefined ? undefined : SCENARIOS.filter(({ name }) => list.split(',').includes(name));
