import { originOf } from '#core/classic/catalog-source/catalog-source-spec';
import type { FailureReason, ReadConfigMap } from '#core/classic/catalog-source/catalog-source-status';
import { catalogOfConfigMap } from '#core/classic/catalog-source/configmap-catalog';
import type { CatalogSource } from '#core/kernel/api/catalog-source';
import { kubernetesTime } from '#core/kernel/durations/kubernetes-time';
import type { LoadedCatalog } from '../contents/catalog-contents.js';
import type { Asking, Shared } from '../shared-loads.js';
import { ConfigMapMissing, type SourceAccess } from './cluster-access.js';
import type { SharedCatalogs } from './shared-catalogs.js';

type LoadSourceDeps = Readonly<{ catalogs: SharedCatalogs; access: SourceAccess; now: () => Date }>;

/** The result of polling a source's content. `retryAt` is absent if the source has a pace of its own. */
export type SourcePoll = Readonly<
  { configMap?: ReadConfigMap } & (
    | { value: LoadedCatalog; begunAt: number }
    | { error: unknown; reason: FailureReason; retryAt?: number }
  )
>;

/** Polls the content of a source with a valid spec. Never rejects. */
export async function loadSource(source: CatalogSource, asking: Asking, deps: LoadSourceDeps): Promise<SourcePoll> {
  const origin = originOf(source);
  try {
    switch (origin.kind) {
      case 'image':
        return polledFrom(await deps.catalogs.ofImage(origin.image, await deps.access.credentials(source), asking));
      case 'grpc':
        return polledFrom(await deps.catalogs.ofAddress(origin.address, asking));
      case 'configMap':
        return await fromConfigMap(source.metadata.namespace ?? '', origin.name, deps);
      case 'invalid':
        throw new Error(origin.message);
    }
  } catch (error) {
    const reason = error instanceof ConfigMapMissing ? 'ConfigMapError' : 'RegistryServerError';
    return { error, reason };
  }
}

const polledFrom = (found: Shared<LoadedCatalog>): SourcePoll =>
  'error' in found ? { error: found.error, retryAt: found.retryAt, reason: 'RegistryServerError' } : found;

async function fromConfigMap(
  namespace: string,
  name: string,
  { access, catalogs, now }: LoadSourceDeps,
): Promise<SourcePoll> {
  const begunAt = now().getTime();
  const { data, uid, resourceVersion } = await access.configMap(namespace, name);
  const configMap = { name, namespace, uid, resourceVersion, readAt: kubernetesTime(new Date(begunAt)) };
  try {
    return { value: await catalogs.ofInline(catalogOfConfigMap(data)), begunAt, configMap };
  } catch (error) {
    return { error, reason: 'RegistryServerError', configMap };
  }
}
