import type { ConsoleQuestion, QuestionAnswer } from '#core/view/questions/console-question';
import type { HistoryEntry } from '#core/view/rows/history-entry';
import type { FleetRolloutRow } from '#core/view/rows/rollout-row';
import type { ClusterRow, OperatorRow, RowCause, ViewRow } from '#core/view/rows/rows';
import type { TrailEntry } from '#platform/console/audit-trail.port';
import type { MemoryView } from '#platform/view/memory-view';
import { catalogRow, clusterRow, operatorRow, planRow } from '../../apps/console/src/console.fixture.js';
import { answerOfPicturedCatalog } from './pictured-catalog.js';
import { reportServices } from './report-services.js';

/** The time of all pictures. */
export const PICTURED_AT = new Date('2026-11-25T10:42:00Z');
/** Of the fleet. */
export const PICTURED_ROLLOUT = 'fleet/etcd-7';
export const PICTURED_HASH = '4be1'.repeat(16);

const REGIONS = ['ap', 'eu', 'us'] as const;
const EACH = 14;
const DIGESTS = { new: `sha256:${'9fa2'.repeat(16)}`, old: `sha256:${'4be0'.repeat(16)}` };
const minutesAgo = (minutes: number): string => new Date(PICTURED_AT.getTime() - minutes * 60_000).toISOString();

const CAUSES = {
  refused: {
    ...{ code: 'plan-failed', kind: 'InstallPlan', names: ['harbor-operator'] },
    text: 'CRD lamps.example.com is refused by the API server',
    todo: 'To let the plan continue, correct or delete the object that the new schema refuses.',
  },
  notReady: {
    ...{ code: 'catalog-not-ready', kind: 'CatalogSource', names: ['olm/community'] },
    text: 'catalog olm/community is not READY',
    todo: 'Correct spec.image, or publish a corrected image. List the errors of the image.',
  },
  unmet: {
    ...{ code: 'resolution-failed', kind: 'Subscription', names: ['harbor-operator'] },
    text: 'harbor-operator 1.2.0 needs the API lamps.example.com/v2, but no catalog available to this namespace provides it',
  },
  waits: {
    ...{ code: 'approval-needed', kind: 'InstallPlan', names: ['lamp-operator'] },
    text: 'lamp-operator 1.9.0 → 2.1.0 waits for approval',
  },
  installing: {
    code: 'operator-installing',
    kind: 'ClusterServiceVersion',
    names: ['etcd'],
    text: 'etcd 0.9.4 is being installed',
  },
} satisfies Record<string, RowCause>;

const PACKAGES = { 'harbor-operator': '1.3.0', 'lamp-operator': '2.1.0', etcd: '0.9.4', 'metrics-stack': '4.12.0' };
type Package = keyof typeof PACKAGES;
type Trouble = Readonly<{
  version?: string;
  next?: string;
  standing: OperatorRow['standing'];
  cause: RowCause;
  minutes: number;
}>;

/** What is wrong with an operator in the cluster of this place, counted over the fleet. */
function troubleOf(name: Package, at: number): Trouble | undefined {
  if (name === 'harbor-operator' && at >= 14 && at < 17)
    return { version: '1.2.0', next: '1.3.0', standing: 'failed', cause: CAUSES.refused, minutes: 12 };
  if (name === 'harbor-operator' && at === 18)
    return { version: '1.1.0', standing: 'blocked', cause: CAUSES.unmet, minutes: 14 };
  if (name === 'metrics-stack' && at >= 30 && at < 36)
    return { version: '4.11.2', standing: 'blocked', cause: CAUSES.notReady, minutes: 125 };
  if (name === 'lamp-operator' && at < 12)
    return { version: '1.9.0', next: '2.1.0', standing: 'needs-approval', cause: CAUSES.waits, minutes: 5 + at };
  if (name === 'etcd' && at >= 20 && at < 24)
    return { version: '0.9.2', next: '0.9.4', standing: 'under-way', cause: CAUSES.installing, minutes: 1 };
  return undefined;
}

