import { type CommandAccess, commandIn } from '#core/cluster/advice/command-in';
import { deniedRight } from '#core/kernel/rbac/denied-right';
import { KubeApiError } from '#platform/kube/client/kube-client.port';
import { NEXT } from '../output/next-commands.js';

/** Objects that the API server does not show to this login. The answer is missing their contribution. */
export type Withheld = Readonly<{
  /** Names of the objects, such as `CatalogSources of namespace olm`. */
  what: string;
  /** The namespace of these CatalogSources; absent for all other objects. */
  catalogsOf?: string;
  /** The words of the API server. */
  said: string;
  /** The command for an administrator of the cluster, to give the right. */
  todo: string;
}>;

const userOf = (said: string): string => deniedRight(said)?.user ?? '';

/** CatalogSources that a namespace sees, and that lie in another one. */
export const withheldCatalogs = (namespace: string, { said }: KubeApiError): Withheld => ({
  what: `CatalogSources of namespace ${namespace}`,
  catalogsOf: namespace,
  said,
  todo: NEXT.grantView('view-catalogs', userOf(said), namespace),
});

/** Objects outside of the namespace of the team. */
export const withheldElsewhere = (what: string, { said }: KubeApiError): Withheld => ({
  what,
  said,
  todo: NEXT.grantView('view-cluster', userOf(said)),
});

/** Objects of the namespace itself, or of no namespace, that a step of a pass reads. */
export function withheldRead(namespace: string, error: KubeApiError): Withheld {
  const { verb = 'read', resource = 'objects' } = deniedRight(error.said) ?? {};
  if (!isInNamespace(namespace, error))
    return withheldElsewhere(`${resource} outside of namespace ${namespace}`, error);
  const todo = NEXT.grantView('view', userOf(error.said), namespace);
  return { what: `${resource} of namespace ${namespace} (${verb})`, said: error.said, todo };
}

const isInNamespace = (namespace: string, { said }: KubeApiError): boolean =>
  said.includes(` in the namespace "${namespace}"`);

/** A question about one namespace, or about all. `isNarrowable` is false if -n would not change it. */
export type Narrowing = Readonly<{
  namespace?: string | undefined;
  isNarrowable?: boolean;
  /** Options of the next command. */
  access: CommandAccess;
}>;

/** Returns the administrator's command with the options that lead to the cluster, if they are known. */
export const grantIn = (access: CommandAccess, todo: string): string =>
  access.options === undefined ? todo : commandIn(access, todo);

/** Names the next step after a refusal: a question about one namespace, or how the right is given. */
function afterRefusal(error: KubeApiError, { namespace, isNarrowable = true, access }: Narrowing): string {
  if (namespace === undefined && isNarrowable) return 'if you have rights in only one namespace, use -n NAMESPACE';
  const { todo } = namespace === undefined ? withheldElsewhere('', error) : withheldRead(namespace, error);
  return `an administrator of the cluster can grant the right with ${grantIn(access, todo)}`;
}

/** Returns the error of a verb about one cluster. If the login was refused, it adds the next step. */
export const withNextStep = (error: unknown, narrowing: Narrowing): unknown =>
  KubeApiError.is(error, 'Forbidden') ? error.adding(afterRefusal(error, narrowing)) : error;

/** Returns the lines of an answer about its missing objects, and what to do. */
export const withheldLines = (withheld: readonly Withheld[], access: CommandAccess): readonly string[] =>
  withheld.flatMap(({ what, todo }) => [
    `${what} cannot be read with this login: reasons may be missing.`,
    `  An administrator of the cluster can grant the right with: ${grantIn(access, todo)}`,
  ]);

/** Returns the value, or the refusal if this login may not read it. */
export async function orRefusal<T>(reading: Promise<T>): Promise<T | KubeApiError> {
  try {
    return await reading;
  } catch (error) {
    if (KubeApiError.is(error, 'Forbidden')) return error;
    throw error;
  }
}
