import type { KubernetesObject } from '../../kernel/api/kubernetes-object.js';

const PREFIX = 'operators.coreos.com/';
const MAX_LABEL_NAME_LENGTH = 63;

/** Name of the Operator object that gathers the parts of a package's operator in a namespace. */
export const operatorName = (packageName: string, namespace: string): string => `${packageName}.${namespace}`;

/**
 * Label key that marks the parts of the operator of that name: `operators.coreos.com/<package>.<namespace>`,
 * the name cut to 63 characters and freed of trailing `.-_` (spec: csv-lifecycle.md §12).
 */
export const labelOfOperator = (name: string): string =>
  `${PREFIX}${name.slice(0, MAX_LABEL_NAME_LENGTH).replace(/[.\-_]+$/, '')}`;

/** The same for a package in a namespace. */
export const componentLabel = (packageName: string, namespace: string): string =>
  labelOfOperator(operatorName(packageName, namespace));

/** The component labels that an object carries. */
export const componentLabelsOf = ({ metadata }: KubernetesObject): readonly string[] =>
  Object.keys(metadata.labels ?? {}).filter((key) => key.startsWith(PREFIX));

/**
 * Names of Operators that component labels ask for and that none of the `known` names stands for, each once
 * and sorted. A label that was cut names the Operator by what is left of it, as OLM does.
 */
export function operatorsLacking(labels: readonly string[], known: readonly string[]): readonly string[] {
  const served = new Set(known.map(labelOfOperator));
  return [...new Set(labels.filter((label) => !served.has(label)))].map((label) => label.slice(PREFIX.length)).sort();
}
