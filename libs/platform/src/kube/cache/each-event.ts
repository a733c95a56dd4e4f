import type { KubernetesObject } from '#core/kernel/api/kubernetes-object';
import type { WatchEvent, WatchedEvents } from '../client/kube-client.port.js';

/** Calls `take` for each event until the watch has ended. */
export function eachEvent<T extends KubernetesObject>(
  stream: WatchedEvents<T>,
  take: (event: WatchEvent<T>) => undefined,
): Promise<void> {
  return stream.each?.(take) ?? iterated(stream, take);
}

async function iterated<T>(stream: AsyncIterable<T>, take: (event: T) => void): Promise<void> {
  for await (const event of stream) take(event);
}
