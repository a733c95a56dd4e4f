import type { ChosenBundle } from '#core/classic/resolution/resolution-problem';
import { pullSecretsOf } from '#platform/registry/pull-secrets';
import type { RegistryCredentials } from '#platform/registry/registry-client.port';
import type { BundleContent, BundleContents, StillFetching } from '../install-plans/bundle-contents.js';
import type { NamespaceStageInput } from '../namespaces/stage.js';

export type FetchedBundles = ReadonlyMap<string, BundleContent>;

/**
 * The manifests of the chosen bundles, by name. Each fetch is given up after `timeoutMs`, unless that is 0.
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
  return new Map(
    chosen.flatMap(({ name }, at) => {
      const content = fetched.contents[at];
      return content === undefined ? [] : [[name, content] as const];
    }),
  );
}

/** The logins of a visible CatalogSource; none where it is gone. */
export async function catalogCredentials(
  { client, read }: Pick<NamespaceStageInput, 'client' | 'read'>,
  catalog: Readonly<{ name: string; namespace: string }>,
): Promise<RegistryCredentials> {
  const source = read.catalogSources.find(
    ({ metadata }) => metadata.name === catalog.name && metadata.namespace === catalog.namespace,
  );
  return source === undefined ? {} : pullSecretsOf(client, source);
}
