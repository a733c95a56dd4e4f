import { describe, expect, it } from 'vitest';
import type { ClusterServiceVersion, CsvStatus } from '../../../kernel/api/cluster-service-version.js';
import type { OperatorGroup } from '../../../kernel/api/operator-group.js';
import { stepCsv } from '../step-csv.js';
import { gear, installedDeployments, millers, world } from '../world/csv-world.fixture.js';
import type { CsvWorld } from '../world/csv-world.js';

const at = (phase: string, reason: string, message = 'before'): CsvStatus => ({
  phase,
  reason,
  message,
  lastTransitionTime: '2026-01-01T00:09:00Z',
});
const owns = { customresourcedefinitions: { owned: [{ name: 'gears.example.com', version: 'v1', kind: 'Gear' }] } };
const GEAR = 'Gear.v1.example.com';
const group = (
  spec: NonNullable<OperatorGroup['spec']>,
  apis: string | undefined,
  more: object = {},
): OperatorGroup => {
  const one = millers(spec);
  const annotations = apis === undefined ? {} : { 'olm.providedAPIs': apis };
  return { ...one, metadata: { ...one.metadata, annotations }, ...more };
};
const elsewhere = (apis: string): OperatorGroup => {
  const one = group({}, apis, { status: { namespaces: [''] } });
  return { ...one, metadata: { ...one.metadata, namespace: 'elsewhere' } };
};
const withAnnotations = (annotations: Record<string, string>, status?: CsvStatus): ClusterServiceVersion => {
  const csv = gear('v1', {}, status);
  return { ...csv, metadata: { ...csv.metadata, annotations } };
};
const selecting = { selector: { matchLabels: { team: 'nobody' } } };
const noTargets = { status: { lastUpdated: '2026-01-01T00:00:00Z' } };
const knows = { 'olm.operatorGroup': 'millers', 'olm.operatorNamespace': 'mill' };
const NOTHING_MATCHED = 'no targetNamespaces are matched operatorgroups namespace selection';
const STATIC = 'static provided api operatorgroup cannot be modified by these apis';
const INTERSECTING = 'intersecting operatorgroups provide the same apis';
const CANNOT_MODIFY = 'CannotModifyStaticOperatorGroupProvidedAPIs';
const CONFLICT = 'InterOperatorGroupOwnerConflict';
const role = (labels: Record<string, string>) => ({
  apiVersion: 'rbac.authorization.k8s.io/v1',
  kind: 'Role',
  metadata: { name: 'clerk', labels, managedFields: [{ manager: 'kubectl', time: '2026-01-01T00:09:30Z' }] },
});
const touched = () => {
  const one = millers();
  const managedFields = [{ manager: 'kubectl', time: '2026-01-01T00:09:30Z' }];
  return { ...one, metadata: { ...one.metadata, managedFields } };
};
const frozen = gear('v1', {}, at('Failed', 'InstallComponentFailedNoRetry'));
const THAWED = 'Pending / DetectedClusterChange / Cluster resources changed state';
const deployments = installedDeployments(gear('v1', owns));
const deletes = [{ do: 'delete', ref: { kind: 'Deployment', name: 'gear' } }];
const annotates = (value: string) => [
  { do: 'patch', ref: { kind: 'OperatorGroup' }, patch: { metadata: { annotations: { 'olm.providedAPIs': value } } } },
];
const duplicates = { installModes: [1, 2].map(() => ({ type: 'OwnNamespace', supported: true })) };

type Case = Readonly<{
  row: string;
  csv: ClusterServiceVersion;
  parts?: Partial<CsvWorld>;
  /** Phase, reason and message, or that none of them changes. */
  to: string;
  does?: object[];
}>;

