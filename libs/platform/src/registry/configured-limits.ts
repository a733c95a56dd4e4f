import type { Settings } from '../config/settings.js';
import type { OutboundPolicy } from '../outbound/outbound-policy.js';
import { nameCharactersOf, type RegistryLimits } from './client/registry-limits.js';
import type { GrpcLimits } from './grpc/grpc-catalog-client.js';

/** The bounds on images and on registries, as set. */
export const registryLimitsOf = (settings: Settings): RegistryLimits => ({
  compressedBytes: settings.imageMaxCompressedBytes,
  unpackedBytes: settings.imageMaxUnpackedBytes,
  expansion: settings.imageMaxExpansion,
  entries: settings.imageMaxFiles,
  nameCharacters: nameCharactersOf(settings.imageMaxFiles),
  fileBytes: settings.imageMaxFileBytes,
  wantedBytes: settings.imageMaxWantedBytes,
  layers: settings.imageMaxLayers,
  documentBytes: settings.imageMaxDocumentBytes,
  pullMs: settings.registryPullTimeout,
  requestMs: settings.registryRequestTimeout,
  stallMs: settings.registryStallTimeout,
  transfersPerHost: settings.registryTransfersPerHost,
  requestsPerHost: settings.registryRequestsPerHost,
  attempts: settings.registryAttempts,
  retryDelayMs: settings.registryRetryDelay,
});

/** The bounds on registry servers, as set. */
export const grpcLimitsOf = (settings: Settings): GrpcLimits => ({
  callMs: settings.grpcCallTimeout,
  messageBytes: settings.grpcMaxMessageBytes,
  listBytes: settings.grpcMaxListBytes,
  bundles: settings.grpcMaxBundles,
  silenceMs: settings.grpcSilenceTimeout,
});

/** Returns the configured policy for servers that the hub may reach because clusters name them. */
export const outboundPolicyOf = (settings: Settings): OutboundPolicy => ({
  addresses: settings.outboundAddresses,
  registryHosts: settings.registryHosts,
  grpcHosts: settings.grpcHosts,
});
