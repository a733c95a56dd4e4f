import { createHmac, randomBytes } from 'node:crypto';
import { canonicalJson } from '#core/kernel/canonical/canonical-json';
import type { ImageReference } from '../client/image-reference.js';
import type { RegistryCredentials } from '../client/registry-client.port.js';
import { loginFor } from './registry-credentials.js';

/** Secret of this process alone: a key that leaks says nothing about the login in it. */
const SECRET = randomBytes(32);

/** Returns the registry host and repository of a reference: a registry gives rights to these. */
export const repositoryOf = ({ host, repository }: ImageReference): string => `${host}/${repository}`;

/**
 * Equal for requests to the same repository with the same logins, and different for all others. `places` are
 * all repositories that are asked on behalf of `source`: its mirrors may need other logins.
 */
export function accessKey(
  source: ImageReference,
  places: readonly ImageReference[],
  credentials: RegistryCredentials | undefined,
): string {
  const logins = places.map((place) => [repositoryOf(place), loginFor(place, credentials) ?? null]);
  return createHmac('sha256', SECRET)
    .update(canonicalJson([repositoryOf(source), logins]))
    .digest('hex');
}
