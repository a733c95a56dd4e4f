/** Where a recording is played, and how. */
export type ScenarioRow = Readonly<{
  name: string;
  /** Part of every `make test`, on the simulator. */
  fast?: true;
  /** Why only a real API server shows it. */
  realOnly?: string;
  /** Why it cannot share a real cluster with others. */
  ownCluster?: string;
  /** Why it is not played yet. */
  notYet?: string;
}>;

const GLOBAL = 'its global group copies its CSV into every namespace, where others want one of the same name';
const REAL_BUNDLE = 'its bundle is public data and no part of this repository; see test/e2e/real-bundles.spec.ts';

/** Every recording there is, each with what becomes of it here. */
export const SCENARIOS: readonly ScenarioRow[] = [
  { name: 'install-automatic' },
  { name: 'install-manual', fast: true },
  { name: 'upgrade-replaces', fast: true },
  { name: 'upgrade-skiprange' },
  { name: 'dependencies-resolved', fast: true },
  { name: 'missing-dependency', fast: true },
  { name: 'no-operatorgroup' },
  { name: 'two-operatorgroups-plan' },
  { name: 'unsupported-install-mode', fast: true },
  { name: 'plan-deleted-after-success', fast: true },
  { name: 'delete-subscription-then-csv', fast: true },
  { name: 'subscription-config' },
  { name: 'crd-invalidates-crs' },
  { name: 'crd-shared-two-namespaces' },
  { name: 'csv-requirement-missing' },
  { name: 'operatorcondition-blocks' },
  { name: 'catalog-faults', fast: true },
  { name: 'drift', fast: true },
  { name: 'progress-deadline', realOnly: 'the simulator has no progress deadline' },
  { name: 'attenuated-csv-install', realOnly: 'the simulator lets everybody do everything' },
  { name: 'group-all-namespaces', fast: true, ownCluster: GLOBAL },
  { name: 'group-multi-explicit' },
  { name: 'group-single-namespace', fast: true },
  { name: 'global-vs-own-conflict', fast: true, ownCluster: GLOBAL },
  { name: 'apiservice-owned', realOnly: 'the simulator passes no requests on' },
  { name: 'webhook-rule-guard' },
  { name: 'webhooks-conversion', ownCluster: GLOBAL },
  { name: 'unpack-image-bundle', fast: true },
  ...[
    'real-cluster-aas-operator',
    'real-dbaas-operator',
    'real-dependencies-missing',
    'real-eventing-kogito',
    'real-gitlab-operator-kubernetes',
    'real-kairos-operator',
    'real-mercury-operator',
    'real-node-healthcheck-operator',
    'real-node-maintenance-operator',
    'real-pelorus-operator',
  ].map((name) => ({ name, notYet: REAL_BUNDLE })),
];

/** Those named in a comma-separated list: for playing a few by hand. Undefined where there is no list. */
export const chosenScenarios = (list: string | undefined): readonly ScenarioRow[] | undefined =>
  list === undefined ? undefined : SCENARIOS.filter(({ name }) => list.split(',').includes(name));
