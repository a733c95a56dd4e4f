import { FlotillaError } from '#core/kernel/errors/flotilla.error';
import { InvalidSettings, readSettings } from '#platform/config/settings';
import type { ContentStore } from '#platform/content/content-store.port';
import type { RegistryCredentials } from '#platform/registry/client/registry-client.port';
import { configuredRegistryClient } from '#platform/registry/configured-registry-client';
import type { HttpRegistryClient } from '#platform/registry/http-registry-client';
import { localCredentials } from '#platform/registry/logins/local-credentials';
import { InvalidMirrors } from '#platform/registry/mirrors/mirror-sets';
import { UsageError } from '../terminal/io.js';

/**
 * A client of registries as the hub would be set here: mirrors, certificates and plain HTTP hosts
 * come from the same settings.
 */
export async function commandRegistryClient(store?: ContentStore): Promise<HttpRegistryClient> {
  try {
    return await configuredRegistryClient(readSettings(process.env), { loginsOf: 'machine', ...(store && { store }) });
  } catch (error) {
    if (error instanceof InvalidSettings || error instanceof InvalidMirrors) throw new UsageError(error.message);
    throw error;
  }
}

/** Returns the logins of this machine for an image. Their faults are the person's to fix. */
export async function logins(image: string): Promise<RegistryCredentials> {
  try {
    return await localCredentials(image);
  } catch (error) {
    if (!(error instanceof FlotillaError)) throw error;
    throw new UsageError(`the logins of this machine cannot be read: ${error.message}`);
  }
}
