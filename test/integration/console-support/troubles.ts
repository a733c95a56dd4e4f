import { CATALOG_SOURCE_API } from '#core/kernel/api/catalog-source';
import { CLUSTER_CATALOG_API } from '#core/kernel/api/cluster-catalog';
import { CLUSTER_EXTENSION_API } from '#core/kernel/api/cluster-extension';
import { CSV_API } from '#core/kernel/api/cluster-service-version';
import { INSTALL_PLAN_API } from '#core/kernel/api/install-plan';
import type { KubernetesObject } from '#core/kernel/api/kubernetes-object';
import { OPERATOR_GROUP_API } from '#core/kernel/api/operator-group';
import { SUBSCRIPTION_API } from '#core/kernel/api/subscription';

/** A trouble in a namespace of its own, as OLM left it, with the code of its cause. */
export type Trouble = Readonly<{ name: string; code: string; objects: readonly KubernetesObject[] }>;

const TIME = '2026-01-01T00:00:00Z';
const OPERATOR = 'mill.v1.0.0';
const PLAN = 'install-1';
const LONG = 'every word of a long message counts, up to the last one that says what to do; '.repeat(8);

type Status = Readonly<Record<string, unknown>>;
const condition = (type: string, reason: string, message: string, status = 'True') => ({
  ...{ type, status, reason, message, lastTransitionTime: TIME, lastUpdateTime: TIME },
});

const group = (namespace: string, more: Partial<KubernetesObject> = {}, name = 'group'): KubernetesObject => ({
  ...OPERATOR_GROUP_API,
  spec: { targetNamespaces: [namespace] },
  ...more,
  metadata: { name, namespace, ...more.metadata },
});
const subscription = (namespace: string, status?: Status, spec: object = {}): KubernetesObject => ({
  ...SUBSCRIPTION_API,
  metadata: { name: 'mill', namespace },
  spec: { name: 'mill', channel: 'stable', source: 'samples', sourceNamespace: 'olm', ...spec },
  ...(status && { status: { lastUpdated: TIME, ...status } }),
});
const csv = (namespace: string, phase: string, status: Status = {}, spec: object = {}): KubernetesObject => ({
  ...CSV_API,
  metadata: { name: OPERATOR, namespace },
  spec: {
    displayName: 'Mill',
    version: '1.0.0',
    install: { strategy: 'deployment', spec: { deployments: [] } },
    ...spec,
  },
  status: { phase, ...status },
});
const step = (kind: string, name: string, status: string) => ({
  ...{ resolving: OPERATOR, status },
  resource: { sourceName: 'samples', sourceNamespace: 'olm', group: '', version: 'v1', kind, name, manifest: '{}' },
});
const plan = (namespace: string, phase: string, more: Status = {}, approved = true): KubernetesObject => ({
  ...INSTALL_PLAN_API,
  metadata: { name: PLAN, namespace },
  spec: { approval: 'Manual', approved, clusterServiceVersionNames: [OPERATOR] },
  ...(phase !== '' && {
    status: { phase, catalogSources: [], plan: [step('ServiceAccount', 'mill', 'Unknown')], ...more },
  }),
});
const source = (namespace: string, status?: Status, spec: object = {}): KubernetesObject => ({
  ...CATALOG_SOURCE_API,
  metadata: { name: 'own', namespace },
  spec: { sourceType: 'grpc', image: 'registry.example/own:v1', ...spec },
  ...(status && { status }),
});
const state = (lastObservedState: string) => ({ connectionState: { lastObservedState } });

const planned = { installPlanRef: { name: PLAN }, currentCSV: OPERATOR };
const running = { ...planned, installedCSV: OPERATOR };

type Made = Readonly<{ code: string; objects: (namespace: string) => readonly KubernetesObject[] }>;
const inGroup = (code: string, objects: Made['objects']): Made => ({
  code,
  objects: (namespace) => [group(namespace), ...objects(namespace)],
});
const withPlan = (code: string, phase: string, status: Status = {}, approved = true): Made =>
  inGroup(code, (at) => [subscription(at, planned), plan(at, phase, status, approved)]);
const withCsv = (code: string, phase: string, status: Status = {}, spec: object = {}): Made =>
  inGroup(code, (at) => [subscription(at, running), csv(at, phase, status, spec)]);
