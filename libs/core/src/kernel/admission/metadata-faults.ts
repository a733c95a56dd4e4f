import type { KubernetesObject } from '../api/kubernetes-object.js';
import { recordAt, textAt } from '../json/json-access.js';
import { labelKeyProblems, labelValueProblems, subdomainProblems } from '../labels/label-syntax.js';
import { typeProblem } from '../verdict/read-foreign.js';
import { goQuote } from '../versions/go-quote.js';

/** Kinds of RBAC. Their names may hold any text that fits into one part of a path. */
const FREE_NAMES: ReadonlySet<string> = new Set(['Role', 'RoleBinding', 'ClusterRole', 'ClusterRoleBinding']);
const DNS_LABEL = /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/;
/** Keys and values of all annotations together, in bytes. */
const MOST_ANNOTATION_BYTES = 256 * 1024;

/** Returns the faults in an object's metadata that every API server refuses, one text for each field. */
export function metadataFaults({ kind, metadata }: Pick<KubernetesObject, 'kind' | 'metadata'>): string[] {
  const name = textAt(metadata, 'name');
  const isNamed = name !== '' || textAt(metadata, 'generateName') !== '';
  return [
    ...(isNamed ? [] : ['metadata.name is missing']),
    ...(name === '' ? [] : nameFaults('metadata.name', name, kind)),
    ...labelFaults('metadata.labels', recordAt(metadata, 'labels')),
    ...annotationFaults('metadata.annotations', recordAt(metadata, 'annotations')),
  ];
}

/** Returns why an API server refuses a name; none if it takes it. */
export function nameFaults(field: string, name: string, kind = ''): string[] {
  if (FREE_NAMES.has(kind)) {
    const isPart = name !== '.' && name !== '..' && !/[/%]/.test(name);
    return isPart ? [] : [`${field} ${goQuote(name)} is not a name of a ${kind}: leave out "/" and "%"`];
  }
  if (kind === 'Service') {
    if (DNS_LABEL.test(name)) return [];
    return [`${field} ${goQuote(name)} is not a name of a Service: at most 63 lower-case letters, digits and "-"`];
  }
  if (subdomainProblems(name).length === 0) return [];
  return [`${field} ${goQuote(name)} is not a DNS name: at most 253 lower-case letters, digits, "-" and "."`];
}

/** Returns why an API server refuses labels, one text for each. */
export function labelFaults(field: string, labels: Readonly<Record<string, unknown>>): string[] {
  return Object.entries(labels).flatMap(([key, value]) => {
    if (labelKeyProblems(key).length > 0) return [`${field}: ${goQuote(key)} is not a label key`];
    if (value === null) return [];
    if (typeof value !== 'string') return [`${field}.${key} ${typeProblem(value)}`];
    if (labelValueProblems(value).length === 0) return [];
    const rule = 'at most 63 letters, digits, "-", "_" and "."';
    return [`${field}.${key}: ${goQuote(value)} is not a label value: ${rule}`];
  });
}

/** Keys are as those of labels, in any case; values are any text. */
function annotationFaults(field: string, annotations: Readonly<Record<string, unknown>>): string[] {
  const entries = Object.entries(annotations);
  const faults = entries.flatMap(([key, value]) => {
    if (labelKeyProblems(key.toLowerCase()).length > 0)
      return [`${field}: ${goQuote(key)} is not a key of an annotation`];
    return value === null || typeof value === 'string' ? [] : [`${field}.${key} ${typeProblem(value)}`];
  });
  const bytes = entries.reduce((sum, [key, value]) => sum + Buffer.byteLength(`${key}${String(value)}`), 0);
  return bytes <= MOST_ANNOTATION_BYTES ? faults : [...faults, `${field}: more than ${MOST_ANNOTATION_BYTES} bytes`];
}
