import { SERVICE_ACCOUNT_CONDITION } from '../../classic/operator-group/select-targets.js';
import type { OperatorGroup } from '../../kernel/api/operator-group.js';
import { byCodeUnit } from '../../kernel/canonical/canonical-json.js';
import { ADVICE } from '../advice/advice.js';
import { type Diagnosis, diagnosis, named, sentence } from './diagnosis.js';

/**
 * Returns the reason why the OperatorGroups of a namespace block all installs there, with the groups as
 * the root. Returns undefined if they do not.
 */
export function diagnoseGroups(namespace: string, groups: readonly OperatorGroup[]): Diagnosis | undefined {
  const found = reasonOf(namespace, groups);
  const [group] = groups;
  return (
    found && { ...found, root: group === undefined ? { kind: 'Namespace', namespace, name: namespace } : named(group) }
  );
}

/** Names of the groups, without the oldest one. */
export const allButOldest = (groups: readonly OperatorGroup[]): readonly string[] =>
  groups
    .toSorted(
      ({ metadata: a }, { metadata: b }) =>
        byCodeUnit(a.creationTimestamp ?? '', b.creationTimestamp ?? '') || byCodeUnit(a.name ?? '', b.name ?? ''),
    )
    .slice(1)
    .map(({ metadata }) => metadata.name ?? '');

function reasonOf(namespace: string, groups: readonly OperatorGroup[]): Diagnosis | undefined {
  const [group, ...others] = groups;
  const where = `namespace ${namespace}`;
  if (group === undefined) {
    const seen = `There is no OperatorGroup in ${where}: nothing is resolved there.`;
    return diagnosis('no-operator-group', 'blocked', seen, ADVICE.createGroup(namespace));
  }
  if (others.length > 0) {
    const names = groups.map(({ metadata }) => metadata.name).join(', ');
    const seen = `There are ${groups.length} OperatorGroups in ${where} (${names}): nothing is resolved there.`;
    return diagnosis('several-operator-groups', 'blocked', seen, ADVICE.keepOneGroup(namespace, allButOldest(groups)));
  }
  const missing = group.status?.conditions?.find(
    ({ type, status }) => type === SERVICE_ACCOUNT_CONDITION && status === 'True',
  );
  if (missing === undefined) return undefined;
  const said = typeof missing['message'] === 'string' ? [sentence(missing['message'])] : [];
  const seen = `OperatorGroup ${group.metadata.name ?? ''} installs with the rights of a ServiceAccount that does not exist.`;
  return diagnosis(
    'service-account-missing',
    'blocked',
    [seen, ...said],
    ADVICE.createServiceAccount(namespace, group.spec?.serviceAccountName ?? ''),
  );
}
