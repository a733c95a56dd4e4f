import { FlotillaError } from '#core/kernel/errors/flotilla.error';
import { KubeApiError } from '#platform/kube/client/kube-client.port';
import type { PulledBundle } from '#platform/registry/bundle-image';
import { parseImageReference } from '#platform/registry/client/image-reference';
import type { ExtensionPass } from '../extensions/extension-pass.js';

export type PulledFiles = Pick<PulledBundle, 'files' | 'digest'>;
type PullFailure = Readonly<{ error: string; reason: 'Retrying' | 'Blocked' }>;
/** The pass ends without it; the extension is put into the queue again once it is there. */
type StillPulling = Readonly<{ stillFetching: readonly string[] }>;

/** The files of a bundle image, or why they are not available. */
export async function pullBundleContent(
  pass: ExtensionPass,
  image: string,
): Promise<PulledFiles | PullFailure | StillPulling> {
  try {
    parseImageReference(image);
  } catch (error) {
    return { error: error instanceof Error ? error.message : String(error), reason: 'Blocked' };
  }
  try {
    return await pull(pass, image);
  } catch (error) {
    if (!(error instanceof FlotillaError) || KubeApiError.is(error)) throw error;
    return { error: error.message, reason: 'Retrying' };
  }
}

async function pull(
  { deps, client, read, patience, signal }: ExtensionPass,
  image: string,
): Promise<PulledFiles | StillPulling> {
  const { cluster } = client;
  const { metadata, spec } = read.extension;
  const credentials = await deps.credentials(image);
  const wake = () => deps.wake({ cluster, extension: metadata.name ?? '' });
  const owner = { cluster, namespace: spec.namespace };
  const wanted = { image, credentials, timeoutMs: deps.unpackTimeoutMs };
  const pulled = await deps.pulls.pull([wanted], { owner, patience, signal, wake });
  if ('stillFetching' in pulled) return pulled;
  const [bundle] = pulled.bundles;
  if (bundle === undefined) throw new Error(`image ${image} was requested but not pulled`);
  if ('unusable' in bundle) throw bundle.unusable;
  return bundle;
}
