import type { FeatureGates } from '#core/v1/extension/package-content';
import type { Settings } from './settings.js';

/** The feature gates of OLM v1 that are settings of the hub. */
export const extensionGatesOf = ({ bundleReleaseSupport }: Settings): FeatureGates => ({
  BundleReleaseSupport: bundleReleaseSupport,
});
