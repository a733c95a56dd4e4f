import type { BundleFile } from '#core/catalog/model/bundle-file';
import { FlotillaError } from '#core/kernel/errors/flotilla.error';
import { KubeApiError } from '#platform/kube/kube-client.port';
import { pullBundle } from '#platform/registry/bundle-image';
import { parseImageReference } from '#platform/registry/image-reference';
import { withinUnpackTime } from '../../classic/subscriptions/fetch-bundles.js';
import type { ExtensionPass } from './extension-pass.js';

export type BundleContent = Readonly<{ files: readonly BundleFile[]; digest: string }>;
export type PullFailure = Readonly<{ error: string; reason: 'Retrying' | 'Blocked' }>;

/** The files of a bundle image, or why they cannot be had. */
export async function pullBundleContent(
  { deps, signal }: ExtensionPass,
  image: string,
): Promise<BundleContent | PullFailure> {
  try {
    parseImageReference(image);
  } catch (error) {
    return { error: error instanceof Error ? error.message : String(error), reason: 'Blocked' };
  }
  try {
    const credentials = await deps.credentials(image);
    const pull = (inTime: AbortSignal) => pullBundle(deps.registry, image, { credentials, signal: inTime });
    const { files, digest } = await withinUnpackTime({ signal }, deps.unpackTimeoutMs, pull);
    return { files, digest };
  } catch (error) {
    if (!(error instanceof FlotillaError) || KubeApiError.is(error)) throw error;
    return { error: error.message, reason: 'Retrying' };
  }
}
