import type { ClusterServiceVersion, CsvStatus, PolicyRule } from '../../../kernel/api/cluster-service-version.js';
import type { KubernetesObject } from '../../../kernel/api/kubernetes-object.js';
import type { OperatorCondition } from '../../../kernel/api/operator-condition.js';
import { SUBSCRIPTION_API } from '../../../kernel/api/subscription.js';
import { wantedDeployments } from '../deployments/install-deployments.js';
import { installed } from '../serving/serving.fixture.js';
import { gear, millers, world } from '../world/csv-world.fixture.js';
import type { CsvWorld } from '../world/csv-world.js';

export const SUCCEEDED = 'install strategy completed with no errors';
export const MISSING = 'missing deployment with name=gear';
export const LONG_AGO = '2026-01-01T00:05:00Z';

export const at = (phase: string, reason = 'Whatever', more: Partial<CsvStatus> = {}): CsvStatus => ({
  phase,
  reason,
  message: 'before',
  lastTransitionTime: '2026-01-01T00:09:00Z',
  ...more,
});

export const magic = { install: { strategy: 'magic' } };
export const ruled = (rule: PolicyRule) => ({
  install: {
    strategy: 'deployment',
    spec: { deployments: [], permissions: [{ serviceAccountName: 'pilot', rules: [rule] }] },
  },
});
export const noVerb = ruled({ verbs: [] });
export const mixed = ruled({ verbs: ['get'], resources: ['pods'], nonResourceURLs: ['/metrics'] });
export const NO_VERB = 'install strategy invalid: policy rule must have at least one verb';
export const UNKNOWN = 'install strategy invalid: unrecognized install strategy';

export const webhook = { generateName: 'guard', type: 'ValidatingAdmissionWebhook', deploymentName: 'gear' };
export const guarded = { webhookdefinitions: [{ ...webhook, rules: [{ apiGroups: ['apps'] }] }] };
export const guardsAll = { webhookdefinitions: [{ ...webhook, rules: [{ apiGroups: ['*'] }] }] };
export const twice = { webhookdefinitions: [webhook, webhook] };
export const GUARDS_ALL = 'webhook rules cannot include all groups';

export const NAME = 'gears.example.com';
export const owns = { customresourcedefinitions: { owned: [{ name: NAME, version: 'v1', kind: 'Gear' }] } };
export const crd = (conversion?: object): Partial<CsvWorld> => ({
  crds: new Map([
    [
      NAME,
      {
        apiVersion: 'apiextensions.k8s.io/v1',
        kind: 'CustomResourceDefinition',
        metadata: { name: NAME, uid: 'uid-of-gears' },
        spec: { versions: [{ name: 'v1', served: true }], ...(conversion && { conversion }) },
        status: { conditions: ['Established', 'NamesAccepted'].map((type) => ({ type, status: 'True' })) },
      },
    ],
  ]),
});
export const converts = (...conversionCRDs: string[]) => ({
  ...owns,
  installModes: [{ type: 'AllNamespaces', supported: true }],
  webhookdefinitions: [{ ...webhook, type: 'ConversionWebhook', conversionCRDs }],
});
export const seesAll = (csv: ClusterServiceVersion): ClusterServiceVersion => ({
  ...csv,
  metadata: { ...csv.metadata, annotations: { ...csv.metadata.annotations, 'olm.targetNamespaces': '' } },
});
export const group = (apis: string, namespaces: string[], spec = {}) => {
  const one = millers(spec);
  const annotations = { 'olm.providedAPIs': apis };
  return { operatorGroups: [{ ...one, metadata: { ...one.metadata, annotations }, status: { namespaces } }] };
};
export const providing = group('Gear.v1.example.com', ['mill']);
export const everywhere = group('Gear.v1.example.com', ['']);
const convertedBy = (caBundle: string) => ({ strategy: 'Webhook', webhook: { clientConfig: { caBundle } } });

const wheel = { name: 'wheels', group: 'run.example.org', version: 'v1', kind: 'Wheel', deploymentName: 'gear' };
export const serves = { apiservicedefinitions: { owned: [wheel] } };
export const servingGroup = group('Wheel.v1.run.example.org', ['mill']);
export const apiService = (parts: object): Partial<CsvWorld> => ({
  apiServices: new Map<string, KubernetesObject>([
    ['v1.run.example.org', { apiVersion: 'apiregistration.k8s.io/v1', kind: 'APIService', metadata: {}, ...parts }],
  ]),
});
export const foreign = apiService({ metadata: { labels: { 'olm.owner': 'somebody' } } });

export const failForward = { operatorGroups: [millers({ upgradeStrategy: 'TechPreviewUnsafeFailForward' })] };
export const tooNew = { minKubeVersion: '1.99.0' };
export const condition = (csv: string, message: string): Partial<CsvWorld> => {
  const one: OperatorCondition = {
    apiVersion: 'operators.coreos.com/v2',
    kind: 'OperatorCondition',
    metadata: { name: csv, namespace: 'mill' },
    spec: { overrides: [{ type: 'Upgradeable', status: 'False', message }] },
  };
  return { operatorConditions: new Map([[csv, one]]) };
};

