import { FLEET_API } from '../../kernel/api/fleet/fleet-fields.js';
import type { KubernetesObject } from '../../kernel/api/kubernetes-object.js';

/** The kinds that people write. */
export type WrittenKind =
  | 'FleetCluster'
  | 'FleetCatalog'
  | 'FleetOperator'
  | 'FleetStrategy'
  | 'FleetWindow'
  | 'FleetDecision';

const CLUSTERS = {
  selector: {
    matchLabels: { 'example.com/tier': 'lab' },
    matchExpressions: [{ key: 'site', operator: 'In', values: ['west'] }],
  },
  expression: "cluster.labels.tier == 'lab' && (size(cluster.labels) > 0 || cluster.name in ['a', 'b)'])",
};
const GATES = [
  {
    ...{ name: 'pods', when: 'After', scope: 'Cluster', times: 3, interval: '30s', timeout: '10m' },
    cel: { apiVersion: 'apps/v1', kind: 'Deployment', namespace: 'n', name: 'd', expression: 'object.status.x > 0' },
  },
  { name: 'errors', prometheus: { url: 'https://prom.example/', query: 'sum(x)', max: 0.01 } },
  { name: 'hook', webhook: { url: 'https://hook.example/ask' } },
];
const WAVE = {
  ...{ name: 'lab', clusters: CLUSTERS, percent: 5, maxConcurrent: '10%', soak: '1h', progressDeadline: '30m' },
  ...{
    failureThreshold: '2%',
    requireSuccesses: 1,
    offline: 'Skip',
    offlineGrace: '5m',
    promotion: 'Auto',
    gates: GATES,
  },
};

/** One object of each kind that uses every field and that every reader accepts. */
export const GOOD: Readonly<Record<WrittenKind, object>> = {
  FleetCluster: {
    ...{ access: { context: 'kind-lab' }, uid: '6f0c', paused: false, globalCatalogNamespace: 'olm' },
    allowedNamespaces: ['platform'],
  },
  FleetCatalog: {
    ...{ image: 'registry.example:5000/a/catalog:v1.2', pollInterval: '10m', clusters: CLUSTERS },
    catalogSource: { name: 'c', namespace: 'olm', priority: 1, displayName: 'Curated', secrets: ['pull'] },
    clusterCatalog: { name: 'c', priority: 1 },
    ...{ strategyRef: { name: 's' }, paused: false, promotion: 'WithOperators', adopt: false },
  },
  FleetOperator: {
    ...{
      package: 'kafka-operator',
      namespace: 'kafka-system',
      api: 'Classic',
      catalog: { name: 'c', namespace: 'olm' },
    },
    classic: {
      ...{ channel: 'stable-2.x', config: {} },
      operatorGroup: { manage: 'Create', targetNamespaces: ['a'], serviceAccountName: 'sa' },
    },
    versions: { range: '>=2.3.0 <3.0.0', deny: ['2.4.1'] },
    ...{ clusters: CLUSTERS, strategyRef: { name: 's' }, adopt: false, drift: 'Correct', removal: 'Keep' },
    overrides: [{ clusters: CLUSTERS, channel: 'beta', range: '2.x', config: {} }],
    ...{ paused: false, historyLimit: 10 },
  },
  FleetStrategy: {
    waves: [WAVE],
    ...{ onFailure: 'Halt', onClusterFailure: 'Keep', rollbackConcurrency: '25%', supersede: 'AfterWave' },
    approval: {
      default: 'Auto',
      rules: [{ changes: ['Major'], action: 'Manual', groups: ['change board'], min: 1, validFor: '168h' }],
    },
  },
  FleetWindow: {
    ...{ type: 'Allow', schedule: { cron: '0 22 * * 1-5', duration: '6h', timeZone: 'Europe/Berlin' } },
    ...{ clusters: CLUSTERS, needs: '30m', breakGlassGroups: ['sre leads'] },
    subjects: { kinds: ['FleetOperator'], selector: CLUSTERS.selector },
  },
  FleetDecision: {
    ...{ rollout: 'kafka-1', action: 'Approve', class: '3f9c1e2ab7d0', wave: 'lab', clusters: ['store-1'] },
    ...{ reason: 'CHG-1182', by: { user: 'anna', groups: ['change board'] } },
  },
};

