import type { KubernetesObject } from '../../kernel/api/kubernetes-object.js';
import { isDnsLabel } from '../../kernel/labels/label-syntax.js';

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

/**
 * Returns the name of the Operator that a component label refers to. A truncated label gives the rest of the
 * name.
 */
export const operatorOfLabel = (label: string): string => label.slice(PREFIX.length);

/**
 * The part of an Operator's name that may be the namespace of its package: behind the last dot, since the
 * name of a namespace has none. Undefined if there is no such part, or no namespace can have that name.
 */
export function namespaceOfOperator(name: string): string | undefined {
  const dot = name.lastIndexOf('.');
  const namespace = name.slice(dot + 1);
  return dot > 0 && isDnsLabel(namespace) ? namespace : undefined;
}

/** Separators at the cut go, too, so that a label that was cut may be shorter than the longest one. */
const LONGEST_SEPARATORS = 3;

/** True if the label may have been cut: then its end does not name a namespace. */
export const mayBeCut = (label: string): boolean =>
  operatorOfLabel(label).length > MAX_LABEL_NAME_LENGTH - LONGEST_SEPARATORS - 1;

/** The component labels that an object carries. */
export const componentLabelsOf = ({ metadata }: KubernetesObject): readonly string[] =>
  Object.keys(metadata.labels ?? {}).filter((key) => key.startsWith(PREFIX));

/**
 * Returns the names of Operators that component labels ask for and that are not in `known`, each once and
 * sorted. A truncated label names the Operator by the rest of its name, as in OLM.
 */
export function operatorsLacking(labels: readonly string[], known: readonly string[]): readonly string[] {
  const served = new Set(known.map(labelOfOperator));
  return [...new Set(labels.filter((label) => !served.has(label)))].map(operatorOfLabel).sort();
}
