import { KIND } from '#core/kernel/api/kinds';
import type { KubernetesObject } from '#core/kernel/api/kubernetes-object';
import type { Clock } from '#platform/clock/clock.port';
import { Reflector } from '#platform/kube/cache/reflector';
import type { KubeClient } from '#platform/kube/client/kube-client.port';
import type { Log } from '#platform/telemetry/log.port';

export const CONFIG_MAPS = KIND.ConfigMap;

export type ConfigMapWatchDeps = Readonly<{ client: KubeClient; clock: Clock; log: Log }>;

const NAME = /^[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?$/;

/**
 * Watches one ConfigMap by its name, so that a cluster's other ConfigMaps cost nothing; keeps its metadata
 * alone. Calls back with the current resourceVersion, or undefined if the ConfigMap is gone. The returned
 * function ends the watch.
 */
export function watchConfigMap(
  { client, clock, log }: ConfigMapWatchDeps,
  { namespace, name }: Readonly<{ namespace: string; name: string }>,
  onChange: (resourceVersion: string | undefined) => void,
): () => void {
  if (!NAME.test(name)) return () => undefined; // No object has such a name; reading it reports that.
  const reflector = new Reflector({
    client,
    clock,
    log,
    kind: CONFIG_MAPS,
    options: { namespace, fieldSelector: `metadata.name=${name}` },
    keep: metadataAlone,
    handlers: {
      onChange: ({ metadata }) => onChange(metadata.resourceVersion),
      onDelete: () => onChange(undefined),
    },
  });
  reflector.start();
  return () => void reflector.stop();
}

function metadataAlone({ apiVersion, kind, metadata }: KubernetesObject): KubernetesObject {
  const { namespace, name, uid, resourceVersion } = metadata;
  return { apiVersion, kind, metadata: { namespace, name, uid, resourceVersion } };
}