function operatorsOf(cluster: string, at: number): OperatorRow[] {
  return Object.entries(PACKAGES).map(([name, newest]) => {
    const trouble = troubleOf(name as Package, at);
    const version = trouble?.version ?? newest;
    const waits = trouble?.standing === 'needs-approval';
    return operatorRow(cluster, name, {
      ...{
        version,
        installed: `${name}.v${version}`,
        newest: `${name}.v${newest}`,
        since: minutesAgo(trouble?.minutes ?? 4_320),
      },
      ...{ channel: name === 'metrics-stack' ? 'alpha' : 'stable', deprecated: name === 'metrics-stack' },
      catalog: name === 'metrics-stack' ? 'olm/community' : 'olm/flotilla-samples',
      approval: name === 'lamp-operator' ? 'Manual' : 'Automatic',
      ...(trouble && { standing: trouble.standing, cause: trouble.cause, stillRuns: `${name}.v${version}` }),
      ...(trouble?.next !== undefined && { next: `${name}.v${trouble.next}` }),
      ...(waits && { plan: 'install-7xk2d', planHash: PICTURED_HASH }),
    });
  });
}

const AWAY_AT = 26;
const AWAY = {
  ...{ code: 'cluster-away', kind: 'Cluster', names: ['network'] },
  todo: 'Check network, firewall and proxy between the hub and the API server.',
  text: 'The cluster cannot be reached: connect ETIMEDOUT 10.4.0.27:6443; check the load of the API server, its network, and its address in the kubeconfig',
};
const ORDER = ['failed', 'blocked', 'needs-approval', 'under-way', 'well'] as const;

function clusterOf(cluster: string, at: number, operators: readonly OperatorRow[]): ClusterRow {
  const counts = Object.fromEntries(
    ORDER.map((standing) => [standing, operators.filter((one) => one.standing === standing).length]),
  ) as ClusterRow['counts'];
  const isAway = at === AWAY_AT;
  const standing = isAway ? 'failed' : (ORDER.find((one) => counts[one] > 0) ?? 'well');
  const cause = isAway ? AWAY : operators.find((one) => one.standing === standing)?.cause;
  const reach = isAway ? 'away' : at === 11 ? 'stale' : 'fresh';
  return clusterRow(cluster, {
    ...{ standing, counts, reach, catalogs: 2, catalogsWell: at >= 30 && at < 36 ? 1 : 2 },
    labels: { region: cluster.slice(0, 2), tier: at % 7 === 0 ? 'lab' : 'prod' },
    version: at % 3 === 0 ? 'v1.33.6' : 'v1.34.4',
    since: minutesAgo(reach === 'fresh' ? 10_000 : 9),
    lastSeen: minutesAgo(reach === 'fresh' ? 0 : 9),
    ...(cause && { cause }),
  });
}

function rowsOf(cluster: string, at: number): ViewRow[] {
  const operators = operatorsOf(cluster, at);
  const isBroken = at >= 30 && at < 36;
  const times = { polledAt: minutesAgo(isBroken ? 125 : 6), nextAt: minutesAgo(isBroken ? -1 : -9) };
  const plan = { moves: [{ package: 'lamp-operator', from: 'lamp-operator.v1.9.0', to: 'lamp-operator.v2.1.0' }] };
  return [
    clusterOf(cluster, at, operators),
    ...operators,
    ...(at < 12
      ? [
          planRow(cluster, 'lamp-operator', PICTURED_HASH, {
            ...{ id: 'plan/lamp-operators/install-7xk2d', name: 'install-7xk2d', ...plan, change: 'major' },
            ...{ crds: true, rbac: true, createdAt: minutesAgo(5 + at) },
          }),
        ]
      : []),
    catalogOf(cluster, 'flotilla-samples', {
      ...times,
      polledAt: minutesAgo(6),
      digest: at < 4 ? DIGESTS.old : DIGESTS.new,
    }),
    catalogOf(cluster, 'community', {
      ...{ ...times, packages: 312 },
      ...(isBroken && {
        ...{ state: 'TRANSIENT_FAILURE', standing: 'blocked', cause: CAUSES.notReady, digest: '' },
        message: 'registry.example.com answers 503',
      }),
    }),
  ];
}

