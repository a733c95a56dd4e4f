import { z } from 'zod';
import type { KubernetesObject } from '#core/api/kubernetes-object';
import { KubernetesObject as KubernetesObjectSchema } from '#core/api/kubernetes-object';
import type { WatchEvent } from './kube-client.port.js';
import { KubeStatus, refusal } from './kube-status.js';
import { bodyChunks } from './transport/read-body.js';
import { TransportError, textOf } from './transport/transport.error.js';
import { watchLines } from './transport/watch-lines.js';
import type { Exchange } from './transport/wire.js';

const Line = z.object({
  type: z.enum(['ADDED', 'MODIFIED', 'DELETED', 'BOOKMARK', 'ERROR']),
  object: z.looseObject({}),
});

/** The events of one watch; an ERROR event is thrown, most of all 410 Expired. Ends when the server ends it. */
export async function* watchEvents<T extends KubernetesObject>(
  cluster: string,
  what: string,
  exchange: Exchange,
): AsyncGenerator<WatchEvent<T>> {
  for await (const line of watchLines(bodyChunks(exchange))) {
    if (line.trim() === '') continue;
    const { type, object } = Line.parse(JSON.parse(line));
    if (type === 'ERROR') {
      const code = KubeStatus.safeParse(object).data?.code ?? 500;
      throw refusal(cluster, what, code, JSON.stringify(object));
    }
    const { resourceVersion } = KubernetesObjectSchema.parse(object).metadata;
    if (type === 'BOOKMARK') yield { type, resourceVersion: resourceVersion ?? '' };
    else yield { type, object: object as unknown as T };
  }
}

/** A line that is no event means that we have lost our place in the stream. */
export function asLost(error: unknown): TransportError {
  return error instanceof TransportError ? error : new TransportError('lost', textOf(error));
}