/** More specs that every reader accepts. */
export const ALSO_GOOD: readonly (readonly [WrittenKind, object])[] = [
  ['FleetWindow', { type: 'Deny', period: { from: '2026-01-01T00:00:00Z', to: '2026-01-02T00:00:00+01:00' } }],
  ['FleetWindow', { type: 'Deny', schedule: { cron: '*/5 0-6,22 1,15 jan-MAR sun', duration: '168h' } }],
  ['FleetWindow', { type: 'Deny', needs: '1h30m0.5s' }],
  ['FleetCatalog', { image: `quay.io/a/b@sha256:${'a'.repeat(64)}`, clusterCatalog: { name: 'c' } }],
  [
    'FleetOperator',
    {
      ...{ package: 'p', namespace: 'n', api: 'V1', catalog: { fleetCatalog: 'c' } },
      v1: { channels: ['stable'], serviceAccountName: 'sa', config: {}, upgradeConstraintPolicy: 'SelfCertified' },
      versions: { range: '>=1.2, <2 || ~3.1 || ^4.0.0', deny: ['1.3.0'] },
    },
  ],
  ['FleetStrategy', { waves: [{ name: 'a', count: 1, maxConcurrent: 5, failureThreshold: 0 }] }],
];

type Bad = readonly [field: string, ...values: readonly unknown[]];
const WORDS = 'two words';
const EXPRESSIONS = ['', '1 +', 'cluster.labels[', "cluster.name == 'a", '(cluster.name', 'a b', 'cluster.name == ', 7];
const DURATIONS = ['14d', '1 hour', '3', '-5m', '1h 30m', '', 60];
const selectors = (field: string): readonly Bad[] => [
  [`${field}.selector`, 'tier=lab'],
  [
    `${field}.selector.matchLabels`,
    { tier: WORDS },
    { tier: '\u00fcn\u00efcode' },
    { tier: 'x'.repeat(64) },
    { 'a b': 'c' },
  ],
  [`${field}.selector.matchExpressions.0.key`, WORDS, ''],
  [`${field}.selector.matchExpressions.0.operator`, 'Is', 'Exists'],
  [`${field}.selector.matchExpressions.0.values`, [WORDS], []],
  [`${field}.expression`, ...EXPRESSIONS],
  [`${field}.labels`, {}],
];
const shares = (field: string): Bad => [field, 0, -1, '0%', '101%', '5', '1.5%', 'half', 2.5];
const yesNo = (field: string): Bad => [field, 'yes', 1];

