import { z } from 'zod';
import type { ObservedNamespace } from '#core/classic/resolution/problem/resolution-problem';
import { ClusterServiceVersion, CSV_API } from '#core/kernel/api/cluster-service-version';
import { KubernetesObject } from '#core/kernel/api/kubernetes-object';
import { OPERATOR_GROUP_API, OperatorGroup } from '#core/kernel/api/operator-group';
import { SUBSCRIPTION_API, Subscription } from '#core/kernel/api/subscription';
import { readForeign } from '#core/kernel/verdict/read-foreign';

/** One resolution of OLM Classic as a JSON value; unknown keys are ignored. */
export const ClassicCase = z.object({
  id: z.string().default(''),
  namespace: z.string().min(1),
  globalCatalogNamespace: z.string().default('olm'),
  catalogs: z
    .array(
      z.object({
        name: z.string().min(1),
        namespace: z.string().min(1),
        priority: z.number().default(0),
        /** Blobs of the catalog, inline. */
        fbc: z.array(z.record(z.string(), z.unknown())).optional(),
        /** Folder of the catalog, relative to the file that holds the case. */
        dir: z.string().optional(),
        /** Name of a catalog that the reader of the case has at hand. */
        ref: z.string().optional(),
        /** The CatalogSource exists, but nothing answers. */
        unhealthy: z.boolean().default(false),
      }),
    )
    .default([]),
  objects: z.array(KubernetesObject).default([]),
});
export type ClassicCase = z.infer<typeof ClassicCase>;
export type ClassicCatalog = ClassicCase['catalogs'][number];

/**
 * Returns the state of a case's namespace from the objects of the case. Objects of other namespaces and kinds
 * do not take part.
 */
export function observedNamespace(
  namespace: string,
  globalCatalogNamespace: string,
  objects: readonly KubernetesObject[],
): ObservedNamespace {
  const inNamespace = objects.filter(({ metadata }) => (metadata.namespace ?? namespace) === namespace);
  const of = <T>(kind: string, group: string, schema: z.ZodType<T>): T[] =>
    inNamespace
      .filter((object) => object.kind === kind && object.apiVersion.startsWith(`${group}/`))
      .map((object) => parsed(schema, object));
  return {
    namespace,
    globalCatalogNamespace,
    operatorGroups: of(OPERATOR_GROUP_API.kind, 'operators.coreos.com', OperatorGroup),
    subscriptions: of(SUBSCRIPTION_API.kind, 'operators.coreos.com', Subscription),
    csvs: of(CSV_API.kind, 'operators.coreos.com', ClusterServiceVersion),
  };
}

function parsed<T>(schema: z.ZodType<T>, object: KubernetesObject): T {
  const read = readForeign(schema, object);
  if ('value' in read) return read.value;
  throw new MalformedObject(object, read.problem);
}

/**
 * An object that does not have the shape of its kind. The message names the object, the field and the fault.
 */
export class MalformedObject extends Error {
  constructor(object: KubernetesObject, problem: string) {
    super(`${object.kind} ${object.metadata.name ?? '(without name)'} is malformed: ${problem}`);
  }
}
