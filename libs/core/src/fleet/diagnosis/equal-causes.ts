import type { Finding } from './cluster-findings.js';

/**
 * Findings that differ in nothing but the object, its namespace and its cluster; the
 * first one stands for all.
 */
export type EqualFindings<T extends Finding> = readonly [first: T, ...others: T[]];

/** Puts findings with the same cause and the same remedy together, in the order of the first of each. */
export function equalCauses<T extends Finding>(findings: readonly T[]): readonly EqualFindings<T>[] {
  const groups = new Map<string, [T, ...T[]]>();
  for (const finding of findings) {
    const key = causeOf(finding);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [finding]);
    else group.push(finding);
  }
  return [...groups.values()];
}

/** A word as names of Kubernetes are: a full stop behind it ends the sentence. */
const WORD = /[A-Za-z0-9](?:[\w.-]*[A-Za-z0-9])?/g;

function causeOf({ standing, kind, namespace, name, because, todo }: Finding): string {
  const general = (text: string) =>
    text.replaceAll(WORD, (word) => (word === namespace ? '<namespace>' : word === name ? '<name>' : word));
  return JSON.stringify([standing, kind, because.map(general), todo.map(general)]);
}
