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
 * people run their commands on the machine of the hub. Without them no login is known: a context of the same
 * name may lead people to another cluster.
 */
export function knownLogins(
  places: readonly LoginPlace[],
  kubectlFiles: readonly string[] | undefined,
): ReadonlyMap<string, KnownLogin> {
  if (kubectlFiles === undefined) return new Map();
  const inFiles = places.filter(({ access }) => access.isInKubeconfig !== false);
  const loginAt = ({ file, context }: LoginPlace): KnownLogin => {
    return { context, ...(!kubectlFiles.includes(file) && { kubeconfig: file }) };
  };
  return new Map(inFiles.map((place) => [place.cluster, loginAt(place)]));
}