/** Returns the world in which the CSV is installed, with changed Deployments. */
export const withDeployments = (csv: ClusterServiceVersion, change: (one: KubernetesObject) => KubernetesObject) => {
  const all = installed(csv);
  return { ...all, deployments: all.deployments.map(change) };
};
export const unhashed = (one: KubernetesObject): KubernetesObject => {
  const { 'olm.deployment-spec-hash': _hash, ...labels } = one.metadata.labels ?? {};
  return { ...one, metadata: { ...one.metadata, labels } };
};
export const pastDeadline = (one: KubernetesObject): KubernetesObject => ({
  ...one,
  status: { conditions: [{ type: 'Progressing', status: 'False', reason: 'ProgressDeadlineExceeded' }] },
});
export const waiting = (one: KubernetesObject): KubernetesObject => ({
  ...one,
  status: { conditions: [{ type: 'Available', status: 'False', message: 'no Pod was scheduled' }] },
});
/** The Subscription of `v1` has a config that was not there when its Deployments were made. */
export const configured = {
  subscriptions: [
    {
      ...SUBSCRIPTION_API,
      metadata: { name: 'gear', namespace: 'mill' },
      spec: { source: 'shelf', sourceNamespace: 'mill', name: 'gear', config: { nodeSelector: { disk: 'ssd' } } },
      status: { installedCSV: 'v1' },
    },
  ],
} satisfies Partial<CsvWorld>;
const [asked] = wantedDeployments(gear('v1'), world(configured));
const [made] = wantedDeployments(gear('v1'), world());
export const OTHER_HASH = `installing: deployment changed old hash=${made?.hash}, new hash=${asked?.hash}`;
export const UNHASHED = "installing: deployment gear doesn't have a spec hash, update it";
export const PAST_DEADLINE =
  'install failed: deployment gear not ready before timeout: deployment "gear" exceeded its progress deadline';
/** A description that has changed since: its configuration is there, but not as it should be. */
const changedGuard = { webhookdefinitions: [{ ...webhook, rules: [{ apiGroups: ['batch'] }] }] };

/** One case of a row of the phase table, in the words of the table. */
export type Case = Readonly<{
  when: string;
  csv: ClusterServiceVersion;
  others?: readonly ClusterServiceVersion[];
  parts?: Partial<CsvWorld>;
  /** Phase and reason afterwards; undefined: the CSV stays as it is. */
  goes?: string;
  /** Exact message. */
  says?: string;
  does?: object[];
}>;

/** The APIService is unavailable because the one pod behind it is being replaced. */
const onTheMove = (csv: ClusterServiceVersion): Partial<CsvWorld> => {
  const whole = installed(csv, servingGroup);
  const metadata = { name: 'gear-1', labels: {}, creationTimestamp: '2026-01-01T00:09:00Z' };
  return {
    ...whole,
    ...servingGroup,
    apiServices: new Map([...whole.apiServices].map(([name, one]) => [name, { ...one, status: {} }])),
    deployments: whole.deployments.map((one) => ({
      ...one,
      spec: { ...(one['spec'] as object), selector: {} },
      status: { replicas: 1, updatedReplicas: 1, unavailableReplicas: 1 },
    })),
    pods: [{ apiVersion: 'v1', kind: 'Pod', metadata, status: { phase: 'Pending' } }],
  };
};

/** Returns the ways in which a check can fail, from each phase that makes it. Most lead to `retry`. */
export const checks = (phase: string, reason: string, retry: string): readonly Case[] => {
  const reinstall = `InstallReady / ${retry.split(' / ')[1]}`;
  const csv = (spec = {}) => gear('v1', spec, at(phase, reason));
  const converting = seesAll(gear('v1', converts(NAME, 'others.example.com'), at(phase, reason)));
  const served = { ...installed(csv(serves), servingGroup), ...servingGroup };
  return [
    {
      when: 'check: unrecoverable',
      goes: 'Failed / InstallCheckFailed',
      csv: csv(),
      parts: withDeployments(csv(), pastDeadline),
      says: PAST_DEADLINE,
    },
    { when: 'check: APIService error, retryable', csv: csv(serves), parts: onTheMove(csv(serves)) },
    {
      when: 'check: APIServices unavailable',
      goes: retry,
      csv: csv(serves),
      parts: { ...served, servedKinds: new Set() },
      says: 'apiServices not installed',
    },
    {
      when: 'check: webhook error',
      goes: reinstall,
      csv: converting,
      parts: { ...installed(converting), ...everywhere, ...crd(convertedBy('b3RoZXI=')) },
      says: 'Webhook install failed: conversionWebhook not ready',
    },
    {
      when: 'check: webhooks missing',
      goes: retry,
      csv: csv(changedGuard),
      parts: { ...installed(csv(guarded)) },
      says: 'webhooks not installed',
    },
    {
      when: 'check: Deployment hash/annotation drift',
      goes: reinstall,
      csv: csv(),
      parts: withDeployments(csv(), unhashed),
      says: UNHASHED,
    },
    {
      when: 'check: anything else',
      goes: retry,
      csv: csv(),
      // One of that name belongs to another CSV.
      parts: { deployments: [{ apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'gear' } }] },
      says: `installing: ${MISSING}`,
    },
  ];
};