const withCatalog = (code: string, status?: Status, spec: object = {}): Made =>
  inGroup(code, (at) => [
    source(at, status, spec),
    subscription(at, undefined, { source: 'own', sourceNamespace: at }),
  ]);

const requirement = (kind: string, name: string, status: string, message = '', dependents: readonly object[] = []) => ({
  ...{ group: '', version: 'v1', kind, name, status, message },
  dependents: dependents.map((one) => ({
    group: '',
    version: 'v1',
    kind: 'PolicyRule',
    status: 'NotSatisfied',
    ...one,
  })),
});
const unmet = (...requirementStatus: readonly object[]) => ({ reason: 'RequirementsNotMet', requirementStatus });
const installed = (reason: string, message: string) => ({
  conditions: [condition('Installed', reason, message, 'False')],
});

/** Troubles of OLM Classic, by name of their namespace. */
const CLASSIC: Readonly<Record<string, Made>> = {
  'no-group': { code: 'no-operator-group', objects: (at) => [subscription(at)] },
  'two-groups': {
    code: 'several-operator-groups',
    objects: (at) => [group(at), group(at, {}, 'other'), subscription(at)],
  },
  'no-account': {
    code: 'service-account-missing',
    objects: (at) => [
      group(at, {
        spec: { targetNamespaces: [at], serviceAccountName: 'installer' },
        status: { lastUpdated: TIME, conditions: [condition('OperatorGroupServiceAccount', 'Missing', LONG)] },
      }),
      subscription(at),
    ],
  },
  'no-catalog': inGroup('catalog-missing', (at) => [subscription(at, undefined, { source: 'gone' })]),
  'global-excluded': {
    code: 'catalog-excluded',
    objects: (at) => [
      group(at, {
        metadata: { annotations: { 'olm.operatorframework.io/exclude-global-namespace-resolution': 'true' } },
      }),
      subscription(at),
    ],
  },
  'catalog-down': withCatalog('catalog-not-ready', { ...state('TRANSIENT_FAILURE'), message: LONG }),
  'catalog-login': withCatalog('catalog-not-ready', {
    message: 'registry.example asks for a login and no credentials were given',
  }),
  'catalog-invalid': withCatalog('catalog-spec-invalid', { reason: 'SpecInvalidError', message: 'no image' }),
  'catalog-connecting': withCatalog('catalog-first-fetch', state('CONNECTING')),
  'catalog-unread': withCatalog('not-read-yet'),
  'catalog-old': withCatalog('not-resolved-yet', { ...state('READY'), message: 'registry.example: no such host' }),
  'not-resolved': inGroup('not-resolved-yet', (at) => [subscription(at)]),
  'no-package': inGroup('resolution-failed', (at) => [
    subscription(
      at,
      { conditions: [condition('ResolutionFailed', 'ConstraintsNotSatisfiable', `no operators found: ${LONG}`)] },
      { name: 'no-such-package' },
    ),
  ]),
  'no-bundle': inGroup('bundle-not-fetched', (at) => [
    subscription(at, {
      conditions: [
        condition('BundleUnpackFailed', 'BundleUnpackFailed', 'image registry.example/mill:v1 was not found'),
      ],
    }),
  ]),
  'plan-failed': withPlan('plan-failed', 'Failed', installed('InstallComponentFailed', LONG)),
  'plan-unsupported': withPlan('plan-failed', 'Failed', {
    plan: [step('Gadget', 'mill', 'UnsupportedResource')],
    message: 'Gadget is not supported',
  }),
  'plan-waits': withPlan('approval-needed', 'RequiresApproval', {}, false),
  'upgrade-waits': inGroup('approval-needed', (at) => [
    subscription(at, { ...planned, installedCSV: 'mill.v0.9.0' }),
    plan(at, 'RequiresApproval', {}, false),
    { ...csv(at, 'Succeeded'), metadata: { name: 'mill.v0.9.0', namespace: at } },
  ]),
  'upgrade-failed': inGroup('plan-failed', (at) => [
    subscription(at, { ...planned, installedCSV: 'mill.v0.9.0' }),
    plan(at, 'Failed', installed('InstallComponentFailed', LONG)),
    { ...csv(at, 'Succeeded'), metadata: { name: 'mill.v0.9.0', namespace: at } },
  ]),
  'upgrade-half-done': inGroup('plan-failed', (at) => [
    subscription(at, running),
    plan(at, 'Failed', installed('InstallComponentFailed', LONG)),
    csv(at, 'Pending', {}, { replaces: 'mill.v0.9.0' }),
    { ...csv(at, 'Replacing'), metadata: { name: 'mill.v0.9.0', namespace: at } },
  ]),
  'plan-approved': withPlan('plan-approved', 'RequiresApproval'),
  'plan-planning': withPlan('planning', 'Planning'),
  'plan-unread': withPlan('not-read-yet', ''),
  'plan-under-way': withPlan('plan-installing', 'Installing', {
    plan: ['a', 'b', 'c', 'd', 'e', 'f', 'g'].map((name) => step('Service', name, name < 'b' ? 'Created' : 'Unknown')),
  }),
  'plan-refused': withPlan(
    'plan-refused',
    'Installing',
    installed('InstallComponentFailed', 'roles is forbidden: User "system:serviceaccount:olm:hub" cannot create'),
  ),
  'operator-gone': inGroup('operator-missing', (at) => [subscription(at, running), plan(at, 'Complete')]),
  'copy-here': inGroup('copy-in-the-way', (at) => [
    subscription(at, { currentCSV: OPERATOR }),
    {
      ...csv(at, 'Succeeded', { reason: 'Copied' }),
      metadata: { name: OPERATOR, namespace: at, labels: { 'olm.copiedFrom': 'elsewhere' } },
    },
  ]),
  'api-missing': withCsv(
    'requirements-not-met',
    'Pending',
    unmet(
      requirement('CustomResourceDefinition', 'lamps.example.com', 'NotPresent', 'CRD is not present'),
      requirement('ServiceAccount', 'other', 'Present'),
    ),
  ),
  'rights-missing': withCsv(
    'requirements-not-met',
    'Pending',
    unmet(
      requirement('ServiceAccount', 'mill', 'PresentNotSatisfied', '', [
        { message: 'namespaced rule:{get pods}' },
        { message: 'cluster rule:{list nodes}' },
      ]),
    ),
  ),
  'many-missing': withCsv(
    'requirements-not-met',
    'Pending',
    unmet(
      ...Array.from({ length: 14 }, (_, at) =>
        requirement('CustomResourceDefinition', `c${at}.example.com`, 'NotPresent'),
      ),
    ),
  ),
  'pending-plan': inGroup('plan-failed', (at) => [
    subscription(at, { currentCSV: OPERATOR }),
    plan(at, 'Failed', { message: 'risk of data loss' }),
    csv(at, 'Pending', unmet(requirement('CustomResourceDefinition', 'lamps.example.com', 'PresentNotSatisfied'))),
  ]),
  'held-back': withCsv(
    'upgrade-held-back',
    'Pending',
    { reason: 'OperatorConditionNotUpgradeable', message: 'not before Monday' },
    { replaces: 'mill.v0.9.0' },
  ),
  'looked-at': withCsv('requirements-unknown', 'Pending'),
  installing: withCsv('operator-installing', 'Installing', { message: 'waiting for deployment mill' }),
  replaced: withCsv('operator-replaced', 'Replacing'),
  unhealthy: withCsv('operator-unhealthy', 'Failed', { reason: 'ComponentUnhealthy', message: LONG }),
  'objects-refused': withCsv('objects-refused', 'Failed', { reason: 'InstallComponentFailed', message: 'refused' }),
  'wrong-mode': withCsv('install-mode-unsupported', 'Failed', { reason: 'UnsupportedOperatorGroup' }),
  'rival-owner': withCsv('api-owned-by-other', 'Failed', { reason: 'OwnerConflict' }),
  'operator-failed': withCsv('operator-failed', 'Failed', { reason: 'InvalidStrategy', message: 'no strategy' }),
  // The hub of this test only observes: OLM itself has written that the catalog lacks the package.
  runs: inGroup('resolution-failed', (at) => [
    subscription(at, {
      ...running,
      conditions: [condition('ResolutionFailed', 'ConstraintsNotSatisfiable', 'no operators found')],
    }),
    csv(at, 'Succeeded'),
  ]),
};