const catalogOf = (cluster: string, name: string, more: object): ViewRow =>
  ({
    ...catalogRow(cluster, `sha256:${'77d1'.repeat(16)}`),
    ...{ id: `source/olm/${name}`, name, image: `registry.example.com/${name}:latest`, ...more },
  }) as ViewRow;

const at = (minutes: number) => ({
  at: minutesAgo(minutes),
  row: '',
  namespace: '',
  package: '',
  from: '',
  to: '',
  comment: '',
});

/**
 * Forty-two clusters in three regions, with five kinds of trouble, two catalogs and a day of changes.
 * `named`: the name of a cluster in its cloud.
 */
export function fillPicturedFleet(view: MemoryView, named = (short: string): string => short): void {
  const clusters = REGIONS.flatMap((region) =>
    Array.from({ length: EACH }, (_, index) => named(`${region}-${String(index + 1).padStart(2, '0')}`)),
  );
  for (const [place, cluster] of clusters.entries())
    void view.write({ cluster, changed: rowsOf(cluster, place), removed: [] });
  fillRollouts(view);
  fillHistory(view);
  fillHub(view);
}

const NOBODY = { clusters: 0, sample: [] };
/** Four clusters are on their way by two InstallPlans. */
const ETCD_PATH = {
  ...{ hash: '5be0c41d77a2', clusters: 3 * EACH },
  steps: [
    {
      ...{ from: 'etcd.v0.9.2', to: 'etcd.v0.9.3' },
      ...{ underWay: { clusters: 3, sample: ['eu-08', 'eu-09', 'eu-10'] }, failed: NOBODY },
    },
    {
      ...{ from: 'etcd.v0.9.3', to: 'etcd.v0.9.4' },
      ...{ underWay: { clusters: 1, sample: ['eu-07'] }, failed: NOBODY },
    },
  ],
};

const GATE: FleetRolloutRow['waves'][number]['gates'][number] = {
  ...{ name: 'error-rate', when: 'After', scope: 'Wave', check: 'prometheus', limit: 'at most 0.01' },
  ...{ interval: '30s', times: 3, green: 1, red: 0, unknown: 0, askedAt: minutesAgo(64), sample: [] },
};
const RULES = { code: '', limit: 5, accepted: 2, soak: '30m', gates: [GATE] };

/** Of the fleet: two waves are complete, ten of fourteen clusters of the last one have come to it. */
function fillRollouts(view: MemoryView): void {
  const wave = { members: EACH, waiting: 0, skipped: 0, failed: 0, note: '', soakUntil: '', deadline: '30m', ...RULES };
  const complete = { ...wave, phase: 'Complete', done: EACH, underWay: 0 };
  view.writeRollouts([
    {
      ...{
        id: PICTURED_ROLLOUT,
        package: 'etcd',
        target: 'etcd.v0.9.4',
        phase: 'Progressing',
        reason: '',
        code: 'Planned',
      },
      ...{ startedAt: minutesAgo(1_530), finishedAt: '', message: 'wave 3 of 3 (eu): 4 clusters under way' },
      waves: [
        { ...complete, name: 'ap', openedAt: minutesAgo(1_530), completedAt: minutesAgo(1_470) },
        { ...complete, name: 'us', openedAt: minutesAgo(110), completedAt: minutesAgo(62) },
        { ...wave, name: 'eu', phase: 'Open', done: 10, underWay: 4, openedAt: minutesAgo(55), completedAt: '' },
      ],
      ...{ failures: [], classes: [], moreDecisions: 0 },
      paths: { classes: [ETCD_PATH], more: 0 },
      decisions: [
        {
          ...{ at: minutesAgo(55), by: 'jane@example.com', action: 'Promote', about: 'wave eu' },
          ...{ reason: 'CHG-4702', outcome: 'effective' },
        },
      ],
    },
  ]);
}

