import { z } from 'zod';
import type { KubernetesObject } from '#core/kernel/api/kubernetes-object';
import { KubernetesObject as KubernetesObjectSchema } from '#core/kernel/api/kubernetes-object';
import type { AnswerLease } from '../transport/answer-bytes.js';
import { bodyChunks } from '../transport/read-body.js';
import { TransportError, textOf } from '../transport/transport.error.js';
import { watchLines } from '../transport/watch-lines.js';
import type { Exchange } from '../transport/wire.js';
import type { WatchEvent } from './kube-client.port.js';
import { KubeStatus, refusal } from './kube-status.js';
import { isWellFormedObject } from './well-formed-object.js';

const Line = z.object({
  type: z.enum(['ADDED', 'MODIFIED', 'DELETED', 'BOOKMARK', 'ERROR']),
  object: z.looseObject({}),
});

/** An event, the length of its line, and how long it took to read the line. */
export type SizedEvent<T extends KubernetesObject> = Readonly<{ event: WatchEvent<T>; bytes: number; workMs: number }>;

/**
 * The events of one watch; an ERROR event is thrown, most of all 410 Expired. Ends when the server ends it.
 */
export async function* watchEvents<T extends KubernetesObject>(
  cluster: string,
  what: string,
  exchange: Exchange,
  lease?: () => AnswerLease,
  signal?: AbortSignal,
): AsyncGenerator<SizedEvent<T>> {
  for await (const line of watchLines(bodyChunks(exchange), lease, signal)) {
    if (line.trim() === '') continue;
    const startedAt = performance.now();
    const { type, object } = eventOf(JSON.parse(line));
    if (type === 'ERROR') {
      const code = KubeStatus.safeParse(object).data?.code ?? 500;
      throw refusal(cluster, what, code, JSON.stringify(object));
    }
    const { resourceVersion } = checked(object).metadata;
    const size = { bytes: line.length, workMs: performance.now() - startedAt };
    if (type === 'BOOKMARK') yield { event: { type, resourceVersion: resourceVersion ?? '' }, ...size };
    else yield { event: { type, object: object as unknown as T }, ...size };
  }
}

type Event = z.infer<typeof Line>;

const isEventType = (type: unknown): type is Event['type'] => Line.shape.type.options.some((one) => one === type);

function eventOf(parsed: unknown): Event {
  if (typeof parsed === 'object' && parsed !== null && 'type' in parsed && 'object' in parsed) {
    const { type, object } = parsed;
    if (isEventType(type) && isWellFormedObject(object)) return { type, object };
  }
  return Line.parse(parsed);
}

const checked = (object: Event['object']): KubernetesObject =>
  isWellFormedObject(object) ? object : KubernetesObjectSchema.parse(object);

/** A line that is no event means that we have lost our place in the stream. */
export function asLost(error: unknown): TransportError {
  return error instanceof TransportError ? error : new TransportError('lost', textOf(error));
}
