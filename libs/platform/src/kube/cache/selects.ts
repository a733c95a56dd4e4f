import type { KubernetesObject } from '#core/kernel/api/kubernetes-object';
import type { ListOptions } from '../client/kube-client.port.js';

/** `a=b`, `a` or `!a`; sets and inequalities are not read here. */
const TERM = /^(?:(?<name>[\w./-]+)(?:=(?<value>[\w.-]*))?|!(?<absent>[\w./-]+))$/;

type Term = Readonly<{ name: string; value: string | undefined; absent?: true }>;

/**
 * Returns a test that is true if a list with these options has an object in it. Knows the terms that the
 * applier asks with: `a=b`, `a` and `!a` for labels, `metadata.name=x` for fields. Returns undefined if there
 * is any other term.
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
  if (parts?.['absent'] !== undefined) return { name: parts['absent'], value: undefined, absent: true };
  return parts?.['name'] === undefined ? undefined : { name: parts['name'], value: parts['value'] };
}

function hasLabel(labels: Readonly<Record<string, string>>, { name, value, absent }: Term): boolean {
  if (absent || !Object.hasOwn(labels, name)) return absent === true && !Object.hasOwn(labels, name);
  return value === undefined || labels[name] === value;
}
