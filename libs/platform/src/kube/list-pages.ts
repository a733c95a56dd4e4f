import { z } from 'zod';
import type { KubernetesObject } from '#core/api/kubernetes-object';
import type { ApiRequests } from './api-requests.js';
import { KubeApiError, type KubernetesList, type ListOptions } from './kube-client.port.js';
import { collectionPath, query, type ServedResource } from './resource-path.js';
import { TransportError } from './transport/transport.error.js';

const Page = z.looseObject({
  metadata: z.looseObject({ resourceVersion: z.string().optional(), continue: z.string().optional() }).optional(),
  items: z.array(z.looseObject({ metadata: z.looseObject({}) })).nullable(),
});

/**
 * All objects, page by page. A list whose continuation has expired (410, it took longer than etcd keeps old versions)
 * is read anew in one piece, as client-go does; pages that are too large for us are asked for in smaller ones. Undefined where the collection is not there.
 */
export async function listAll<T extends KubernetesObject>(
  requests: ApiRequests,
  resource: ServedResource,
  options: ListOptions,
  pageSize: number,
): Promise<KubernetesList<T> | undefined> {
  try {
    return await listPages<T>(requests, resource, options, pageSize);
  } catch (error) {
    if (KubeApiError.is(error, 'Expired')) return listPages<T>(requests, resource, options, undefined);
    if (!KubeApiError.is(error, 'ResponseTooLarge') || pageSize <= 1) throw error;
    return listAll<T>(requests, resource, options, Math.ceil(pageSize / 10));
  }
}

async function listPages<T extends KubernetesObject>(
  requests: ApiRequests,
  resource: ServedResource,
  { namespace, labelSelector, fieldSelector }: ListOptions,
  limit: number | undefined,
): Promise<KubernetesList<T> | undefined> {
  const what = `list ${resource.kind}`;
  const items: T[] = [];
  let next: string | undefined;
  for (;;) {
    const path = collectionPath(resource, namespace) + query({ labelSelector, fieldSelector, limit, continue: next });
    const response = await requests.find(what, { method: 'GET', path });
    if (response === undefined) return undefined;
    const page = Page.safeParse(requests.json(what, response));
    if (!page.success) throw requests.failure(what, new TransportError('lost', 'the answer is no list of objects'));
    const named = { apiVersion: resource.apiVersion, kind: resource.kind };
    // Items of built-in kinds come without apiVersion and kind.
    for (const item of page.data.items ?? []) items.push({ ...named, ...item } as unknown as T);
    next = page.data.metadata?.continue;
    if (next === undefined || next === '') return { items, resourceVersion: page.data.metadata?.resourceVersion ?? '' };
  }
}
