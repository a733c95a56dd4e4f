import { formatVersion } from '../../kernel/versions/version.js';
import type { InstalledBundle } from '../revision/installed-revision.js';
import type { FeatureGates } from './package-content.js';
import { formatLegacyVersion, formatRelease, type VersionRelease } from './version-release.js';

/**
 * Returns the metadata of a bundle for status.install.bundle (spec: v1-resolution.md, "Reported metadata").
 */
export function bundleMetadata(name: string, version: VersionRelease, gates: FeatureGates): InstalledBundle {
  if (gates.BundleReleaseSupport !== true) return { name, version: formatLegacyVersion(version) };
  const release = formatRelease(version);
  return { name, version: formatVersion(version.version), ...(release === undefined ? {} : { release }) };
}
