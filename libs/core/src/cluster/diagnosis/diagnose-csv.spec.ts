import { describe, expect, it } from 'vitest';
import type { ClusterServiceVersion } from '../../kernel/api/cluster-service-version.js';
import type { InstallPlan } from '../../kernel/api/install-plan.js';
import { diagnoseCsv } from './diagnose-csv.js';
import { check, csv, type DiagnosisCase, group, plan, unanswered } from './diagnosis.fixture.js';

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

const installing = (selector: object): ClusterServiceVersion => ({
  ...csv({ phase: 'Installing' }),
  spec: { install: { strategy: 'deployment', spec: { deployments: [{ name: 'mill', spec: { selector } }] } } },
});

const ofCsv = (one: ClusterServiceVersion, installPlans: readonly InstallPlan[] = []) =>
  diagnoseCsv(one, { installPlans, operatorGroups: [] });

describe('a ClusterServiceVersion', () => {
  it.each<DiagnosisCase>([
    { because: 'runs', diagnosis: ofCsv(csv({ phase: 'Succeeded' })), standing: 'well', says: /runs/ },
    {
      because: 'an API is missing; what is met is not told',
      diagnosis: ofCsv(
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
      diagnosis: ofCsv(
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
      because: 'its account is gone, and its plan is complete: that makes it again',
      diagnosis: ofCsv(csv({ phase: 'Pending', requirementStatus: [requirement('ServiceAccount', 'NotPresent')] }), [
        plan('Complete'),
      ]),
      standing: 'blocked',
      says: /ServiceAccount x: NotPresent/,
      todo: /^If the account was deleted, .*: flotilla retry installplan install-1 -n team$/,
    },
    {
      because: 'its account is gone, and so is its plan',
      diagnosis: ofCsv(csv({ phase: 'Pending', requirementStatus: [requirement('ServiceAccount', 'NotPresent')] })),
      standing: 'blocked',
      says: /ServiceAccount x: NotPresent/,
      todo: /: kubectl -n team create serviceaccount x$/,
    },
    {
      because: 'its account belongs to another version: no rules are named, so none can be given',
      diagnosis: ofCsv(
        csv({ phase: 'Pending', requirementStatus: [requirement('ServiceAccount', 'PresentNotSatisfied')] }),
      ),
      standing: 'blocked',
      says: /ServiceAccount x: PresentNotSatisfied/,
    },
    {
      because: 'what it lacks is still to come from its plan, which failed',
      diagnosis: ofCsv(
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
      because: 'the newest of its plans counts',
      diagnosis: ofCsv(
        csv({
          phase: 'Pending',
          requirementStatus: [requirement('CustomResourceDefinition', 'PresentNotSatisfied')],
        }),
        [1, 3, 2].map((generation) => {
          const one = plan('Failed', { message: `cause ${generation}` });
          return {
            ...one,
            metadata: { ...one.metadata, name: `install-${generation}` },
            spec: { ...one.spec, generation },
          };
        }),
      ),
      standing: 'failed',
      says: /its InstallPlan install-3 is not complete\.\nIt failed\.\ncause 3\.$/,
      todo: /flotilla retry installplan install-3 -n team/,
    },
    {
      because: 'the OperatorCondition of its predecessor',
      diagnosis: ofCsv({
        ...csv({ phase: 'Pending', reason: 'OperatorConditionNotUpgradeable', message: 'not before Monday' }),
        spec: { replaces: 'mill.v0' },
      }),
      standing: 'blocked',
      says: /OperatorCondition mill\.v0 does not allow the upgrade\.\nnot before Monday\./,
      todo: /kubectl -n team patch operatorcondition mill\.v0 --type merge -p '\{"spec":\{"overrides"/,
    },
    ...['InvalidWebhookDescription', 'InvalidInstallStrategy', 'InvalidInstallModes'].map(
      (reason): DiagnosisCase => ({
        because: `${reason}: the bundle is at fault, no Pod can show why`,
        diagnosis: ofCsv(csv({ phase: 'Failed', reason }), [plan('Complete')]),
        standing: 'failed',
        says: new RegExp(reason),
        todo: /^Publish a corrected version .*kubectl -n team delete csv mill\.v1\nThen .*flotilla retry installplan install-1 -n team --replan$/,
      }),
    ),
    {
      because: 'a requirement was lost',
      diagnosis: ofCsv(
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
      because: 'a kind that no CRD brings is not served',
      diagnosis: ofCsv(
        csv({
          phase: 'Pending',
          requirementStatus: [{ ...requirement('Sail', 'NotPresent'), group: 'wind.example.com' }],
        }),
      ),
      standing: 'blocked',
      says: /^It is pending: a requirement is not met\.\nSail x: NotPresent/,
      todo: /kind Sail of API group wind\.example\.com, .*: kubectl api-resources --api-group=wind\.example\.com$/,
    },
    {
      because: 'an aggregated API is absent or not available, which its requirement does not tell apart',
      diagnosis: ofCsv(csv({ phase: 'Pending', requirementStatus: [requirement('APIService', 'NotPresent')] })),
      standing: 'blocked',
      says: /APIService x: NotPresent/,
      todo: /^Install the operator .*\nIf the APIService exists, .*: kubectl get apiservice x -o yaml$/,
    },
    {
      because: 'an APIService of the bundle names a Deployment that the bundle lacks',
      diagnosis: ofCsv(
        csv({ phase: 'Pending', requirementStatus: [requirement('APIService', 'DeploymentNotFound')] }),
        [plan('Complete')],
      ),
      standing: 'blocked',
      says: /APIService x: DeploymentNotFound/,
      todo: /^Publish a corrected version .*\nThen .*--replan$/,
    },
    {
      because: 'what was forbidden is tried again when the OperatorGroup changes',
      diagnosis: diagnoseCsv(
        csv({ phase: 'Failed', reason: 'InstallComponentFailedNoRetry', message: 'is forbidden' }),
        {
          installPlans: [],
          operatorGroups: [group('own')],
        },
      ),
      standing: 'failed',
      says: /is forbidden/,
      todo: /: kubectl -n team annotate operatorgroup own --overwrite flotilla\.dev\/retried-at="\$\(date \+%s\)"$/,
    },
    {
      because: 'a webhook of nobody does not answer',
      diagnosis: ofCsv(csv({ phase: 'Failed', reason: 'InstallComponentFailed', message: unanswered() })),
      standing: 'failed',
      says: /failed calling webhook .* is of ValidatingWebhookConfiguration guards/,
      todo: /^Service policy\/guard.*: kubectl -n policy describe service guard$/,
    },
    {
      because: 'a webhook of an operator does not answer, and is tried again: it is not being installed',
      diagnosis: ofCsv(
        csv({
          phase: 'InstallReady',
          reason: 'AllRequirementsMet',
          message: 'all requirements found, attempting install',
          conditions: [
            {
              ...{ phase: 'Failed', reason: 'InstallComponentFailed', lastUpdateTime: '', lastTransitionTime: '' },
              message: unanswered('a URL', ', and belongs to ClusterServiceVersion team/mill.v0'),
            },
            { phase: 'Pending', reason: 'NeedsReinstall', message: 'installing' },
          ],
        }),
      ),
      standing: 'failed',
      says: /^Its installation was refused and is being retried\..*\n.*belongs to ClusterServiceVersion team\/mill\.v0\.$/,
      todo: /: kubectl get validatingwebhookconfiguration guards -o yaml\nOr, if the webhook blocks ClusterServiceVersion team\/mill\.v0 itself.*: kubectl delete validatingwebhookconfiguration guards$/,
    },
    {
      because: 'its first install',
      diagnosis: ofCsv(csv({ phase: 'InstallReady', message: 'all requirements found, attempting install' })),
      standing: 'under-way',
      says: /^It is being installed \(InstallReady\)/,
      todo: /describe pods/,
    },
    {
      because: 'its only Deployment says which Pods are its own',
      diagnosis: ofCsv(installing({ matchLabels: { app: 'mill', tier: 'one' } })),
      standing: 'under-way',
      says: /Installing/,
      todo: /: kubectl -n team describe pods -l app=mill,tier=one$/,
    },
    {
      because: 'labels that a shell would read as commands',
      diagnosis: ofCsv(installing({ matchLabels: { app: '$(reboot)' } })),
      standing: 'under-way',
      says: /Installing/,
      todo: /: kubectl -n team describe pods -l 'app=\$\(reboot\)'$/,
    },
    {
      because: 'a selector that is more than labels',
      diagnosis: ofCsv(installing({ matchLabels: { app: 'mill' }, matchExpressions: [] })),
      standing: 'under-way',
      says: /Installing/,
      todo: /: kubectl -n team describe pods$/,
    },
    {
      because: 'install modes',
      diagnosis: ofCsv(csv({ phase: 'Failed', reason: 'UnsupportedOperatorGroup', message: 'AllNamespaces' })),
      standing: 'failed',
      says: /\(UnsupportedOperatorGroup\)\.\nAllNamespaces\./,
      todo: /install mode that/,
    },
    {
      because: 'a reason that is a name of every object is no advice',
      diagnosis: ofCsv(csv({ phase: 'Failed', reason: 'constructor' })),
      standing: 'failed',
      says: /constructor/,
      todo: /kubectl -n team describe pods$/,
    },
    {
      because: 'replaced',
      diagnosis: ofCsv(csv({ phase: 'Replacing' })),
      standing: 'under-way',
      says: /newer version/,
    },
    {
      because: 'nobody looked',
      diagnosis: ofCsv(csv()),
      standing: 'under-way',
      says: /has not read it yet/,
      todo: /status/,
    },
  ])('$because', check);
});

describe('an operator that owns the API of another one', () => {
  const owning = (name: string, crd: string, phase: string): ClusterServiceVersion => {
    const one = csv({ phase, reason: phase === 'Failed' ? 'OwnerConflict' : '' });
    const owned = [{ name: crd, version: 'v1', kind: 'Gear' }];
    return { ...one, metadata: { ...one.metadata, name }, spec: { customresourcedefinitions: { owned } } };
  };
  const failed = owning('mill.v1', 'gears.example.com', 'Failed');
  it.each([
    ['names it', [failed, owning('rival.v3', 'gears.example.com', 'Succeeded')], /^ClusterServiceVersion rival\.v3 of/],
    [
      'names none that owns another API',
      [failed, owning('lamp.v1', 'lamps.example.com', 'Succeeded')],
      /^Another operator/,
    ],
    ['names none if the others were not read', undefined, /^Another operator of this namespace owns the same API/],
  ] as const)('%s', (_what, csvs, todo) => {
    const found = diagnoseCsv(failed, { installPlans: [], operatorGroups: [], ...(csvs && { csvs }) });
    expect(found.todo).toEqual([expect.stringMatching(todo)]);
  });
});