/** Values that no reader accepts, for each field of people. A path below `spec`; `''`: a whole spec. */
export const BAD: Readonly<Record<WrittenKind, readonly Bad[]>> = {
  FleetCluster: [
    ['access', {}, { secretRef: { name: 's' }, context: 'c' }, 'kind-lab'],
    ['access.context', '', 7, 'a\nb', 'x'.repeat(254)],
    ['access.observeSecretRef', { name: 'A_b' }, {}],
    ['', { access: { secretRef: { name: WORDS } } }, { access: { secretRef: { name: 'Upper' } } }],
    ['uid', '', 7],
    yesNo('paused'),
    ['globalCatalogNamespace', WORDS, 'Olm', 'a.b', ''],
    ['allowedNamespaces', ['a b'], [''], ['x'.repeat(64)], 'platform'],
    ['nonsense', 1],
  ],
  FleetCatalog: [
    ['image', 'not an image ref!!', '', 'Quay.io/Upper/Case', 'quay.io/a@sha256:12', 'a:b:c', 'https://quay.io/a'],
    ['pollInterval', '1 day', '10s', ...DURATIONS],
    ['catalogSource.name', WORDS, '', 'Upper'],
    ['catalogSource.namespace', WORDS, 'a.b'],
    ['catalogSource.priority', 'high', 1.5],
    ['catalogSource.displayName', 7],
    ['catalogSource.secrets', [WORDS], 'pull'],
    ['clusterCatalog.name', WORDS, ''],
    ['clusterCatalog.priority', 'high', 3_000_000_000],
    ...selectors('clusters'),
    ['strategyRef.name', WORDS, ''],
    yesNo('paused'),
    ['promotion', 'staged', true],
    yesNo('adopt'),
    [
      '',
      { image: 'a/b' },
      { image: 'a/b', clusterCatalog: { name: 'c' }, strategyRef: { name: 's' }, promotion: 'Staged' },
      { image: 'a/b', catalogSource: { name: 'c' }, promotion: 'Staged' },
    ],
  ],
  FleetOperator: [
    ['package', WORDS, '', 7],
    ['namespace', WORDS, 'A', 'a.b', ''],
    ['api', 'v1', 'V1'],
    ['catalog', {}, { namespace: 'olm' }, { fleetCatalog: 'a', name: 'b' }, { name: WORDS }, { fleetCatalog: WORDS }],
    ['catalog.namespace', WORDS],
    ['classic.channel', WORDS, ''],
    ['classic.config', 'a', []],
    ['classic.operatorGroup.manage', 'create'],
    ['classic.operatorGroup.targetNamespaces', ['A B'], 'a'],
    ['classic.operatorGroup.serviceAccountName', WORDS],
    ['versions.range', 'not a range', '~2.3', '>=2.3', '1.2.3 and up', ''],
    ['versions.deny', ['not a range'], '2.4.1', ['']],
    ...selectors('clusters'),
    ...selectors('overrides.0.clusters'),
    ['overrides.0.channel', WORDS],
    ['overrides.0.range', 'not a range'],
    ['overrides.0.config', 'a'],
    ['strategyRef.name', WORDS],
    yesNo('adopt'),
    ['drift', 'correct'],
    ['removal', 'Remove'],
    yesNo('paused'),
    ['historyLimit', -1, 101, '10', 1.5],
    [
      '',
      { package: 'p', namespace: 'n', catalog: { name: 'c' }, api: 'V1', versions: { range: 'newest' } },
      { package: 'p', namespace: 'n', catalog: { name: 'c' }, api: 'V1', v1: { channels: [WORDS] } },
      { package: 'p', namespace: 'n', catalog: { name: 'c' }, api: 'V1', v1: { serviceAccountName: WORDS } },
      { package: 'p', namespace: 'n', catalog: { name: 'c' }, api: 'V1', v1: { upgradeConstraintPolicy: 'None' } },
      { namespace: 'n', catalog: { name: 'c' } },
    ],
  ],
  FleetStrategy: [
    ['waves.0.name', 'rest', WORDS, 'Upper', '', 'x'.repeat(64)],
    ...selectors('waves.0.clusters'),
    ['waves.0.percent', 0, 101, '5'],
    ['waves.0.count', 0, 5],
    shares('waves.0.maxConcurrent'),
    ['waves.0.soak', '3d', ...DURATIONS],
    ['waves.0.progressDeadline', '0s', ...DURATIONS],
    ['waves.0.failureThreshold', -1, '101%', 'none', 1.5],
    ['waves.0.requireSuccesses', -1, 'all'],
    ['waves.0.offline', 'skip'],
    ['waves.0.offlineGrace', ...DURATIONS],
    ['waves.0.promotion', 'auto'],
    ['waves', [{ name: 'a' }, { name: 'a' }], 'lab'],
    ['waves.0.gates.0.name', WORDS, ''],
    ['waves.0.gates.0.when', 'after'],
    ['waves.0.gates.0.scope', 'wave', 'Wave'],
    ['waves.0.gates.0.times', 0, 101],
    ['waves.0.gates.0.interval', '10ms', ...DURATIONS],
    ['waves.0.gates.0.timeout', ...DURATIONS],
    ['waves.0.gates.0.cel.apiVersion', WORDS, 'apps', ''],
    ['waves.0.gates.0.cel.kind', WORDS, 'deployment', ''],
    ['waves.0.gates.0.cel.namespace', WORDS],
    ['waves.0.gates.0.cel.name', WORDS, 'a/b', ''],
    ['waves.0.gates.0.cel.selector', { matchLabels: { a: 'b' } }],
    ['waves.0.gates.0.cel.expression', '', '1 +', "object.x == 'a", 'a b', 7],
    ['waves.0.gates.1.prometheus.url', 'ftp://a/', 'prom.example', 'https://a b/', ''],
    ['waves.0.gates.1.prometheus.query', ''],
    ['waves.0.gates.1.prometheus.max', '0.01'],
    ['waves.0.gates.1.prometheus.min', 1],
    ['waves.0.gates.2.webhook.url', 'hook', 'https://'],
    ['waves.0.gates.2', { name: 'none' }],
    ['onFailure', 'RollBack'],
    ['onClusterFailure', 'Halt'],
    shares('rollbackConcurrency'),
    ['supersede', 'Never'],
    ['approval.default', 'auto'],
    ['approval.rules.0.changes', [], ['major'], 'Major'],
    ['approval.rules.0.action', 'Ask'],
    ['approval.rules.0.groups', [''], 'board'],
    ['approval.rules.0.min', 0, 6],
    ['approval.rules.0.validFor', '7d', '0s', ...DURATIONS],
  ],
  FleetWindow: [
    ['type', 'allow', 'Freeze'],
    [
      'schedule.cron',
      '61 * * * *',
      '0 24 * * *',
      '0 0 32 * *',
      '0 0 * 13 *',
      '0 0 1 1 * 2027',
      'daily',
      '',
      '0 0 30 2 *',
      '0 0 31 4,6 *',
    ],
    ['schedule.duration', '200h', '0s', ...DURATIONS],
    ['schedule.timeZone', 'Mars/Base', WORDS, ''],
    ['period', { from: '2026-01-01T00:00:00Z', to: '2026-01-02T00:00:00Z' }],
    ...selectors('clusters'),
    ['subjects.kinds', ['FleetWindow'], 'FleetOperator'],
    ...selectors('subjects').filter(([field]) => field.startsWith('subjects.selector')),
    ['needs', '3d', ...DURATIONS],
    ['breakGlassGroups', [''], 'sre'],
    [
      '',
      { type: 'Allow' },
      { type: 'Deny', period: { from: '2026-01-02T00:00:00Z', to: '2026-01-01T00:00:00Z' } },
      { type: 'Deny', period: { from: 'tomorrow', to: '2026-01-01T00:00:00Z' } },
      { type: 'Deny', period: { from: '2026-01-02T00:00:00Z' } },
    ],
  ],
  FleetDecision: [
    ['rollout', WORDS, '', 'a/b'],
    ['action', 'approve', 'Delete'],
    ['class', WORDS, ''],
    ['changes', ['minor'], 'Minor'],
    ['wave', WORDS, ''],
    ['clusters', [WORDS], 'store-1'],
    ['reason', '', 'ok', '     '],
    ['by.user', '', 7, ' '],
    ['by.groups', [''], 'board'],
    ['expiresAt', 'tomorrow', '2026-01-01T00:00:00Z'],
    [
      '',
      { rollout: 'a-1', action: 'Reject', reason: 'why', by: { user: 'a' } },
      { rollout: 'a-1', action: 'BreakGlass', reason: 'why', by: { user: 'a' } },
    ],
  ],
};