const extension = (name: string, ...conditions: readonly object[]): KubernetesObject => ({
  ...CLUSTER_EXTENSION_API,
  metadata: { name },
  spec: { namespace: 'mills', source: { sourceType: 'Catalog', catalog: { packageName: 'mill' } } },
  ...(conditions.length > 0 && { status: { conditions } }),
});
const stopped = (name: string, reason: string, message: string): KubernetesObject =>
  extension(
    name,
    condition('Installed', 'Failed', 'No bundle installed', 'False'),
    condition('Progressing', reason, message, reason === 'Blocked' ? 'False' : 'True'),
  );
const collision = (object: string) =>
  `revision object collisions in phase 0\nObject ${object}\nAction: "Collision"\nConflicting Owner: none; it was there before`;
const servedCatalog = (name: string, conditions: readonly object[], spec: object = {}): KubernetesObject => ({
  ...CLUSTER_CATALOG_API,
  metadata: { name, labels: { 'olm.operatorframework.io/metadata.name': name } },
  spec: { source: { type: 'Image', image: { ref: `127.0.0.1:1/${name}:v1` } }, ...spec },
  ...(conditions.length > 0 && { status: { conditions } }),
});

/** Troubles of OLM v1, by the name of their object. */
const V1: readonly Readonly<{ code: string; object: KubernetesObject }>[] = [
  { code: 'not-read-yet', object: extension('ext-unread') },
  { code: 'spec-blocked', object: stopped('ext-blocked', 'Blocked', 'the version is not valid') },
  { code: 'retrying', object: stopped('ext-retrying', 'Retrying', LONG) },
  { code: 'retrying', object: stopped('ext-namespace', 'Retrying', 'namespaces "mills" not found') },
  { code: 'retrying', object: stopped('ext-served', 'Retrying', 'catalog "cat-down" is not being served') },
  { code: 'retrying', object: stopped('ext-off', 'Retrying', 'no bundles found for package "mill"') },
  { code: 'extension-config-invalid', object: stopped('ext-config', 'InvalidConfiguration', 'no such key') },
  { code: 'rollout-too-slow', object: stopped('ext-slow', 'ProgressDeadlineExceeded', 'not in time') },
  { code: 'objects-in-the-way', object: stopped('ext-collides', 'Retrying', collision('ConfigMap.v1 mills/settings')) },
  { code: 'objects-in-the-way', object: stopped('ext-gone', 'Retrying', collision('ConfigMap.v1 mills/not-there')) },
  {
    code: 'objects-in-the-way',
    object: stopped('ext-crd', 'Retrying', 'validating upgrade for CRD "mills.example.com": removed field'),
  },
  {
    code: 'progressing',
    object: extension('ext-installs', condition('Installed', 'Absent', 'No bundle installed', 'False')),
  },
  {
    code: 'well',
    object: extension(
      'ext-runs',
      condition('Installed', 'Succeeded', 'Installed'),
      condition('Progressing', 'Succeeded', 'at the wanted state'),
    ),
  },
  {
    code: 'retrying',
    object: servedCatalog('cat-down', [condition('Progressing', 'Retrying', 'no such image')]),
  },
  {
    code: 'spec-blocked',
    object: servedCatalog('cat-blocked', [condition('Progressing', 'Blocked', 'not a reference', 'False')]),
  },
  {
    code: 'well',
    object: servedCatalog('cat-off', [condition('Serving', 'UserSpecifiedUnavailable', 'off', 'False')], {
      availabilityMode: 'Unavailable',
    }),
  },
  { code: 'not-read-yet', object: servedCatalog('cat-unread', []) },
];

/** Every trouble of OLM Classic, each in a namespace of its own. */
export const CLASSIC_TROUBLES: readonly Trouble[] = Object.entries(CLASSIC).map(([name, { code, objects }]) => ({
  name,
  code,
  objects: objects(name),
}));

/** Every trouble of OLM v1: one object each. */
export const V1_TROUBLES: readonly Trouble[] = V1.map(({ code, object }) => ({
  name: object.metadata.name ?? '',
  code,
  objects: [object],
}));
