import { z } from 'zod';
import type { CatalogSource } from '#core/kernel/api/catalog-source';
import { KIND } from '#core/kernel/api/kinds';
import { FlotillaError, type Retry } from '#core/kernel/errors/flotilla.error';
import { readForeign } from '#core/kernel/verdict/read-foreign';
import type { KubeClient } from '../../kube/client/kube-client.port.js';
import type { RegistryCredentials } from '../client/registry-client.port.js';
import { credentialsOf, InvalidPullSecret } from './docker-config.js';

const SecretData = z.looseObject({ data: z.record(z.string(), z.string()).optional() });

/** A CatalogSource names a pull secret that is not there. */
class PullSecretMissing extends FlotillaError {
  readonly code = 'PullSecretMissing';
  readonly retry: Retry = 'backoff';
  constructor(secret: string, source: string) {
    super(
      `pull secret ${secret}, named by CatalogSource ${source}, does not exist: create it, or remove it from spec.secrets`,
    );
  }
}

/** Secrets of one CatalogSource, and the characters of their logins together. */
const MAX_SECRETS = 100;
const MAX_CHARACTERS = 4 * 1024 * 1024;

/**
 * Logins from the pull secrets that the CatalogSource names, read again each time: they live no longer than
 * one pull.
 */
export async function pullSecretsOf(client: KubeClient, source: CatalogSource): Promise<RegistryCredentials> {
  const { namespace, name: sourceName } = source.metadata;
  const where = `CatalogSource ${namespace}/${sourceName}`;
  const names = [...new Set((source.spec.secrets ?? []).filter((secret) => secret !== ''))];
  if (names.length > MAX_SECRETS) {
    const limit = `the limit is ${MAX_SECRETS}: remove some from spec.secrets`;
    throw new InvalidPullSecret(`${where} names ${names.length} pull secrets; ${limit}`);
  }
  const merged: [string, RegistryCredentials[string]][] = [];
  let characters = 0;
  for (const name of names) {
    const secret = await client.get({ ...KIND.Secret, name, namespace });
    if (secret === undefined) throw new PullSecretMissing(`${namespace}/${name}`, `${namespace}/${sourceName}`);
    const read = readForeign(SecretData, secret);
    if ('problem' in read) throw new InvalidPullSecret(`pull secret ${namespace}/${name}: ${read.problem}`);
    const { data } = read.value;
    const encoded = data?.['.dockerconfigjson'] ?? data?.['.dockercfg'];
    if (encoded !== undefined) {
      characters += encoded.length;
      if (characters > MAX_CHARACTERS) {
        throw new InvalidPullSecret(`pull secrets of ${where} have more than ${MAX_CHARACTERS} characters together`);
      }
      merged.push(...Object.entries(credentialsOf(Buffer.from(encoded, 'base64').toString('utf8'))));
    }
  }
  return Object.fromEntries(merged);
}
