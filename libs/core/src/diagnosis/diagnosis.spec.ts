import { describe, expect, it } from 'vitest';
import { CATALOG_SOURCE_API, type CatalogSource } from '../api/catalog-source.js';
import { type ClusterServiceVersion, CSV_API } from '../api/cluster-service-version.js';
import { INSTALL_PLAN_API, type InstallPlan } from '../api/install-plan.js';
import type { OperatorGroup } from '../api/operator-group.js';
import { SUBSCRIPTION_API, type Subscription } from '../api/subscription.js';
import { STORED_VERSION_REFUSED } from '../crd-safety/stored-versions.js';
import { diagnoseCatalogSource } from './diagnose-catalog-source.js';
import { diagnoseConditions } from './diagnose-conditions.js';
import { diagnoseCsv } from './diagnose-csv.js';
import { diagnoseInstallPlan } from './diagnose-install-plan.js';
import { diagnoseSubscription, type Surroundings } from './diagnose-subscription.js';
import { type Diagnosis, type Standing, sentence } from './diagnosis.js';

type Row = Readonly<{ because: string; told: Diagnosis; standing: Standing; says: RegExp; todo?: RegExp }>;

const check = ({ told, standing, says, todo }: Row) => {
  expect(told.standing).toBe(standing);
  expect(told.because.join('\n')).toMatch(says);
  expect(told.todo.join('\n')).toMatch(todo ?? /^$/);
};

const source = (
  status?: CatalogSource['status'],
  spec: Partial<CatalogSource['spec']> = { image: 'r.example/c:1' },
) => ({
  ...CATALOG_SOURCE_API,
  metadata: { name: 'c', namespace: 'olm' },
  spec: { sourceType: 'grpc', ...spec },
  ...(status === undefined ? {} : { status }),
});
const state = (lastObservedState: string) => ({ connectionState: { lastObservedState } });

describe('a CatalogSource', () => {
  it.each<Row>([
    { because: 'it serves', told: diagnoseCatalogSource(source(state('READY'))), standing: 'well', says: /READY/ },
    {
      because: 'it serves old content',
      told: diagnoseCatalogSource(source({ ...state('READY'), message: 'pull failed', reason: 'RegistryServerError' })),
      standing: 'under-way',
      says: /could not be renewed\.\npull failed\./,
      todo: /catalog validate r\.example\/c:1/,
    },
    {
      because: 'its interval is odd, which hurts nobody',
      told: diagnoseCatalogSource(source({ ...state('READY'), message: 'odd', reason: 'InvalidIntervalError' })),
      standing: 'well',
      says: /odd/,
    },
    {
      because: 'its spec is wrong',
      told: diagnoseCatalogSource(source({ message: 'image and address unset', reason: 'SpecInvalidError' }, {})),
      standing: 'failed',
      says: /not valid\.\nimage and address unset\./,
      todo: /Correct the spec/,
    },
    {
      because: 'a registry server is away',
      told: diagnoseCatalogSource(source(state('TRANSIENT_FAILURE'), { address: 'registry:50051' })),
      standing: 'failed',
      says: /blocks resolution/,
      todo: /registry:50051/,
    },
    ...[
      {
        because: 'a pull secret is not there',
        message: 'pull secret olm/regcred, named by CatalogSource olm/c, does not exist: create it',
        todo: /^Create the pull secret: kubectl -n olm create secret docker-registry regcred /,
      },
      {
        because: 'the hub may not read Secrets',
        message: 'secrets "regcred" is forbidden: User "system:serviceaccount:hub:poller" cannot get resource',
        todo: /create rolebinding .*--clusterrole=flotilla:observe-pull-secrets --user=system:serviceaccount:hub:poller\n/,
      },
      {
        because: 'no login was given',
        message: 'r asks for a login and no credentials were given for r: name a pull secret',
        todo: /^Name a Secret .* in spec\.secrets/,
      },
    ].map(
      ({ because, message, todo }): Row => ({
        because,
        told: diagnoseCatalogSource(source({ ...state('TRANSIENT_FAILURE'), message })),
        standing: 'failed',
        says: /blocks resolution/,
        todo,
      }),
    ),
    {
      because: 'first pull',
      told: diagnoseCatalogSource(source(state('CONNECTING'))),
      standing: 'under-way',
      says: /first time/,
    },
    {
      because: 'nobody looked',
      told: diagnoseCatalogSource(source()),
      standing: 'under-way',
      says: /Nobody/,
      todo: /status/,
    },
  ])('$because', check);
});

