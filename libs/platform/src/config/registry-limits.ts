import type { RegistryLimits } from '../registry/registry-limits.js';
import type { Settings } from './settings.js';

/** The bounds on images, as set. `base` gives what is no setting. */
export const registryLimitsOf = (settings: Settings, base: RegistryLimits): RegistryLimits => ({
  ...base,
  compressedBytes: settings.imageMaxCompressedBytes,
  unpackedBytes: settings.imageMaxUnpackedBytes,
  entries: settings.imageMaxFiles,
  fileBytes: settings.imageMaxFileBytes,
  wantedBytes: settings.imageMaxWantedBytes,
  layers: settings.imageMaxLayers,
  documentBytes: settings.imageMaxDocumentBytes,
  pullMs: settings.registryPullTimeout,
  requestMs: settings.registryRequestTimeout,
  attempts: settings.registryAttempts,
});
