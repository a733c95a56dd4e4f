import { z } from 'zod';
import { CONFIG_MAP_ROLE } from '#core/classic/catalog-source/config-map-role';
import type { CatalogSource } from '#core/kernel/api/catalog-source';
import { FlotillaError, type Retry } from '#core/kernel/errors/flotilla.error';
import { readForeign } from '#core/kernel/verdict/read-foreign';
import { KubeApiError } from '#platform/kube/client/kube-client.port';
import type { RegistryCredentials } from '#platform/registry/client/registry-client.port';
import { pullSecretsOf } from '#platform/registry/logins/pull-secrets';
import { CONFIG_MAPS, type ConfigMapWatchDeps, watchConfigMap } from './config-map-watch.js';

/** A ConfigMap as a catalog is read from it. */
type CatalogConfigMap = Readonly<{
  uid: string;
  resourceVersion: string;
  data: Readonly<Record<string, string>>;
}>;

/** The parts of its own cluster that a CatalogSource may need. */
export type SourceAccess = Readonly<{
  credentials(source: CatalogSource): Promise<RegistryCredentials>;
  /** Throws {@link ConfigMapMissing}. */
  configMap(namespace: string, name: string): Promise<CatalogConfigMap>;
  watchConfigMap(namespace: string, name: string, onChange: (resourceVersion: string | undefined) => void): () => void;
}>;

/** OLM's words (spec: catalog-sources.md §1.2). */
export class ConfigMapMissing extends FlotillaError {
  readonly code = 'ConfigMapMissing';
  readonly retry: Retry = 'backoff';
  constructor(name: string, why: string) {
    super(`failed to get catalog config map ${name}: ${why}`);
  }
}

const missingRole = (namespace: string): string =>
  `bind ClusterRole ${CONFIG_MAP_ROLE} (k8s/base/managed-cluster) to that user in namespace ${namespace}`;

const ConfigMap = z.looseObject({
  metadata: z.looseObject({ uid: z.string().nullish(), resourceVersion: z.string().nullish() }),
  data: z.record(z.string(), z.string()).nullish(),
});

export const clusterAccess = (deps: ConfigMapWatchDeps): SourceAccess => ({
  credentials: (source) => pullSecretsOf(deps.client, source),
  configMap: async (namespace, name) => {
    const found = await deps.client.get({ ...CONFIG_MAPS, namespace, name }).catch((error: unknown) => {
      const why = error instanceof Error ? error.message : String(error);
      throw new ConfigMapMissing(name, KubeApiError.is(error, 'Forbidden') ? `${why}; ${missingRole(namespace)}` : why);
    });
    if (found === undefined) throw new ConfigMapMissing(name, `configmaps ${JSON.stringify(name)} not found`);
    const read = readForeign(ConfigMap, found);
    if ('problem' in read) throw new ConfigMapMissing(name, read.problem);
    const { metadata, data } = read.value;
    return { uid: metadata.uid ?? '', resourceVersion: metadata.resourceVersion ?? '', data: data ?? {} };
  },
  watchConfigMap: (namespace, name, onChange) => watchConfigMap(deps, { namespace, name }, onChange),
});