const step = (name: string, status: string) => ({
  resolving: 'mill.v1',
  status,
  resource: { sourceName: 'c', sourceNamespace: 'olm', group: '', version: 'v1', kind: 'Service', name },
});
const plan = (phase: string, more: Partial<NonNullable<InstallPlan['status']>> = {}, approved = true): InstallPlan => ({
  ...INSTALL_PLAN_API,
  metadata: { name: 'install-1', namespace: 'team' },
  spec: { approval: 'Manual', approved, clusterServiceVersionNames: ['mill.v1'] },
  status: { phase, catalogSources: [], ...more },
});

const group = (name = 'g') => ({
  apiVersion: 'operators.coreos.com/v1',
  kind: 'OperatorGroup' as const,
  metadata: { name, namespace: 'team' },
});
const forbidden = (user: string) => `error creating: services is forbidden: User "${user}" cannot create resource`;
const ofPlan = (one: InstallPlan, groups: readonly OperatorGroup[] = []) => diagnoseInstallPlan(one, groups);

describe('an InstallPlan', () => {
  it.each<Row>([
    { because: 'done', told: ofPlan(plan('Complete')), standing: 'well', says: /mill\.v1 is created/ },
    {
      because: 'it waits for a person',
      told: ofPlan(plan('RequiresApproval', {}, false)),
      standing: 'needs-approval',
      says: /installs mill\.v1/,
      todo: /^flotilla approve installplan install-1 -n team$/,
    },
    {
      because: 'approved a moment ago',
      told: ofPlan(plan('RequiresApproval')),
      standing: 'under-way',
      says: /approved/,
    },
    {
      because: 'approved, with two groups: time does not change that',
      told: ofPlan(
        plan('RequiresApproval', {
          conditions: [{ type: 'Installed', status: 'False', reason: 'InstallCheckFailed', message: 'count=2' }],
        }),
        [group('a'), group('b')],
      ),
      standing: 'blocked',
      says: /waits for an OperatorGroup: count=2\.\nThere are 2 OperatorGroups in namespace team \(a, b\)/,
      todo: /kubectl -n team delete operatorgroup NAME$/,
    },
    {
      because: 'the check failed before the group was repaired',
      told: ofPlan(
        plan('RequiresApproval', {
          conditions: [{ type: 'Installed', status: 'False', reason: 'InstallCheckFailed', message: 'count=2' }],
        }),
        [group('a')],
      ),
      standing: 'under-way',
      says: /approved/,
    },
    {
      because: 'the service account of its group lacks a right',
      told: ofPlan(
        plan('Installing', { plan: [step('a', 'Unknown')], message: forbidden('system:serviceaccount:team:sa') }),
      ),
      standing: 'blocked',
      says: /0 of 1 steps are done\.\n.*is forbidden/,
      todo: /Give ServiceAccount team\/sa the right/,
    },
    {
      because: 'the account of the hub lacks a right',
      told: ofPlan(plan('Installing', { plan: [step('a', 'Unknown')], message: forbidden('applier') })),
      standing: 'blocked',
      says: /is forbidden/,
      todo: /flotilla clusters check$/,
    },
    {
      because: 'a stored version would be lost, and can go',
      told: ofPlan(plan('Failed', { message: `risk of data loss: v1 ${STORED_VERSION_REFUSED}` }), [group('g')]),
      standing: 'failed',
      says: /risk of data loss/,
      todo: /annotate operatorgroup g flotilla\.dev\/migrate-stored-versions=true\n/,
    },
    {
      because: 'a stored version would be lost, and the plan has not given up',
      told: ofPlan(
        plan('Installing', { plan: [step('a', 'Unknown')], message: `retrying execution: ${STORED_VERSION_REFUSED}` }),
        [group('g')],
      ),
      standing: 'blocked',
      says: /0 of 1 steps are done\./,
      todo: /annotate operatorgroup g flotilla\.dev\/migrate-stored-versions=true$/,
    },
    {
      because: 'some steps are done',
      told: ofPlan(plan('Installing', { plan: [step('a', 'Created'), null, step('b', 'Unknown')] })),
      standing: 'under-way',
      says: /1 of 2 steps are done\.\nStill to come: Service b\./,
    },
    {
      because: 'it failed, in its own words',
      told: ofPlan(
        plan('Failed', { conditions: [{ type: 'Installed', status: 'False', message: 'cannot create service' }] }),
      ),
      standing: 'failed',
      says: /cannot create service\./,
      todo: /or at once: flotilla retry installplan install-1 -n team\n.*made anew: flotilla retry installplan install-1 -n team --replan$/,
    },
  ])('$because', check);
});

