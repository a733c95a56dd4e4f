import { describe, it } from 'vitest';
import { STORED_VERSION_REFUSED } from '../../classic/crd-upgrade/stored-versions.js';
import type { InstallPlan } from '../../kernel/api/install-plan.js';
import type { OperatorGroup } from '../../kernel/api/operator-group.js';
import { SUBSCRIPTION_API, type Subscription } from '../../kernel/api/subscription.js';
import { diagnoseInstallPlan } from './diagnose-install-plan.js';
import { check, type DiagnosisCase, group, plan, step, unanswered } from './diagnosis.fixture.js';

const forbidden = (user: string) => `error creating: services is forbidden: User "${user}" cannot create resource`;
const tooStrict = (object: string) =>
  `error validating existing CRs against new CRD's schema for "docks.d.test": error validating d.test/v2, Kind=Dock "${object}": updated validation is too restrictive: [].spec.size: Required value`;
const subscribed = (name: string, installPlanApproval: 'Manual' | 'Automatic'): Subscription => ({
  ...SUBSCRIPTION_API,
  metadata: { name, namespace: 'team' },
  spec: { name, source: 'c', sourceNamespace: 'olm', installPlanApproval },
  status: { installPlanRef: { name: 'install-1' } },
});
const ofPlan = (one: InstallPlan, groups: readonly OperatorGroup[] = []) => diagnoseInstallPlan(one, groups);

