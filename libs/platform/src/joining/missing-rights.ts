import { z } from 'zod';
import { isListed, ListedRules, type Right } from '#core/cluster/membership/role-rights';
import type { KubernetesObject } from '#core/kernel/api/kubernetes-object';
import { inParallel } from '../fairness/in-parallel.js';
import { KubeApiError, type KubeClient } from '../kube/client/kube-client.port.js';

const RulesReview = z.looseObject({ status: ListedRules });
const AccessReview = z.looseObject({ status: z.looseObject({ allowed: z.boolean() }) });
const AT_ONCE = 8;

/** The rights that the API server would refuse to this client's user. */
export async function missingRights(
  client: Pick<KubeClient, 'create'>,
  rights: readonly Right[],
): Promise<readonly Right[]> {
  const ask = (right: Right) => isAllowed(client, specOf(right));
  const allowed = await inParallel(rights, AT_ONCE, (right) =>
    ask(right).catch((error: unknown) => {
      if (isCutOff(error)) return ask(right);
      throw error;
    }),
  );
  return rights.filter((_, index) => !allowed[index]);
}

/** Returns the answer of a SelfSubjectAccessReview with this spec. */
export async function isAllowed(client: Pick<KubeClient, 'create'>, spec: object): Promise<boolean> {
  const { object } = await client.create({
    apiVersion: 'authorization.k8s.io/v1',
    kind: 'SelfSubjectAccessReview',
    metadata: {},
    spec,
  } as KubernetesObject);
  return AccessReview.parse(object).status.allowed;
}

/** No namespace has such a name: the rules that are listed for it hold in all namespaces. */
const NO_NAMESPACE = 'flotilla.dev';

/**
 * Same as {@link missingRights}, with few requests. Rights that the API server lists exist. It is asked about
 * the rest, since it need not know the rules of all its authorizers.
 */
export async function unlistedRights(
  client: Pick<KubeClient, 'create'>,
  rights: readonly Right[],
): Promise<readonly Right[]> {
  const rules = await listedRules(client);
  return missingRights(
    client,
    rights.filter((right) => !isListed(rules, right)),
  );
}

/** Returns the rules of the client's user in all namespaces, as far as the API server lists them. */
export async function listedRules(client: Pick<KubeClient, 'create'>): Promise<z.infer<typeof ListedRules>> {
  const { object } = await client.create({
    apiVersion: 'authorization.k8s.io/v1',
    kind: 'SelfSubjectRulesReview',
    metadata: {},
    spec: { namespace: NO_NAMESPACE },
  });
  return RulesReview.parse(object).status;
}

/** True if the answer was lost on the way. A review changes nothing, so it is asked once more. */
const isCutOff = (error: unknown): boolean =>
  KubeApiError.is(error) && error.status === 0 && error.reason !== 'Timeout' && !error.answered;

function specOf(right: Right) {
  if ('path' in right) return { nonResourceAttributes: { verb: right.verb, path: right.path } };
  const [resource, subresource] = right.resource.split('/');
  const attributes = { verb: right.verb, group: right.group, resource };
  return { resourceAttributes: subresource === undefined ? attributes : { ...attributes, subresource } };
}
