import { describe, expect, it } from 'vitest';
import type { ClusterServiceVersion } from '../../../kernel/api/cluster-service-version.js';
import type { OperatorGroup } from '../../../kernel/api/operator-group.js';
import { installFailed, stepCsv } from '../step-csv.js';
import { gear, installedDeployments, millers, NOW, world } from '../world/csv-world.fixture.js';
import type { CsvWorld } from '../world/csv-world.js';
import { podAnnotationsOf, REFUSED_RIGHTS_ANNOTATION } from '../world/hub-annotations.js';

type Parts = Partial<CsvWorld>;

const RBAC = 'rbac.authorization.k8s.io';
const ready = gear('v1', {}, { phase: 'InstallReady', reason: 'AllRequirementsMet', message: '' });
const action = {
  do: 'create',
  object: { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'gear' } },
} as const;

const group = (metadata: object, spec: NonNullable<OperatorGroup['spec']> = {}): OperatorGroup => {
  const one = millers(spec);
  return { ...one, metadata: { ...one.metadata, ...metadata } };
};
const withAccount = (uid = 'uid-of-clerk'): Parts => ({
  operatorGroups: [group({ generation: 1 }, { serviceAccountName: 'clerk' })],
  serviceAccounts: [{ apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'clerk', uid } }],
});
/** Rights of account `clerk`, by objects whose times say nothing. */
const granting = (verbs: string[], labels: Record<string, string> = {}): Parts => ({
  roles: [
    {
      apiVersion: `${RBAC}/v1`,
      kind: 'Role',
      metadata: { name: 'clerk', namespace: 'mill', labels },
      rules: [{ verbs }],
    },
  ],
  roleBindings: [
    {
      apiVersion: `${RBAC}/v1`,
      kind: 'RoleBinding',
      metadata: { name: 'clerk', namespace: 'mill' },
      roleRef: { apiGroup: RBAC, kind: 'Role', name: 'clerk' },
      subjects: [{ kind: 'ServiceAccount', name: 'clerk' }],
    },
  ],
});

/** The CSV after an install that was forbidden with the rights of `parts`. */
function refusedUnder(parts: Parts): ClusterServiceVersion {
  const { underRights } = stepCsv(ready, world({ ...parts, csvs: [ready] }));
  const step = installFailed(ready, { action, forbidden: true, message: 'no', underRights }, NOW);
  const [, marked] = step.afterwards;
  const patch =
    marked?.do === 'patch' ? (marked.patch as { metadata: { annotations: Record<string, string> } }) : undefined;
  const annotations = { ...ready.metadata.annotations, ...patch?.metadata.annotations };
  return { ...ready, metadata: { ...ready.metadata, annotations }, status: step.status };
}

const CASES: readonly Readonly<{ what: string; before?: Parts; after?: Parts; wakes: boolean }>[] = [
  { what: 'nothing changed', before: withAccount(), after: withAccount(), wakes: false },
  { what: 'the group names no account any more', before: withAccount(), wakes: true },
  { what: 'the group names an account', after: withAccount(), wakes: true },
  { what: 'the account was made again', before: withAccount(), after: withAccount('another'), wakes: true },
  { what: 'the group has another generation', after: { operatorGroups: [group({ generation: 2 })] }, wakes: true },
  { what: 'another group took its place', after: { operatorGroups: [group({ uid: 'another' })] }, wakes: true },
  {
    what: 'the account has more rights',
    before: { ...withAccount(), ...granting(['get']) },
    after: { ...withAccount(), ...granting(['*']) },
    wakes: true,
  },
  {
    what: 'an account that is not the group’s has more rights',
    before: granting(['get']),
    after: granting(['*']),
    wakes: false,
  },
  {
    what: 'a Role that OLM watches has other rules',
    before: granting(['get'], { 'olm.managed': 'true' }),
    after: granting(['*'], { 'olm.managed': 'true' }),
    wakes: true,
  },
  { what: 'a Role that OLM watches was made', after: granting(['get'], { 'olm.managed': 'true' }), wakes: true },
];

describe('csv-lifecycle.md §2.0: an install that was forbidden', () => {
  it.each(CASES)('is tried again: $wakes, since $what in the same second', ({ before = {}, after = {}, wakes }) => {
    const csv = refusedUnder(before);
    expect(csv.status?.reason).toBe('InstallComponentFailedNoRetry');
    const { status } = stepCsv(csv, world({ ...after, csvs: [csv] }));
    expect(status?.reason).toBe(wakes ? 'DetectedClusterChange' : undefined);
  });

  it('forgets these rights as soon as it is tried again', () => {
    const csv = refusedUnder(withAccount());
    const { afterwards } = stepCsv(csv, world({ csvs: [csv] }));
    const patch = { metadata: { annotations: { [REFUSED_RIGHTS_ANNOTATION]: null } } };
    expect(afterwards).toContainEqual(expect.objectContaining({ do: 'patch', patch }));
  });

  it('remembers the rights that there are, where it has failed under another release', () => {
    const { afterwards } = refusedOf(stepCsv);
    expect(afterwards).toMatchObject([
      { do: 'patch', patch: { metadata: { annotations: { [REFUSED_RIGHTS_ANNOTATION]: expect.any(String) } } } },
    ]);
  });
});

function refusedOf(step: typeof stepCsv) {
  const status = { phase: 'Failed', reason: 'InstallComponentFailedNoRetry', message: 'no' };
  const csv = gear('v1', {}, status);
  return step(csv, world({ csvs: [csv] }));
}

it('what is remembered is no annotation of the operator’s Pods', () => {
  const csv = refusedUnder({});
  expect(csv.metadata.annotations).toHaveProperty(REFUSED_RIGHTS_ANNOTATION);
  expect(podAnnotationsOf(csv)).toEqual(ready.metadata.annotations);
  const [deployment] = installedDeployments(csv);
  expect(JSON.stringify(deployment)).not.toContain(REFUSED_RIGHTS_ANNOTATION);
});