const csv = (status?: ClusterServiceVersion['status']): ClusterServiceVersion => ({
  ...CSV_API,
  metadata: { name: 'mill.v1', namespace: 'team' },
  spec: {},
  ...(status === undefined ? {} : { status }),
});
const requirement = (kind: string, status: string, dependents: object[] = []) => ({
  group: '',
  version: 'v1',
  kind,
  name: 'x',
  status,
  message: status === 'NotPresent' ? 'CRD is not present' : '',
  dependents: dependents.map((one) => ({
    group: '',
    version: 'v1',
    kind: 'PolicyRule',
    status: 'NotSatisfied',
    ...one,
  })),
});

const ofCsv = (one: ClusterServiceVersion, installPlans: readonly InstallPlan[] = []) =>
  diagnoseCsv(one, { installPlans, operatorGroups: [] });

describe('a ClusterServiceVersion', () => {
  it.each<Row>([
    { because: 'runs', told: ofCsv(csv({ phase: 'Succeeded' })), standing: 'well', says: /runs/ },
    {
      because: 'an API is missing; what is met is not told',
      told: ofCsv(
        csv({
          phase: 'Pending',
          requirementStatus: [
            requirement('ServiceAccount', 'Present'),
            requirement('CustomResourceDefinition', 'NotPresent'),
          ],
        }),
      ),
      standing: 'blocked',
      says: /^It is pending: a requirement is not met\.\nCustomResourceDefinition x: NotPresent, CRD is not present\.$/,
      todo: /^Install the operator/,
    },
    {
      because: 'rights are missing: which',
      told: ofCsv(
        csv({
          phase: 'Pending',
          requirementStatus: [
            requirement('ServiceAccount', 'PresentNotSatisfied', [{ message: 'namespaced rule:{get pods}' }]),
          ],
        }),
      ),
      standing: 'blocked',
      says: /PolicyRule: namespaced rule:\{get pods\}\./,
      todo: /Give ServiceAccount x/,
    },
    {
      because: 'what it lacks is still to come from its plan, which failed',
      told: ofCsv(
        csv({
          phase: 'Pending',
          requirementStatus: [requirement('CustomResourceDefinition', 'PresentNotSatisfied')],
        }),
        [plan('Failed', { message: 'risk of data loss' })],
      ),
      standing: 'failed',
      says: /^It is pending: its InstallPlan install-1 is not complete\.\nIt failed\.\nrisk of data loss\.$/,
      todo: /flotilla retry installplan install-1 -n team/,
    },
    {
      because: 'the OperatorCondition of its predecessor',
      told: ofCsv({
        ...csv({ phase: 'Pending', reason: 'OperatorConditionNotUpgradeable', message: 'not before Monday' }),
        spec: { replaces: 'mill.v0' },
      }),
      standing: 'blocked',
      says: /OperatorCondition mill\.v0 does not allow the upgrade\.\nnot before Monday\./,
      todo: /kubectl -n team patch operatorcondition mill\.v0 --type merge -p '\{"spec":\{"overrides"/,
    },
    ...['InvalidWebhookDescription', 'InvalidInstallStrategy', 'InvalidInstallModes'].map(
      (reason): Row => ({
        because: `${reason}: the bundle is at fault, no Pod can show why`,
        told: ofCsv(csv({ phase: 'Failed', reason }), [plan('Complete')]),
        standing: 'failed',
        says: new RegExp(reason),
        todo: /^Publish a corrected version .*kubectl -n team delete csv mill\.v1\nThen .*flotilla retry installplan install-1 -n team --replan$/,
      }),
    ),
    {
      because: 'a requirement was lost',
      told: ofCsv(
        csv({
          phase: 'Failed',
          reason: 'RequirementsNotMet',
          requirementStatus: [requirement('CustomResourceDefinition', 'NotPresent')],
        }),
      ),
      standing: 'failed',
      says: /CustomResourceDefinition x: NotPresent, CRD is not present\./,
      todo: /^Install the operator/,
    },
    {
      because: 'install modes',
      told: ofCsv(csv({ phase: 'Failed', reason: 'UnsupportedOperatorGroup', message: 'AllNamespaces' })),
      standing: 'failed',
      says: /\(UnsupportedOperatorGroup\)\.\nAllNamespaces\./,
      todo: /install modes/,
    },
    {
      because: 'a reason that is a name of every object is no advice',
      told: ofCsv(csv({ phase: 'Failed', reason: 'constructor' })),
      standing: 'failed',
      says: /constructor/,
      todo: /kubectl -n team get deployments/,
    },
    {
      because: 'replaced',
      told: ofCsv(csv({ phase: 'Replacing' })),
      standing: 'under-way',
      says: /newer version/,
    },
    { because: 'nobody looked', told: ofCsv(csv()), standing: 'under-way', says: /Nobody/, todo: /status/ },
  ])('$because', check);
});

