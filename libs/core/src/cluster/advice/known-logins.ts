import type { KnownLogin } from './command-in.js';

/** A cluster of the hub with the place of its login. */
type LoginPlace = Readonly<{
  cluster: string;
  file: string;
  context: string;
  /** `isInKubeconfig`: false for a login in a Secret of the hub or in its Pod. */
  access: Readonly<{ isInKubeconfig?: boolean }>;
}>;

/**
 * Returns the logins that people have, by cluster. `kubectlFiles`: the files that kubectl reads by itself, if
 * people run their commands on the machine of the hub. Without them the files of the hub are not people's:
 * only their contexts are known, and none that two files have.
 */
export function knownLogins(
  places: readonly LoginPlace[],
  kubectlFiles: readonly string[] | undefined,
): ReadonlyMap<string, KnownLogin> {
  const inFiles = places.filter(({ access }) => access.isInKubeconfig !== false);
  const [seen, shared] = [new Set<string>(), new Set<string>()];
  for (const { context } of inFiles) (seen.has(context) ? shared : seen).add(context);
  const known = inFiles.flatMap(({ cluster, file, context }): [string, KnownLogin][] => {
    if (kubectlFiles === undefined) return shared.has(context) ? [] : [[cluster, { context }]];
    return [[cluster, { context, ...(!kubectlFiles.includes(file) && { kubeconfig: file }) }]];
  });
  return new Map(known);
}
