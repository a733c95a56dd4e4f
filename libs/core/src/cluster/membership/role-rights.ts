import { z } from 'zod';
import { PolicyRule } from '../../kernel/api/cluster-service-version.js';

/** One thing that a role allows: a verb on a resource in all namespaces, or on a path. */
export type Right = Readonly<{ verb: string } & ({ group: string; resource: string } | { path: string })>;

/** Every single right of some rules. */
export const rightsOf = (rules: readonly PolicyRule[]): readonly Right[] =>
  rules.flatMap(({ verbs = [], apiGroups = [], resources = [], nonResourceURLs = [] }) =>
    verbs.flatMap((verb) => [
      ...apiGroups.flatMap((group) => resources.map((resource) => ({ verb, group, resource }))),
      ...nonResourceURLs.map((path) => ({ verb, path })),
    ]),
  );

/** The answer to a SelfSubjectRulesReview: the rules of the user, as far as the API server can list them. */
export const ListedRules = z.looseObject({
  resourceRules: z.array(PolicyRule).nullish(),
  nonResourceRules: z.array(PolicyRule).nullish(),
});

/** True if a listed rule grants a right. A rule that is bound to names of objects grants none. */
export function isListed({ resourceRules, nonResourceRules }: z.infer<typeof ListedRules>, right: Right): boolean {
  const has = (all: readonly string[] | undefined, one: string) => all?.some((item) => item === '*' || item === one);
  if ('path' in right) {
    return (nonResourceRules ?? []).some(
      ({ verbs, nonResourceURLs }) => has(verbs, right.verb) && has(nonResourceURLs, right.path),
    );
  }
  return (resourceRules ?? []).some(
    ({ verbs, apiGroups, resources, resourceNames = [] }) =>
      resourceNames.length === 0 &&
      has(verbs, right.verb) &&
      has(apiGroups, right.group) &&
      has(resources, right.resource),
  );
}

/** Rights in few lines: verbs of one resource together. */
export function rightLines(rights: readonly Right[]): string[] {
  const verbs = new Map<string, string[]>();
  for (const right of rights) {
    const what = 'path' in right ? right.path : `${right.resource}${right.group === '' ? '' : `.${right.group}`}`;
    verbs.set(what, [...(verbs.get(what) ?? []), right.verb]);
  }
  return [...verbs].map(([what, all]) => `${all.join(', ')} ${what}`);
}
