import type { Finding } from './cluster-findings.js';

/**
 * Findings that differ only in the object, its namespace and its cluster. The first one represents all: an
 * object that the cause names, if there is one.
 */
type EqualFindings<T extends Finding> = readonly [first: T, ...others: T[]];

/**
 * Puts findings with the same cause and the same remedy together, in the order of the first of each. A cause
 * that names one object, and is repeated word for word at others of its namespace, is one cause, too.
 */
export function equalCauses<T extends Finding>(findings: readonly T[]): readonly EqualFindings<T>[] {
  const groups = new Map<string, [T, ...T[]]>();
  const all: [T, ...T[]][] = [];
  for (const finding of findings) {
    const keys = [causeOf(finding), verbatimCauseOf(finding)];
    const group = keys.map((key) => groups.get(key)).find((one) => one !== undefined);
    const members: [T, ...T[]] = group ?? [finding];
    if (group === undefined) all.push(members);
    else if (names(finding) && !names(group[0])) group.unshift(finding);
    else group.push(finding);
    for (const key of keys) if (!groups.has(key)) groups.set(key, members);
  }
  return all;
}

/** A word as names of Kubernetes are: a full stop behind it ends the sentence. */
const WORD = /[A-Za-z0-9](?:[\w.-]*[A-Za-z0-9])?/g;

/** True if the words of a cause name its own object. */
const names = ({ name, because }: Finding): boolean =>
  because.some((text) => (text.match(WORD) ?? []).some((word) => word === name));

/** The cause word for word: dependencies that cannot be resolved with an object report its cause. */
const verbatimCauseOf = (finding: Finding): string => {
  const { standing, kind, namespace, because, todo } = finding;
  return JSON.stringify(['verbatim', standing, kind, namespace, because, todo.map(generalIn(finding))]);
};

function causeOf(finding: Finding): string {
  const { standing, kind, because, todo } = finding;
  const general = generalIn(finding);
  return JSON.stringify([standing, kind, because.map(general), todo.map(general)]);
}

const generalIn =
  ({ namespace, name }: Finding) =>
  (text: string): string =>
    text.replaceAll(WORD, (word) => (word === namespace ? '<namespace>' : word === name ? '<name>' : word));