describe('an InstallPlan', () => {
  it.each<DiagnosisCase>([
    { because: 'done', diagnosis: ofPlan(plan('Complete')), standing: 'well', says: /mill\.v1 is created/ },
    {
      because: 'a step of one of its bundles is of an API that is missing: whose it is',
      diagnosis: ofPlan(
        plan('Failed', {
          plan: [
            { ...step('mill.v1', 'Created'), resolving: 'mill.v1' },
            { ...step('loom', 'Unknown'), resolving: 'loom.v2' },
            { ...step('mill', 'Unknown'), resolving: 'mill.v1' },
          ],
          message: 'api-server resource not found installing ServiceMonitor loom: GroupVersionKind not found',
        }),
      ),
      standing: 'failed',
      says: /^It failed\.\napi-server .* loom: .*\nThe Service loom belongs to bundle loom\.v2; later steps wait for it\.$/,
      todo: /./,
    },
    {
      because: 'it waits for a person',
      diagnosis: ofPlan(plan('RequiresApproval', {}, false)),
      standing: 'needs-approval',
      says: /installs mill\.v1/,
      todo: /^flotilla approve installplan install-1 -n team$/,
    },
    {
      because: 'it moves an Automatic Subscription next to a Manual one: why, and the way out',
      diagnosis: diagnoseInstallPlan(
        plan('RequiresApproval', {}, false),
        [group('own')],
        [subscribed('by-hand', 'Manual'), subscribed('by-itself', 'Automatic')],
      ),
      standing: 'needs-approval',
      says: /^It waits for approval; then it installs mill\.v1\.\nSubscription by-itself is Automatic, .* Manual Subscription waits: by-hand\.$/,
      todo: /^flotilla approve installplan install-1 -n team\nOr .*: kubectl -n team annotate operatorgroup own flotilla\.dev\/resolution-isolation=true\nThen .*: kubectl -n team delete installplan install-1$/,
    },
    {
      because: 'all of its Subscriptions are Manual',
      diagnosis: diagnoseInstallPlan(
        plan('RequiresApproval', {}, false),
        [group('own')],
        [subscribed('by-hand', 'Manual')],
      ),
      standing: 'needs-approval',
      says: /^It waits for approval; then it installs mill\.v1\.$/,
      todo: /^flotilla approve installplan install-1 -n team$/,
    },
    {
      because: 'approved a moment ago',
      diagnosis: ofPlan(plan('RequiresApproval')),
      standing: 'under-way',
      says: /approved/,
    },
    {
      because: 'approved, with two groups: time does not change that',
      diagnosis: ofPlan(
        plan('RequiresApproval', {
          conditions: [{ type: 'Installed', status: 'False', reason: 'InstallCheckFailed', message: 'count=2' }],
        }),
        [group('a'), group('b')],
      ),
      standing: 'blocked',
      says: /waits for an OperatorGroup: count=2\.\nThere are 2 OperatorGroups in namespace team \(a, b\)/,
      todo: /kubectl -n team delete operatorgroup b$/,
    },
    {
      because: 'the check failed before the group was repaired',
      diagnosis: ofPlan(
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
      diagnosis: ofPlan(
        plan('Installing', { plan: [step('a', 'Unknown')], message: forbidden('system:serviceaccount:team:sa') }),
      ),
      standing: 'blocked',
      says: /0 of 1 steps are done\.\n.*is forbidden/,
      todo: /Give ServiceAccount team\/sa the missing right/,
    },
    {
      because: 'the account of the hub lacks a right',
      diagnosis: ofPlan(plan('Installing', { plan: [step('a', 'Unknown')], message: forbidden('applier') })),
      standing: 'blocked',
      says: /is forbidden/,
      todo: /^Grant the hub’s account applier the missing right.*: flotilla clusters check --kubeconfig FILE$/,
    },
    {
      because: 'a stored version would be lost, and can go',
      diagnosis: ofPlan(plan('Failed', { message: `risk of data loss: v1 ${STORED_VERSION_REFUSED}` }), [group('g')]),
      standing: 'failed',
      says: /risk of data loss/,
      todo: /annotate operatorgroup g flotilla\.dev\/migrate-stored-versions=true\n/,
    },
    {
      because: 'a stored version would be lost, and the plan has not given up',
      diagnosis: ofPlan(
        plan('Installing', { plan: [step('a', 'Unknown')], message: `retrying execution: ${STORED_VERSION_REFUSED}` }),
        [group('g')],
      ),
      standing: 'blocked',
      says: /0 of 1 steps are done\./,
      todo: /annotate operatorgroup g flotilla\.dev\/migrate-stored-versions=true$/,
    },
    {
      because: 'a webhook of the operator that is upgraded does not answer',
      diagnosis: ofPlan(
        plan('Failed', {
          message: unanswered('service team/mill', ', and belongs to ClusterServiceVersion team/mill.v0'),
        }),
      ),
      standing: 'failed',
      says: /belongs to ClusterServiceVersion team\/mill\.v0/,
      todo: /^Service team\/mill.*\nOr, if the webhook blocks ClusterServiceVersion team\/mill\.v0 itself.*\nCorrect the cause\. .*: flotilla retry installplan install-1 -n team$/,
    },
    {
      because: 'a webhook does not answer, and the plan has not given up',
      diagnosis: ofPlan(plan('Installing', { plan: [step('a', 'Unknown')], message: unanswered() })),
      standing: 'blocked',
      says: /0 of 1 steps are done\./,
      todo: /^Service policy\/guard/,
    },
    {
      because: 'the new schema refuses an object of another namespace',
      diagnosis: ofPlan(plan('Failed', { message: tooStrict('yard/first') })),
      standing: 'failed',
      says: /too restrictive/,
      todo: /^To let the plan continue, correct or delete the object .*: kubectl -n yard edit docks\.d\.test first\nCorrect the cause\. /,
    },
    {
      because: 'the new schema refuses an object of the cluster, and the plan has not given up',
      diagnosis: ofPlan(
        plan('Installing', {
          plan: [step('a', 'Unknown')],
          message: `retrying execution due to error: ${tooStrict('first')}`,
        }),
      ),
      standing: 'blocked',
      says: /too restrictive/,
      todo: /: kubectl edit docks\.d\.test first$/,
    },
    {
      because: 'some steps are done',
      diagnosis: ofPlan(plan('Installing', { plan: [step('a', 'Created'), null, step('b', 'Unknown')] })),
      standing: 'under-way',
      says: /1 of 2 steps are done\.\nStill to come: Service b\./,
    },
    {
      because: 'it failed, in its own words',
      diagnosis: ofPlan(
        plan('Failed', { conditions: [{ type: 'Installed', status: 'False', message: 'cannot create service' }] }),
      ),
      standing: 'failed',
      says: /cannot create service\./,
      todo: /to continue at once: flotilla retry installplan install-1 -n team\n.*recreate the plan: flotilla retry installplan install-1 -n team --replan$/,
    },
  ])('$because', check);
});
