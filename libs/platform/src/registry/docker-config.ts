import { z } from 'zod';
import { FlotillaError } from '#core/errors/flotilla.error';
import type { RegistryCredentials } from './registry-client.port.js';

/** A pull secret that cannot be read. Its text is never part of the message. */
export class InvalidPullSecret extends FlotillaError {
  readonly code = 'InvalidPullSecret';
  readonly retry = 'when-input-changes';
}

const Entry = z.looseObject({
  auth: z.string().optional(),
  username: z.string().optional(),
  password: z.string().optional(),
  identitytoken: z.string().optional(),
});
const DockerCfg = z.record(z.string(), Entry);
const DockerConfigJson = z.looseObject({ auths: DockerCfg });

/** User name under which an identity token stands in {@link RegistryCredentials}, as Docker's own helpers write it. */
export const IDENTITY_TOKEN_USER = '<token>';
const MAX_TEXT = 1024 * 1024;

/**
 * Credentials of a pull secret's value: `.dockerconfigjson` (with `auths`) or the older `.dockercfg` (hosts at the top).
 * Entries without user or password are left out. Throws {@link InvalidPullSecret}, which never quotes the secret.
 */
export function credentialsOf(text: string): RegistryCredentials {
  const parsed = parseJson(text);
  const config = DockerConfigJson.safeParse(parsed);
  const entries = config.success ? config.data.auths : DockerCfg.safeParse(parsed).data;
  if (entries === undefined) {
    throw new InvalidPullSecret('the pull secret is no Docker config: expected {"auths": {"<host>": {"auth": …}}}');
  }
  return Object.fromEntries(Object.entries(entries).flatMap(([host, entry]) => loginOf(host, entry)));
}

function parseJson(text: string): unknown {
  if (text.length > MAX_TEXT) throw new InvalidPullSecret(`the pull secret is larger than ${MAX_TEXT} characters`);
  try {
    return JSON.parse(text);
  } catch {
    throw new InvalidPullSecret('the pull secret is not JSON: expected a .dockerconfigjson or .dockercfg value');
  }
}

function loginOf(host: string, entry: z.infer<typeof Entry>): [string, RegistryCredentials[string]][] {
  if (entry.identitytoken) return [[host, { username: IDENTITY_TOKEN_USER, password: entry.identitytoken }]];
  if (entry.username && entry.password) return [[host, { username: entry.username, password: entry.password }]];
  if (!entry.auth) return [];
  const decoded = Buffer.from(entry.auth, 'base64').toString('utf8');
  const colon = decoded.indexOf(':');
  if (colon <= 0) throw new InvalidPullSecret(`the pull secret's auth of "${host}" is not base64 of user:password`);
  return [[host, { username: decoded.slice(0, colon), password: decoded.slice(colon + 1).replace(/\0+$/, '') }]];
}
