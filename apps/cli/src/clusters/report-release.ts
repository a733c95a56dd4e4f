import type { HeldObject } from '#platform/joining/hub-finalizers';
import type { KubeClient } from '#platform/kube/client/kube-client.port';
import type { Io } from '../terminal/io.js';

/** The finalizers of the hub in a cluster that were released, or would be. */
export function reportRelease(
  io: Io,
  { cluster }: Pick<KubeClient, 'cluster'>,
  held: readonly HeldObject[],
  done: boolean,
): void {
  for (const { object, kind, finalizer } of held) {
    const { name, namespace } = object.metadata;
    const where = [namespace, name].filter(Boolean).join('/');
    io.out(`${kind.kind} ${where}: finalizer ${finalizer} ${done ? 'released' : 'would be released'}\n`);
  }
  if (held.length === 0) io.out(`no object of ${cluster} carries a finalizer of the hub\n`);
  io.out('Operators, their objects and OLM’s kinds do not change.\n');
}
