import type { KubernetesObject } from '#core/api/kubernetes-object';
import { FlotillaError, type Retry } from '#core/errors/flotilla.error';
import type { ChosenBundle } from '#core/resolution/resolution-problem';
import { pullSecretsOf } from '#platform/registry/pull-secrets';
import type { RegistryCredentials } from '#platform/registry/registry-client.port';
import type { BundleContents } from '../install-plans/bundle-contents.js';
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

export type FetchedBundles = ReadonlyMap<string, Readonly<{ objects: readonly KubernetesObject[] }>>;

/** What the chosen bundles bring, by name; given up after `timeoutMs`, unless that is 0. */
export async function fetchBundles(
  contents: BundleContents,
  input: StageInput,
  chosen: readonly ChosenBundle[],
  timeoutMs: number,
): Promise<FetchedBundles> {
  const deadline = new AbortController();
  const timer = timeoutMs === 0 ? undefined : setTimeout(() => deadline.abort(new UnpackTimeout(timeoutMs)), timeoutMs);
  const signal = AbortSignal.any([deadline.signal, input.signal]);
  try {
    const fetched = await Promise.all(
      chosen.map(async (bundle) => {
        const credentials = await credentialsFor(input, bundle);
        return [bundle.name, { objects: await contents.objectsOf(bundle, { credentials, signal }) }] as const;
      }),
    );
    return new Map(fetched);
  } finally {
    clearTimeout(timer);
  }
}

async function credentialsFor({ client, read }: StageInput, bundle: ChosenBundle): Promise<RegistryCredentials> {
  const source = read.catalogSources.find(
    ({ metadata }) => metadata.name === bundle.catalog && metadata.namespace === bundle.catalogNamespace,
  );
  return source === undefined ? {} : pullSecretsOf(client, source);
}
