import { z } from 'zod';
import { isListed, ListedRules, type Right } from '#core/cluster/membership/role-rights';
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
  const ask = async (right: Right) => {
    const { object } = await client.create({
      apiVersion: 'authorization.k8s.io/v1',
      kind: 'SelfSubjectAccessReview',
      metadata: {},
      spec: specOf(right),
    });
    return AccessReview.parse(object).status.allowed;
  };
  const allowed = await inParallel(rights, AT_ONCE, (right) =>
    ask(right).catch((error: unknown) => {
      if (isCutOff(error)) return ask(right);
      throw error;
    }),
  );
  return rights.filter((_, index) => !allowed[index]);
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
  const { object } = await client.create({
    apiVersion: 'authorization.k8s.io/v1',
    kind: 'SelfSubjectRulesReview',
    metadata: {},
    spec: { namespace: NO_NAMESPACE },
  });
  const rules = RulesReview.parse(object).status;
  return missingRights(
    client,
    rights.filter((right) => !isListed(rules, right)),
  );
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
