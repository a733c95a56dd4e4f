import { describe, it } from 'vitest';
import type { ClusterServiceVersion } from '../../kernel/api/cluster-service-version.js';
import type { InstallPlan } from '../../kernel/api/install-plan.js';
import { diagnoseCsv } from './diagnose-csv.js';
import { check, csv, plan, type Row } from './diagnosis.fixture.js';

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
    {
      because: 'nobody looked',
      told: ofCsv(csv()),
      standing: 'under-way',
      says: /has not read it yet/,
      todo: /status/,
    },
  ])('$because', check);
});