/** Clusters of the last wave that came to the target, and when. */
const ARRIVED = [
  [44, ['eu-01', 'eu-02', 'eu-03']],
  [33, ['eu-04', 'eu-05']],
  [21, ['eu-06', 'eu-11', 'eu-12']],
  [8, ['eu-13', 'eu-14']],
] as const;

function fillHistory(view: MemoryView): void {
  const approved = {
    kind: 'approval',
    by: 'jane@example.com',
    namespace: 'harbor-operators',
    package: 'harbor-operator',
  } as const;
  const harbor = {
    from: 'harbor-operator.v1.2.0',
    to: 'harbor-operator.v1.3.0',
    row: 'plan/harbor-operators/install-x2',
  };
  const etcd = { package: 'etcd', namespace: 'etcds', row: 'subscription/etcds/etcd' };
  const upgraded = { kind: 'version', by: 'hub', ...etcd, from: 'etcd.v0.9.2', to: 'etcd.v0.9.4' } as const;
  const entries: readonly HistoryEntry[] = [
    {
      ...at(12),
      kind: 'standing',
      cluster: 'eu-01',
      by: 'hub',
      ...harbor,
      ...{ from: 'under-way', to: 'failed' },
      package: 'harbor-operator',
    },
    { ...at(31), ...approved, cluster: 'eu-02', ...harbor, comment: 'CHG-4711' },
    { ...at(31), ...approved, cluster: 'eu-01', ...harbor, comment: 'CHG-4711' },
    {
      ...at(64),
      kind: 'digest',
      cluster: 'us-02',
      by: 'hub',
      from: DIGESTS.old,
      to: DIGESTS.new,
      row: 'source/olm/flotilla-samples',
    },
    { ...at(1_530), ...upgraded, cluster: 'ap-09' },
    ...ARRIVED.flatMap(([minutes, clusters]) => clusters.map((cluster) => ({ ...at(minutes), ...upgraded, cluster }))),
  ];
  view.writeHistory(entries.toSorted((a, b) => b.at.localeCompare(a.at)));
}

/** Sign-ins and refusals. */
export const PICTURED_TRAIL: readonly TrailEntry[] = [
  {
    ...{ at: minutesAgo(22), event: 'refused', person: 'owner@example.com', address: '10.4.0.12', verb: 'approve' },
    ...{ targets: ['eu-02/harbor-operators/install-x2'], more: 0 },
    because: 'approve needs the role approver; your grants: viewer of clusters eu-02, all namespaces, all packages',
  },
  {
    ...{ at: minutesAgo(24), event: 'sign-in', person: 'owner@example.com', address: '10.4.0.12', verb: '' },
    ...{ targets: [], more: 0, because: '' },
  },
  {
    ...{
      at: minutesAgo(50),
      event: 'sign-in-refused',
      person: '',
      address: '10.4.0.9',
      verb: '',
      targets: [],
      more: 0,
    },
    because: 'the issuer did not confirm it',
  },
];

function fillHub(view: MemoryView): void {
  const service = (name: string, checks: string[]) => ({
    ...{ service: name, instance: `${name}-1`, version: '0.1.0', updatedAt: PICTURED_AT.toISOString(), slowest: [] },
    ...{ checks: checks.map((check) => ({ name: check, ok: true, message: 'answers' })), queues: [] },
  });
  const queue = (name: string, waiting: number) => ({
    queue: name,
    waiting,
    active: 1,
    delayed: 2,
    failed: 0,
    oldestSeconds: waiting,
  });
  reportServices(view, [
    {
      ...service('catalog-poller', ['redis']),
      checks: [
        { name: 'redis', ok: true, message: 'answers' },
        { name: 'clusters', ok: false, message: 'eu-13 does not answer' },
      ],
    },
    service('resolver-worker', ['redis']),
    {
      ...service('applier', ['redis', 'content']),
      queues: [queue('apply', 3), queue('resolve', 0)],
      slowest: [
        { cluster: 'us-01', milliseconds: 2_100 },
        { cluster: 'ap-04', milliseconds: 640 },
      ],
    },
  ]);
}

