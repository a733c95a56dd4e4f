import type { ClusterServiceVersion } from '../../../kernel/api/cluster-service-version.js';
import { ALL_NAMESPACES } from '../../operator-group/group-facts.js';

/** Returns the problem of the list of install modes itself, or undefined (spec: api-types.md §5). */
export function installModesError(csv: ClusterServiceVersion): string | undefined {
  const modes = csv.spec.installModes ?? [];
  if (new Set(modes.map(({ type }) => type)).size === modes.length) return undefined;
  const listed = modes.map(({ type, supported }) => `{${type} ${supported}}`).join(' ');
  return `InstallMode list contains duplicates, cannot make set: [${listed}]`;
}

/** The part of a CSV that names the namespaces its operator can watch. */
export type ModesOfCsv = Readonly<{ spec: Pick<ClusterServiceVersion['spec'], 'installModes'> }>;

/**
 * Returns the reason the CSV cannot watch these target namespaces, or undefined (spec: api-types.md §5,
 * install-mode check).
 */
export function unsupportedTargets(
  csv: ModesOfCsv,
  operatorNamespace: string,
  targets: readonly string[],
): string | undefined {
  const supports = (mode: string) =>
    (csv.spec.installModes ?? []).some(({ type, supported }) => type === mode && supported);
  const lacking = (mode: string, what: string) =>
    supports(mode) ? undefined : `${mode} InstallModeType not supported, cannot configure to watch ${what}`;
  const [first] = targets;
  if (first === undefined) {
    return 'operatorgroup has invalid selected namespaces, cannot configure to watch zero namespaces';
  }
  if (targets.length > 1) {
    if (targets.includes(ALL_NAMESPACES)) {
      return 'operatorgroup has invalid selected namespaces, NamespaceAll found when |selected namespaces| > 1';
    }
    return (
      lacking('MultiNamespace', `${targets.length} namespaces`) ??
      (targets.includes(operatorNamespace) ? lacking('OwnNamespace', 'own namespace') : undefined)
    );
  }
  if (first === ALL_NAMESPACES) return lacking('AllNamespaces', 'all namespaces');
  if (first === operatorNamespace) return lacking('OwnNamespace', 'own namespace');
  return lacking('SingleNamespace', 'one namespace');
}