const subscription = (status?: Subscription['status']): Subscription => ({
  ...SUBSCRIPTION_API,
  metadata: { name: 'mill', namespace: 'team' },
  spec: { name: 'mill', source: 'c', sourceNamespace: 'olm' },
  ...(status === undefined ? {} : { status }),
});
const fine: Surroundings = {
  operatorGroups: [group()],
  installPlans: [],
  csvs: [],
  catalogSources: [source(state('READY'))],
};
const excluding = {
  ...group(),
  metadata: {
    name: 'g',
    namespace: 'team',
    annotations: { 'olm.operatorframework.io/exclude-global-namespace-resolution': 'true' },
  },
};
const condition = (type: string) => ({ conditions: [{ type, status: 'True', reason: 'R', message: 'told by OLM' }] });

describe('a Subscription', () => {
  it.each<Row>([
    {
      because: 'no group',
      told: diagnoseSubscription(subscription(), { ...fine, operatorGroups: [] }),
      standing: 'blocked',
      says: /no OperatorGroup/,
      todo: /Create/,
    },
    {
      because: 'two groups',
      told: diagnoseSubscription(subscription(), { ...fine, operatorGroups: [group('a'), group('b')] }),
      standing: 'blocked',
      says: /2 OperatorGroups .*\(a, b\)/,
      todo: /delete the others/,
    },
    {
      because: 'a group without its service account',
      told: diagnoseSubscription(subscription(), {
        ...fine,
        operatorGroups: [
          {
            ...group(),
            spec: { serviceAccountName: 'scoped' },
            status: {
              conditions: [
                { type: 'OperatorGroupServiceAccount', status: 'True', message: 'ServiceAccount scoped not found' },
              ],
            },
          },
        ],
      }),
      standing: 'blocked',
      says: /OperatorGroup g .*\nServiceAccount scoped not found\./,
      todo: /kubectl -n team create serviceaccount scoped$/,
    },
    {
      because: 'a broken global catalog that its group excludes does not block it',
      told: diagnoseSubscription(
        { ...subscription(), spec: { name: 'mill', source: 'own', sourceNamespace: 'team' } },
        {
          ...fine,
          operatorGroups: [excluding],
          catalogSources: [
            { ...source(state('READY')), metadata: { name: 'own', namespace: 'team' } },
            { ...source(state('TRANSIENT_FAILURE')), metadata: { name: 'c', namespace: 'olm' } },
          ],
        },
      ),
      standing: 'under-way',
      says: /Nothing was resolved/,
      todo: /flotilla status/,
    },
    {
      because: 'its catalog is a global one, which its group excludes',
      told: diagnoseSubscription(subscription(), { ...fine, operatorGroups: [excluding] }),
      standing: 'blocked',
      says: /OperatorGroup g excludes catalogs of other namespaces/,
      todo: /kubectl -n team annotate operatorgroup g olm\.operatorframework\.io\/exclude-global-namespace-resolution-$/,
    },
    {
      because: 'several broken catalogs: all of them',
      told: diagnoseSubscription(subscription(), {
        ...fine,
        catalogSources: ['c', 'd', 'e'].map((name) => ({
          ...source(state('TRANSIENT_FAILURE')),
          metadata: { name, namespace: 'olm' },
        })),
      }),
      standing: 'blocked',
      says: /olm\/c is not ready[\s\S]*olm\/d is not ready[\s\S]*olm\/e is not ready/,
      todo: /delete catalogsource c\n.*delete catalogsource d\n.*delete catalogsource e$/,
    },
    {
      because: 'no such catalog',
      told: diagnoseSubscription(subscription(), { ...fine, catalogSources: [] }),
      standing: 'blocked',
      says: /olm\/c is not there/,
      todo: /sourceNamespace/,
    },
    {
      because: 'a neighbour of its catalog is broken',
      told: diagnoseSubscription(subscription(), {
        ...fine,
        catalogSources: [
          ...fine.catalogSources,
          { ...source(state('TRANSIENT_FAILURE')), metadata: { name: 'd', namespace: 'team' } },
        ],
      }),
      standing: 'blocked',
      says: /CatalogSource team\/d is not ready.*\n.*TRANSIENT_FAILURE/,
      todo: /Or delete CatalogSource d/,
    },
    {
      because: 'not resolved',
      told: diagnoseSubscription(subscription(condition('ResolutionFailed')), fine),
      standing: 'failed',
      says: /\(R\)\.\ntold by OLM\./,
      todo: /flotilla explain subscription mill -n team/,
    },
    {
      because: 'not pulled',
      told: diagnoseSubscription(subscription(condition('BundleUnpackFailed')), fine),
      standing: 'failed',
      says: /could not be fetched\.\ntold by OLM\./,
      todo: /bundle validate/,
    },
    {
      because: 'an old failure of resolution matters less than the plan that failed',
      told: diagnoseSubscription(
        subscription({ ...condition('ResolutionFailed'), installPlanRef: { name: 'install-1' } }),
        {
          ...fine,
          installPlans: [plan('Failed')],
        },
      ),
      standing: 'failed',
      says: /InstallPlan install-1 failed/,
      todo: /flotilla retry installplan install-1 -n team/,
    },
    {
      because: 'its operator is not well',
      told: diagnoseSubscription(subscription({ currentCSV: 'mill.v1' }), {
        ...fine,
        csvs: [csv({ phase: 'Installing' })],
      }),
      standing: 'under-way',
      says: /mill\.v1 has not succeeded\.\nIt is being installed/,
      todo: /Deployments/,
    },
    {
      because: 'somebody deleted the CSV',
      told: diagnoseSubscription(subscription({ currentCSV: 'mill.v1' }), fine),
      standing: 'blocked',
      says: /is not there/,
      todo: /anew/,
    },
    {
      because: 'all is well',
      told: diagnoseSubscription(subscription({ currentCSV: 'mill.v1', installedCSV: 'mill.v1' }), {
        ...fine,
        csvs: [csv({ phase: 'Succeeded' })],
      }),
      standing: 'well',
      says: /mill\.v1 is installed/,
    },
  ])('$because', check);
});

