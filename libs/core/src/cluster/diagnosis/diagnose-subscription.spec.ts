import { describe, it } from 'vitest';
import { SUBSCRIPTION_API, type Subscription } from '../../kernel/api/subscription.js';
import { diagnoseSubscription, type Surroundings } from './diagnose-subscription.js';
import { check, csv, type DiagnosisCase, group, plan, source, state, unanswered } from './diagnosis.fixture.js';

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
const condition = (type: string, reason = 'R', message = 'told by OLM') => ({
  conditions: [{ type, status: 'True', reason, message }],
});

const lacking = (kind: string) => ({
  ...{ phase: 'Pending', reason: 'RequirementsNotMet' },
  requirementStatus: [{ group: '', version: 'v1', kind, name: 'x', status: 'NotPresent', message: '' }],
});
const named = (name: string, status: NonNullable<Parameters<typeof csv>[0]>, replaces?: string) => ({
  ...csv(status),
  metadata: { name, namespace: 'team' },
  spec: replaces === undefined ? {} : { replaces },
});

describe('a Subscription', () => {
  it.each<DiagnosisCase>([
    {
      because: 'no group',
      diagnosis: diagnoseSubscription(subscription(), { ...fine, operatorGroups: [] }),
      standing: 'blocked',
      says: /no OperatorGroup/,
      todo: /Create/,
    },
    {
      because: 'two groups',
      diagnosis: diagnoseSubscription(subscription(), { ...fine, operatorGroups: [group('a'), group('b')] }),
      standing: 'blocked',
      says: /2 OperatorGroups .*\(a, b\)/,
      todo: /delete the others/,
    },
    {
      because: 'a group without its service account',
      diagnosis: diagnoseSubscription(subscription(), {
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
      diagnosis: diagnoseSubscription(
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
      diagnosis: diagnoseSubscription(subscription(), { ...fine, operatorGroups: [excluding] }),
      standing: 'blocked',
      says: /OperatorGroup g excludes catalogs of other namespaces/,
      todo: /kubectl -n team annotate operatorgroup g olm\.operatorframework\.io\/exclude-global-namespace-resolution-$/,
    },
    {
      because: 'several broken catalogs: all of them',
      diagnosis: diagnoseSubscription(subscription(), {
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
      because: 'its catalog has a spec that cannot be read',
      diagnosis: diagnoseSubscription(subscription(), {
        ...fine,
        catalogSources: [
          { ...source({ reason: 'SpecInvalidError' }), spec: { sourceType: 'grpc', image: 7 } as never },
        ],
      }),
      standing: 'blocked',
      says: /is not ready.*\nIts spec cannot be read\.\nspec\.image is the number 7; a text is expected: quote it\./s,
      todo: /Correct the spec of the CatalogSource/,
    },
    {
      because: 'no such catalog',
      diagnosis: diagnoseSubscription(subscription(), { ...fine, catalogSources: [] }),
      standing: 'blocked',
      says: /olm\/c does not exist/,
      todo: /sourceNamespace/,
    },
    {
      because: 'a neighbour of its catalog is broken',
      diagnosis: diagnoseSubscription(subscription(), {
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
      diagnosis: diagnoseSubscription(subscription(condition('ResolutionFailed')), fine),
      standing: 'failed',
      says: /\(R\)\.\ntold by OLM\./,
      todo: /flotilla explain subscription mill -n team/,
    },
    {
      because: 'its plan was deleted before its version had all: the hub plans again',
      diagnosis: diagnoseSubscription(
        subscription({
          ...condition('InstallPlanMissing'),
          ...{ currentCSV: 'mill.v1', installedCSV: 'mill.v1', installPlanRef: { name: 'install-1' } },
        }),
        { ...fine, csvs: [csv(lacking('ServiceAccount'))] },
      ),
      standing: 'under-way',
      says: /^Its InstallPlan install-1 was deleted before .* mill\.v1 were created\.\nThe hub rolls that version back/,
      todo: /flotilla status/,
    },
    {
      because: 'an upgrade of a neighbour has stopped: the cause lies at its new version',
      diagnosis: diagnoseSubscription(subscription(condition('ResolutionFailed')), {
        ...fine,
        csvs: [
          named('gear.v1', { phase: 'Replacing' }),
          named('gear.v2', { phase: 'Failed', reason: 'InstallComponentFailed', message: unanswered() }, 'gear.v1'),
        ],
      }),
      standing: 'failed',
      says: /^Its namespace is not resolved until the upgrade from gear\.v1 to gear\.v2 has ended\.\nIt failed \(InstallComponentFailed\)\.\n.*guards/,
      todo: /^Service policy\/guard/,
    },
    {
      because: 'an upgrade that ends just now is no cause',
      diagnosis: diagnoseSubscription(subscription(condition('ResolutionFailed')), {
        ...fine,
        csvs: [named('gear.v1', { phase: 'Replacing' }), named('gear.v2', { phase: 'Succeeded' }, 'gear.v1')],
      }),
      standing: 'failed',
      says: /told by OLM/,
      todo: /flotilla explain subscription mill/,
    },
    {
      because: 'not resolved, and its catalog has left bundles out',
      diagnosis: diagnoseSubscription(subscription(condition('ResolutionFailed')), {
        ...fine,
        catalogSources: [source({ ...state('READY'), reason: 'BundlesLeftOut', message: 'left out: bundle m.v1: no' })],
      }),
      standing: 'failed',
      says: /told by OLM\.\nCatalogSource olm\/c has unreadable bundles: left out: bundle m\.v1: no\./,
      todo: /explain subscription mill/,
    },
    {
      because: 'not pulled',
      diagnosis: diagnoseSubscription(subscription(condition('BundleUnpackFailed')), fine),
      standing: 'failed',
      says: /could not be fetched\.\ntold by OLM\./,
      todo: /bundle validate/,
    },
    {
      because: 'a webhook keeps its plan from being created',
      diagnosis: diagnoseSubscription(
        subscription(condition('BundleUnpackFailed', 'EnsureInstallPlanFailed', unanswered())),
        fine,
      ),
      standing: 'failed',
      says: /^Its InstallPlan could not be created\.\n.*ValidatingWebhookConfiguration guards/,
      todo: /^Service policy\/guard/,
    },
    {
      because: 'a quota keeps its plan from being created: the bundle is not at fault',
      diagnosis: diagnoseSubscription(
        subscription(condition('BundleUnpackFailed', 'EnsureInstallPlanFailed', 'exceeded quota')),
        fine,
      ),
      standing: 'failed',
      says: /exceeded quota/,
      todo: /^Correct the object that the API server refuses/,
    },
    {
      because: 'the bundle in its catalog cannot be read',
      diagnosis: diagnoseSubscription(
        subscription(
          condition(
            'BundleUnpackFailed',
            'True',
            'Bundle unpacking failed - bundle gum.v1 (in its catalog): object 1: no',
          ),
        ),
        fine,
      ),
      standing: 'failed',
      says: /cannot be installed\.\nBundle unpacking failed - bundle gum\.v1 \(in its catalog\): object 1: no\.\nThe publisher/,
    },
    {
      because: 'the bundle of its image cannot be read',
      diagnosis: diagnoseSubscription(
        subscription(
          condition('BundleUnpackFailed', 'True', 'Bundle unpacking failed - bundle gum.v1: image r.example/g:1: no'),
        ),
        fine,
      ),
      standing: 'failed',
      says: /cannot be installed/,
      todo: /flotilla bundle validate r\.example\/g:1$/,
    },
    {
      because: 'an old failure of resolution matters less than the plan that failed',
      diagnosis: diagnoseSubscription(
        subscription({ ...condition('ResolutionFailed'), installPlanRef: { name: 'install-1' } }),
        {
          ...fine,
          installPlans: [plan('Failed', { message: 'risk of data loss' })],
        },
      ),
      standing: 'failed',
      // That it failed is said once.
      says: /^Its InstallPlan install-1 failed\.\nrisk of data loss\.$/,
      todo: /flotilla retry installplan install-1 -n team/,
    },
    {
      because: 'its operator is not well',
      diagnosis: diagnoseSubscription(subscription({ currentCSV: 'mill.v1' }), {
        ...fine,
        csvs: [csv({ phase: 'Installing' })],
      }),
      standing: 'under-way',
      says: /mill\.v1 has not succeeded\.\nIt is being installed/,
      todo: /Deployments/,
    },
    {
      because: 'somebody deleted the CSV',
      diagnosis: diagnoseSubscription(subscription({ currentCSV: 'mill.v1' }), fine),
      standing: 'blocked',
      says: /does not exist/,
      todo: /create it again/,
    },
    {
      because: 'all is well',
      diagnosis: diagnoseSubscription(subscription({ currentCSV: 'mill.v1', installedCSV: 'mill.v1' }), {
        ...fine,
        csvs: [csv({ phase: 'Succeeded' })],
      }),
      standing: 'well',
      says: /mill\.v1 is installed/,
    },
  ])('$because', check);
});
