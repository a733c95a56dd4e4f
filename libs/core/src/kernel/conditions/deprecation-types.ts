import { isTrue } from './condition-list.js';

/**
 * The conditions with which Subscriptions and ClusterExtensions report deprecations by their catalog. They
 * cover the package, the channel and the installed bundle, and one sums these up (spec: subscriptions.md §4).
 */
export const DEPRECATED = 'Deprecated';
export const DEPRECATED_PARTS = ['PackageDeprecated', 'ChannelDeprecated', 'BundleDeprecated'] as const;
export const DEPRECATIONS = [...DEPRECATED_PARTS, DEPRECATED] as const;

type Deprecation = Readonly<{ type: string; status: string }>;

/** True if any of the deprecation conditions holds. */
export const isDeprecated = (conditions: readonly Deprecation[] | undefined): boolean =>
  DEPRECATIONS.some((type) => isTrue(conditions, type));