describe('an object of OLM v1', () => {
  const extension = (...conditions: object[]) => ({
    apiVersion: 'olm.operatorframework.io/v1',
    kind: 'ClusterExtension',
    metadata: { name: 'mill' },
    status: { conditions },
  });
  const installed = { type: 'Installed', status: 'True', reason: 'Succeeded', message: 'Installed bundle' };
  const progressing = (reason: string) => ({ type: 'Progressing', status: 'True', reason, message: 'said' });
  const available = (status: string, message: string) => ({
    type: 'Available',
    status,
    reason: 'ProbeFailure',
    message,
  });

  it.each<Row>([
    {
      because: 'installed',
      told: diagnoseConditions(extension(installed, progressing('Succeeded'))),
      standing: 'well',
      says: /Installed is True/,
    },
    {
      because: 'blocked for good',
      told: diagnoseConditions(extension(progressing('Blocked'))),
      standing: 'failed',
      says: /said/,
      todo: /spec/,
    },
    {
      because: 'retried',
      told: diagnoseConditions(extension(installed, progressing('Retrying'))),
      standing: 'blocked',
      says: /said/,
      todo: /tried again/,
    },
    {
      because: 'a configuration that the bundle does not take',
      told: diagnoseConditions(extension(installed, progressing('InvalidConfiguration'))),
      standing: 'failed',
      says: /said/,
      todo: /spec\.config/,
    },
    {
      because: 'not ready in time, and why',
      told: diagnoseConditions(extension(progressing('ProgressDeadlineExceeded'), available('False', 'a pod crashes'))),
      standing: 'failed',
      says: /Available is False \(ProbeFailure\): a pod crashes\./,
      todo: /from being ready/,
    },
    {
      because: 'not ready in time, nobody knows why',
      told: diagnoseConditions(extension(progressing('ProgressDeadlineExceeded'), available('Unknown', ''))),
      standing: 'failed',
      says: /Available is Unknown \(ProbeFailure\)\./,
      todo: /from being ready/,
    },
    {
      because: 'installed and not ready',
      told: diagnoseConditions(extension(installed, progressing('Succeeded'), available('False', 'a pod crashes'))),
      standing: 'under-way',
      says: /Available is False \(ProbeFailure\): a pod crashes\./,
    },
    {
      because: 'no conditions',
      told: diagnoseConditions(extension()),
      standing: 'under-way',
      says: /Nobody/,
      todo: /status/,
    },
  ])('$because', check);
});

describe('sentence', () => {
  it.each([
    ['two\n lines', 'two lines.'],
    ['ends already.', 'ends already.'],
    ['asks?', 'asks?'],
  ])('%j', (text, expected) => expect(sentence(text)).toBe(expected));
});
