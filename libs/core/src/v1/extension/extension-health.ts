import type { ClusterExtension } from '../../kernel/api/cluster-extension.js';

/** Health of a ClusterExtension, by its conditions. `abnormal`: conditions that need a user. */
export type ExtensionHealth = Readonly<{
  installed: boolean;
  abnormal?: Readonly<{ condition: string; reason: string }> | undefined;
}>;

/**
 * Reasons for which an extension does not get the bundle that its spec asks for (spec: v1-extension.md,
 * "status").
 */
const STUCK = new Set(['Retrying', 'Blocked', 'InvalidConfiguration', 'ProgressDeadlineExceeded']);

/**
 * Returns the health of an extension. A bundle that it does not get takes precedence over an installed bundle
 * that is not ready.
 */
export function extensionHealth({ status }: Pick<ClusterExtension, 'status'>): ExtensionHealth {
  const find = (type: string) => status?.conditions?.find((condition) => condition.type === type);
  const [progressing, available] = [find('Progressing'), find('Available')];
  const installed = find('Installed')?.status === 'True';
  if (progressing !== undefined && STUCK.has(progressing.reason)) {
    return { installed, abnormal: { condition: 'Progressing', reason: progressing.reason } };
  }
  if (available === undefined || available.status === 'True') return { installed };
  return { installed, abnormal: { condition: 'Available', reason: available.reason } };
}
