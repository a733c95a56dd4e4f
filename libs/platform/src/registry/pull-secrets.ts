import { z } from 'zod';
import type { CatalogSource } from '#core/kernel/api/catalog-source';
import { FlotillaError, type Retry } from '#core/kernel/errors/flotilla.error';
import { readForeign } from '#core/kernel/verdict/read-foreign';
import type { KubeClient } from '../kube/client/kube-client.port.js';
import { credentialsOf, InvalidPullSecret } from './docker-config.js';
import type { RegistryCredentials } from './registry-client.port.js';

const SecretData = z.looseObject({ data: z.record(z.string(), z.string()).optional() });

/** A CatalogSource names a pull secret that is not there. */
export class PullSecretMissing extends FlotillaError {
  readonly code = 'PullSecretMissing';
  readonly retry: Retry = 'backoff';
  constructor(secret: string, source: string) {
    super(
      `pull secret ${secret}, named by CatalogSource ${source}, does not exist: create it, or take it out of spec.secrets`,
    );
  }
}

/**
 * Logins from the pull secrets that the CatalogSource names, read anew each time: they live
 * no longer than one pull.
 */
export async function pullSecretsOf(client: KubeClient, source: CatalogSource): Promise<RegistryCredentials> {
  const { namespace, name: sourceName } = source.metadata;
  const merged: [string, RegistryCredentials[string]][] = [];
  for (const name of (source.spec.secrets ?? []).filter((secret) => secret !== '')) {
    const secret = await client.get({ apiVersion: 'v1', kind: 'Secret', name, namespace });
    if (secret === undefined) throw new PullSecretMissing(`${namespace}/${name}`, `${namespace}/${sourceName}`);
    const read = readForeign(SecretData, secret);
    if ('problem' in read) throw new InvalidPullSecret(`pull secret ${namespace}/${name}: ${read.problem}`);
    const { data } = read.value;
    const encoded = data?.['.dockerconfigjson'] ?? data?.['.dockercfg'];
    if (encoded !== undefined) {
      merged.push(...Object.entries(credentialsOf(Buffer.from(encoded, 'base64').toString('utf8'))));
    }
  }
  return Object.fromEntries(merged);
}
