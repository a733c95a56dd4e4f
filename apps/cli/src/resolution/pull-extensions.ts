import { ClusterExtension } from '#core/kernel/api/cluster-extension';
import { inParallel } from '#platform/fairness/in-parallel';
import { pullBundle } from '#platform/registry/bundle-image';
import type { Manifest } from '../inputs/read-manifests.js';
import { commandRegistryClient, logins } from '../inputs/registry-access.js';
import { asUsageError } from '../inputs/unreadable-input.js';
import type { ExtensionPlan } from './plan-extensions.js';
import { extensionContent } from './render-extension.js';

const IMAGES_AT_ONCE = 4;

/**
 * Returns the plans with the objects that each chosen bundle would bring into a cluster, from its image. A
 * bundle that the hub refuses has the reason instead.
 */
export async function withContents(
  plans: readonly ExtensionPlan[],
  manifests: readonly Manifest[],
): Promise<ExtensionPlan[]> {
  const registry = await commandRegistryClient();
  const extensions = manifests.flatMap(({ object }) => ClusterExtension.safeParse(object).data ?? []);
  return inParallel(plans, IMAGES_AT_ONCE, async (plan) => {
    const { extension: name, bundle, version, image } = plan;
    const extension = extensions.find(({ metadata }) => (metadata.name ?? '') === name);
    if (extension === undefined || bundle === undefined || version === undefined || image === undefined) return plan;
    const { files } = await asUsageError(image, async () =>
      pullBundle(registry, image, { credentials: await logins(image) }),
    );
    return { ...plan, ...extensionContent(extension, { name: bundle, version }, files) };
  });
}
