import type { KubernetesObject } from '#core/api/kubernetes-object';
import type { ListOptions } from './kube-client.port.js';

/** `a=b` or `a`; sets and negations are not read here. */
const TERM = /^(?<name>[\w./-]+)(?:=(?<value>[\w.-]*))?$/;

type Term = Readonly<{ name: string; value: string | undefined }>;

/**
 * A test of whether a list with these options has an object in it. Knows the terms that the applier asks with: `a=b` and
 * `a` for labels, `metadata.name=x` for fields; undefined where there is another one.
 */
export function selects(options: ListOptions): ((object: KubernetesObject) => boolean) | undefined {
  const labels = termsOf(options.labelSelector).map(readTerm);
  const fields = termsOf(options.fieldSelector).map(readTerm);
  const known = [...labels, ...fields].every((term) => term !== undefined);
  if (!known || fields.some((term) => term?.name !== 'metadata.name' || term.value === undefined)) return undefined;
  return ({ metadata }) =>
    (options.namespace === undefined || metadata.namespace === options.namespace) &&
    labels.every((term) => term === undefined || hasLabel(metadata.labels ?? {}, term)) &&
    fields.every((term) => term?.value === metadata.name);
}

const termsOf = (selector = ''): string[] => (selector === '' ? [] : selector.split(','));

function readTerm(text: string): Term | undefined {
  const parts = TERM.exec(text)?.groups;
  return parts?.['name'] === undefined ? undefined : { name: parts['name'], value: parts['value'] };
}

function hasLabel(labels: Readonly<Record<string, string>>, { name, value }: Term): boolean {
  if (!Object.hasOwn(labels, name)) return false;
  return value === undefined || labels[name] === value;
}
