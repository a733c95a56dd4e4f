import type { ChosenBundle } from '#core/classic/resolution/resolution-problem';
import { FlotillaError, type Retry } from '#core/kernel/errors/flotilla.error';
import { pullSecretsOf } from '#platform/registry/pull-secrets';
import type { RegistryCredentials } from '#platform/registry/registry-client.port';
import type { BundleContent, BundleContents } from '../install-plans/bundle-contents.js';
import type { StageInput } from '../namespaces/stage.js';

/** Worded like the failed Job of OLM that it stands for (spec: install-plans.md §4). */
export class UnpackTimeout extends FlotillaError {
  readonly code = 'UnpackTimeout';
  readonly retry: Retry = 'backoff';
  constructor(timeoutMs: number) {
    super(
      `DeadlineExceeded: the bundles were not fetched within ${timeoutMs / 1_000} s. Check the registry, or allow more time with the annotation operatorframework.io/bundle-unpack-timeout of the OperatorGroup`,
    );
  }
}

export type FetchedBundles = ReadonlyMap<string, BundleContent>;

/** What the chosen bundles bring, by name; given up after `timeoutMs`, unless that is 0. */
export async function fetchBundles(
  contents: BundleContents,
  input: StageInput,
  chosen: readonly ChosenBundle[],
  timeoutMs: number,
): Promise<FetchedBundles> {
  const fetched = await withinUnpackTime(input, timeoutMs, (signal) =>
    Promise.all(
      chosen.map(async (bundle) => {
        const credentials = await catalogCredentials(input, {
          name: bundle.catalog,
          namespace: bundle.catalogNamespace,
        });
        return [bundle.name, await contents.contentOf(bundle, { credentials, signal })] as const;
      }),
    ),
  );
  return new Map(fetched);
}

/** Does the work with a signal that goes off after `timeoutMs` (0: never) or with the pass; then throws {@link UnpackTimeout}. */
export async function withinUnpackTime<T>(
  input: Pick<StageInput, 'signal'>,
  timeoutMs: number,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const deadline = new AbortController();
  const timer = timeoutMs === 0 ? undefined : setTimeout(() => deadline.abort(new UnpackTimeout(timeoutMs)), timeoutMs);
  try {
    return await work(AbortSignal.any([deadline.signal, input.signal]));
  } finally {
    clearTimeout(timer);
  }
}

/** The logins of a CatalogSource in sight; none where it is gone. */
export async function catalogCredentials(
  { client, read }: Pick<StageInput, 'client' | 'read'>,
  catalog: Readonly<{ name: string; namespace: string }>,
): Promise<RegistryCredentials> {
  const source = read.catalogSources.find(
    ({ metadata }) => metadata.name === catalog.name && metadata.namespace === catalog.namespace,
  );
  return source === undefined ? {} : pullSecretsOf(client, source);
}
