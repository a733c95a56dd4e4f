import type { ChosenBundle } from '#core/classic/resolution/problem/resolution-problem';
import type { RegistryCredentials } from '#platform/registry/client/registry-client.port';
import { pullSecretsOf } from '#platform/registry/logins/pull-secrets';
import type { NamespaceStageInput } from '../namespaces/namespace-stage.js';
import type { BundleContent, BundleContents, StillFetching } from './bundle-contents.js';

/** The manifests of bundles by name, and of those that cannot be used, why. */
export type FetchedBundles = Readonly<{
  bundles: ReadonlyMap<string, BundleContent>;
  unusable: ReadonlyMap<string, string>;
  /** Bundles that can be used once they are pushed again. */
  incomplete: ReadonlySet<string>;
}>;

/**
 * The manifests of the chosen bundles. Each fetch is given up after `timeoutMs`, unless that is 0.
 */
export async function fetchBundles(
  contents: BundleContents,
  input: NamespaceStageInput,
  chosen: readonly ChosenBundle[],
  timeoutMs: number,
): Promise<FetchedBundles | StillFetching> {
  const wanted = await Promise.all(
    chosen.map(async ({ name, source, catalog, catalogNamespace }) => {
      const credentials = await catalogCredentials(input, { name: catalog, namespace: catalogNamespace });
      return { name, source, credentials, timeoutMs };
    }),
  );
  const fetched = await contents.contentsOf(wanted, input);
  if ('stillFetching' in fetched) return fetched;
  const bundles = new Map<string, BundleContent>();
  const unusable = new Map<string, string>();
  const incomplete = new Set<string>();
  for (const [at, { name }] of chosen.entries()) {
    const content = fetched.contents[at];
    if (content === undefined) continue;
    if ('unusable' in content) unusable.set(name, content.unusable);
    else bundles.set(name, content);
    if ('unusable' in content && content.incomplete) incomplete.add(name);
  }
  return { bundles, unusable, incomplete };
}

/** Returns the logins of a visible CatalogSource. None if it is gone. */
export async function catalogCredentials(
  { client, read }: Pick<NamespaceStageInput, 'client' | 'read'>,
  catalog: Readonly<{ name: string; namespace: string }>,
): Promise<RegistryCredentials> {
  const source = read.catalogSources.find(
    ({ metadata }) => metadata.name === catalog.name && metadata.namespace === catalog.namespace,
  );
  return source === undefined ? {} : pullSecretsOf(client, source);
}
