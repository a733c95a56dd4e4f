const MAX_LABEL_NAME_LENGTH = 63;

/**
 * Label key that marks the parts of one operator: `operators.coreos.com/<package>.<namespace>`, the name cut to 63
 * characters and freed of trailing `.-_` (spec: csv-lifecycle.md §12).
 */
export function componentLabel(packageName: string, namespace: string): string {
  const name = `${packageName}.${namespace}`.slice(0, MAX_LABEL_NAME_LENGTH).replace(/[.\-_]+$/, '');
  return `operators.coreos.com/${name}`;
}

/** Name of the Operator object that gathers them. */
export const operatorName = (packageName: string, namespace: string): string => `${packageName}.${namespace}`;