const NO_NAMESPACE = new Set<WrittenKind>(['FleetCluster', 'FleetWindow']);

/** An object of a kind with a spec. */
export const withSpec = (kind: WrittenKind, spec: object, name = 'x'): KubernetesObject =>
  ({
    ...{ apiVersion: FLEET_API, kind },
    metadata: { name, ...(NO_NAMESPACE.has(kind) ? {} : { namespace: 'platform' }) },
    spec,
  }) as KubernetesObject;

function withField(spec: object, path: readonly string[], value: unknown): object {
  const [key = '', ...below] = path;
  const here = spec as Record<string, unknown>;
  const inner = below.length === 0 ? value : withField((here[key] ?? {}) as object, below, value);
  return Array.isArray(spec) ? spec.with(Number(key), inner) : { ...here, [key]: inner };
}

/** Every bad value, each in an otherwise valid object. `title`: the field and the value. */
export const BAD_OBJECTS: readonly Readonly<{ title: string; object: KubernetesObject }>[] = (
  Object.keys(BAD) as WrittenKind[]
).flatMap((kind) =>
  BAD[kind].flatMap(([field, ...values]) =>
    values.map((value) => ({
      title: `${kind} ${field === '' ? 'spec' : field}: ${JSON.stringify(value)?.slice(0, 80)}`,
      object: withSpec(kind, field === '' ? (value as object) : withField(GOOD[kind], field.split('.'), value)),
    })),
  ),
);

export const GOOD_OBJECTS: readonly KubernetesObject[] = [
  ...(Object.keys(GOOD) as WrittenKind[]).map((kind) => withSpec(kind, GOOD[kind], `good-${kind.toLowerCase()}`)),
  ...ALSO_GOOD.map(([kind, spec], at) => withSpec(kind, spec, `also-good-${at}`)),
];

/** True if the value is one of a field that does not exist. */
export const isUnknownField = (title: string): boolean => /\.labels: |nonsense: /.test(title);