const GROUPS: readonly Case[] = [
  { row: '0. reason InstallComponentFailedNoRetry: frozen', csv: frozen, to: 'stays' },
  {
    row: '0. unfrozen by a Role that is labelled olm.managed=true',
    csv: frozen,
    parts: { roles: [role({ 'olm.managed': 'true' })] },
    to: THAWED,
  },
  { row: '0. not by an unlabelled Role', csv: frozen, parts: { roles: [role({})] }, to: 'stays' },
  { row: '0. unfrozen by the OperatorGroup', csv: frozen, parts: { operatorGroups: [touched()] }, to: THAWED },
  {
    row: '1. CRD names must contain a dot; else silence',
    csv: gear('v1', { customresourcedefinitions: { owned: [{ name: 'nodot', version: 'v1', kind: 'Gear' }] } }),
    to: 'stays',
  },
  {
    row: '1. the group marks such a CSV all the same',
    csv: {
      ...withAnnotations({}),
      spec: {
        ...gear('v1', { customresourcedefinitions: { owned: [{ name: 'nodot', version: 'v1', kind: 'Gear' }] } }).spec,
      },
    },
    to: 'stays',
    does: [{ do: 'patch', patch: { metadata: { annotations: { ...knows, 'olm.targetNamespaces': 'mill' } } } }],
  },
  {
    row: '3. no OperatorGroup',
    csv: gear('v1', {}, at('Succeeded', 'InstallSucceeded')),
    parts: { operatorGroups: [] },
    to: 'Failed / NoOperatorGroup / csv in namespace with no operatorgroups',
  },
  {
    row: '3. more than one OperatorGroup',
    csv: gear('v1', {}, at('Succeeded', 'InstallSucceeded')),
    parts: { operatorGroups: [millers(), millers()] },
    to: "Failed / TooManyOperatorGroups / csv created in namespace with multiple operatorgroups, can't pick one automatically",
  },
  {
    row: '3. annotations do not match: they are written and the sync ends',
    csv: withAnnotations({ ...knows, 'olm.targetNamespaces': 'quarry' }),
    to: 'stays',
    does: [{ do: 'patch', patch: { metadata: { annotations: { ...knows, 'olm.targetNamespaces': 'mill' } } } }],
  },
  {
    row: '3. annotations are sorted, comma joined targets',
    csv: withAnnotations({}),
    parts: { operatorGroups: [group({}, undefined, { status: { namespaces: ['silo', 'mill'] } })] },
    to: 'stays',
    does: [{ do: 'patch', patch: { metadata: { annotations: { 'olm.targetNamespaces': 'mill,silo' } } } }],
  },
  {
    row: '3. no targets known: the other two annotations are written',
    csv: withAnnotations({}),
    parts: { operatorGroups: [group(selecting, undefined, noTargets)] },
    to: 'stays',
    does: [{ do: 'patch', patch: { metadata: { resourceVersion: '1', annotations: knows } } }],
  },
  {
    row: '3. the selector matches nothing',
    csv: withAnnotations({ ...knows, 'olm.targetNamespaces': 'mill' }, at('Succeeded', 'InstallSucceeded')),
    parts: { operatorGroups: [group(selecting, undefined, noTargets)] },
    to: `Failed / NoTargetNamespaces / ${NOTHING_MATCHED}`,
  },
  {
    row: '3. targets are not known for want of the service account',
    csv: withAnnotations(knows, at('Succeeded', 'InstallSucceeded')),
    parts: {
      operatorGroups: [group({ targetNamespaces: ['mill'], serviceAccountName: 'clerk' }, undefined, noTargets)],
    },
    to: 'stays',
  },
  {
    row: '4. duplicate install modes',
    csv: gear('v1', duplicates),
    to: 'Failed / InvalidInstallModes / InstallMode list contains duplicates, cannot make set: [{OwnNamespace true} {OwnNamespace true}]',
  },
  {
    row: '4. targets unsupported',
    csv: gear('v1', { installModes: [] }),
    to: 'Failed / UnsupportedOperatorGroup / OwnNamespace InstallModeType not supported, cannot configure to watch own namespace',
  },
  {
    row: '5. API of an intersecting group',
    csv: gear('v1', owns, at('Succeeded', 'InstallSucceeded')),
    parts: { operatorGroups: [group({}, undefined)], otherOperatorGroups: [elsewhere(GEAR)], deployments },
    to: `Failed / ${CONFLICT} / ${INTERSECTING}`,
    does: deletes,
  },
  {
    row: '5. no rewrite, and nothing is deleted, while the reason already is InterOperatorGroupOwnerConflict',
    csv: gear('v1', owns, at('Failed', CONFLICT, INTERSECTING)),
    parts: { operatorGroups: [group({}, undefined)], otherOperatorGroups: [elsewhere(GEAR)], deployments },
    to: 'stays',
    does: [],
  },
  {
    row: '5. an API that a static group lacks',
    csv: gear('v1', owns, at('Succeeded', 'InstallSucceeded')),
    parts: { operatorGroups: [group({ staticProvidedAPIs: true }, undefined)], deployments },
    to: `Failed / ${CANNOT_MODIFY} / ${STATIC}`,
    does: deletes,
  },
  {
    row: '5. a static group does not rewrite InterOperatorGroupOwnerConflict',
    csv: gear('v1', owns, at('Failed', CONFLICT, INTERSECTING)),
    parts: { operatorGroups: [group({ staticProvidedAPIs: true }, undefined)], deployments },
    to: 'stays',
    does: [],
  },
  {
    row: '5. AddAPIs: olm.providedAPIs is written, and the CSV looked at again',
    csv: gear('v1', owns, at('Pending', 'RequirementsUnknown')),
    parts: { operatorGroups: [group({}, 'Axle.v1.example.com')] },
    to: 'stays',
    does: annotates(`Axle.v1.example.com,${GEAR}`),
  },
  {
    row: '5. AddAPIs, annotation already equal: continue',
    csv: gear(
      'v1',
      { customresourcedefinitions: { owned: [{ name: 'gears.', version: 'v1', kind: 'Gear' }] } },
      at('', ''),
    ),
    parts: { operatorGroups: [group({}, 'Gear.v1.')] },
    to: 'Pending / RequirementsUnknown / requirements not yet checked',
  },
  {
    row: '5. RemoveAPIs: olm.providedAPIs loses them',
    csv: gear('v1', owns, at('Succeeded', 'InstallSucceeded')),
    parts: { operatorGroups: [group({}, GEAR)], otherOperatorGroups: [elsewhere(GEAR)] },
    to: 'stays',
    does: annotates(''),
  },
];

describe('csv-lifecycle.md §2, checks before the phase switch', () => {
  it.each(GROUPS)('$row → $to', ({ csv, parts, to, does }) => {
    const { status, actions } = stepCsv(csv, world({ ...parts, csvs: [csv] }));
    const written = status === undefined ? 'stays' : `${status.phase} / ${status.reason} / ${status.message}`;
    expect(written).toBe(to);
    if (does !== undefined) expect(actions).toMatchObject(does);
  });
});
