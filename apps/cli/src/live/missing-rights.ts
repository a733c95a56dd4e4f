import { z } from 'zod';
import type { PolicyRule } from '#core/kernel/api/cluster-service-version';
import { KubeApiError, type KubeClient } from '#platform/kube/client/kube-client.port';
import { inParallel } from '../in-parallel.js';

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

/** A review changes nothing, so that it is asked once more where its answer was lost on the way. */
const isCutOff = (error: unknown): boolean =>
  KubeApiError.is(error) && error.status === 0 && error.reason !== 'Timeout' && !error.answered;

function specOf(right: Right) {
  if ('path' in right) return { nonResourceAttributes: { verb: right.verb, path: right.path } };
  const [resource, subresource] = right.resource.split('/');
  const attributes = { verb: right.verb, group: right.group, resource };
  return { resourceAttributes: subresource === undefined ? attributes : { ...attributes, subresource } };
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
