import type { OperatorGroup } from '../../kernel/api/operator-group.js';
import { blocks } from './blocking-catalogs.js';
import { diagnoseGroups } from './diagnose-groups.js';
import type { Diagnosis, Named } from './diagnosis.js';

type Finding = Named & Diagnosis;

const GROUP_ROOTS: ReadonlySet<string> = new Set(['OperatorGroup', 'Namespace']);

/**
 * Diagnoses OperatorGroups that block all installs in their namespaces. They stop every Subscription,
 * InstallPlan and ClusterServiceVersion there. The cause is shown once: at the OperatorGroup, or at the
 * Namespace if it has no OperatorGroup.
 */
export function blockingGroups(
  findings: readonly Finding[],
  groupsOf: (namespace: string) => readonly OperatorGroup[],
): Finding[] {
  const stopped = findings.filter(({ root }) => root !== undefined && GROUP_ROOTS.has(root.kind));
  return [...Map.groupBy(stopped, ({ namespace = '' }) => namespace)].flatMap(([namespace, members]) => {
    const cause = diagnoseGroups(namespace, groupsOf(namespace));
    if (cause?.root === undefined) return [];
    const { root, ...found } = cause;
    const names = members.filter(({ kind }) => kind === 'Subscription').map(({ name }) => name);
    const because = [...cause.because, ...(names.length === 0 ? [] : [blocks(names, 'Subscription')])];
    return [{ ...found, ...root, because }];
  });
}