const CONFLICT = {
  ...{ text: 'Subscription harbor-operator', role: 'desired', edge: '' },
  children: [
    {
      ...{ text: 'harbor-operator 1.2.0 in channel stable', role: 'candidate', edge: 'could be' },
      children: [
        {
          ...{ text: 'API lamps.example.com/v2', role: 'requirement', edge: 'needs' },
          children: [
            { text: 'no catalog available to this namespace provides it', role: 'obstacle', edge: 'but', children: [] },
            {
              text: 'lighthouse-operator 1.4.0 in channel alpha of olm/flotilla-samples has it',
              role: 'note',
              edge: '',
              children: [],
            },
          ],
        },
      ],
    },
  ],
};
const change = (section: string, sign: string, what: string, text: string, lines: string[] = [], risk = false) => ({
  ...{ section, sign, what, text, lines, risk },
});
const REVIEW = [
  change('operators', '~', 'lamp-operator', '1.9.0 → 2.1.0'),
  change('images', '~', 'lamp-operator', 'registry.example.com/lamp-operator', ['- @sha256:1f40…', '+ @sha256:9c02…']),
  change(
    'crds',
    '~',
    'CRD lamps.example.com',
    'stores v2 instead of v1; v1 is still served',
    ['- v1 storage: true', '+ v2 storage: true'],
    true,
  ),
  change(
    'permissions',
    '+',
    'ClusterRole lamp-operator',
    'secrets get, list in all namespaces',
    ['+ resources: [secrets]', '+ verbs: [get, list]'],
    true,
  ),
];

const offered = (version: string, channel: string, why: string) => ({
  ...{ bundle: `harbor-operator.v${version}`, version, channel, why },
});
const NEWER = [
  offered('2.0.0', 'candidate', 'the Subscription follows channel stable: change spec.channel to install it'),
  offered('1.3.0', 'candidate, stable', 'reached through harbor-operator.v1.2.0'),
  offered('1.2.0', 'stable', 'it can be next; the obstacle named above blocks it'),
];

/** Answers of the clusters of the pictures. */
export function answerPictured(question: ConsoleQuestion): QuestionAnswer {
  if ('digest' in question) return answerOfPicturedCatalog(question);
  if (question.ask === 'review') {
    const drifted = question.cluster === 'ap-09';
    const more = drifted ? [change('crds', '-', 'CRD lamps.example.com', 'loses a column that was added by hand')] : [];
    return {
      answer: { differences: [...REVIEW, ...more], unchanged: drifted ? 26 : 27, hash: PICTURED_HASH, waits: true },
    };
  }
  if (question.ask === 'explain' && question.kind === 'CatalogSource')
    return {
      answer: {
        because: ['registry.example.com answers 503'],
        advice: [{ text: 'Look what keeps registry.example.com from answering.', command: '' }],
      },
    };
  if (question.ask === 'explain')
    return {
      answer: {
        because: [
          CAUSES.unmet.text,
          'the nearest is lighthouse-operator 1.4.0 in channel alpha of olm/flotilla-samples, which has it',
        ],
        advice: [
          {
            text: 'Take channel alpha for lighthouse-operator.',
            command: `kubectl --context ${question.cluster} -n lights patch subscription lighthouse-operator --type merge -p '{"spec":{"channel":"alpha"}}'`,
          },
          { text: 'Or add a catalog that has it.', command: '' },
        ],
        conflict: CONFLICT,
        newer: NEWER,
      },
    };
  return { because: 'gone', message: 'it is not there' };
}
