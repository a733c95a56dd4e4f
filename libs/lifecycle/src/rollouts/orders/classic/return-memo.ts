import { z } from 'zod';
import { KIND } from '#core/kernel/api/kinds';
import { KubernetesObject, type ObjectRef } from '#core/kernel/api/kubernetes-object';
import type { KubeClient } from '#platform/kube/client/kube-client.port';

/**
 * A return that has begun. It is kept in a ConfigMap next to the Subscription, from before the first deletion
 * to the end. Nothing else is left in the namespace in between.
 */
export const ReturnMemo = z.object({
  rollout: z.string(),
  attempt: z.number(),
  /** The bundle that is rolled back, and the one that comes again. */
  from: z.string(),
  to: z.string(),
  /** The annotation `result` that the new Subscription has at the end. */
  result: z.string(),
  /** The Subscription to create, and the UID of the one that goes. */
  subscription: KubernetesObject,
  uid: z.string(),
  /** CSVs that go, by name with their UIDs. */
  csvs: z.array(z.object({ name: z.string(), uid: z.string() })),
});
export type ReturnMemo = z.infer<typeof ReturnMemo>;

export const memoRef = (namespace: string, packageName: string): ObjectRef => ({
  ...KIND.ConfigMap,
  name: `fleet-return-${packageName}`,
  namespace,
});

/** The return that has begun in a namespace, if any. */
export async function readMemo(client: KubeClient, ref: ObjectRef): Promise<ReturnMemo | undefined> {
  const found = await client.get(ref);
  const text = (found?.['data'] as Readonly<Record<string, string>> | undefined)?.['return'];
  if (text === undefined) return undefined;
  try {
    return ReturnMemo.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}

export async function writeMemo(client: KubeClient, ref: ObjectRef, memo: ReturnMemo): Promise<void> {
  const { apiVersion, kind, name, namespace = '' } = ref;
  await client.create({ apiVersion, kind, metadata: { name, namespace }, data: { return: JSON.stringify(memo) } });
}
