import { z } from 'zod';
import { byCodeUnit } from '#core/kernel/canonical/canonical-json';
import { FlotillaError } from '#core/kernel/errors/flotilla.error';
import type { Login, RegistryCredentials } from '../client/registry-client.port.js';

/**
 * A Docker config, in a pull secret or a file, that cannot be used. Its text is never part of the message.
 */
export class InvalidPullSecret extends FlotillaError {
  readonly code = 'InvalidPullSecret';
  readonly retry = 'when-input-changes';
}

const Entry = z.looseObject({
  auth: z.string().optional(),
  username: z.string().optional(),
  password: z.string().optional(),
  identitytoken: z.string().optional(),
  registrytoken: z.string().optional(),
});
const DockerCfg = z.record(z.string(), Entry);
const Helpers = {
  credsStore: z.string().optional(),
  credHelpers: z.record(z.string(), z.string()).optional(),
};
const DockerConfigJson = z.looseObject({ auths: DockerCfg, ...Helpers });
const HelpersOnly = z.looseObject(Helpers).refine(({ credsStore, credHelpers }) => credsStore || credHelpers);

/** A Docker config taken apart. */
export type DockerConfig = Readonly<{
  logins: RegistryCredentials;
  /** Keys that need a program, `docker-credential-<name>`, for their login. */
  helpers: Readonly<Record<string, string>>;
}>;

/** User name that stands for an identity token, as Docker and its helpers write it. */
const IDENTITY_TOKEN_USER = '<token>';
const MAX_TEXT = 1024 * 1024;

/**
 * Returns the credentials of a pull secret's value: `.dockerconfigjson` (with `auths`) or the older
 * `.dockercfg` (hosts at the top). Entries without user or password are left out. A secret made from a config
 * that leaves its passwords to a program of the desktop is refused: that program is not here. Throws {@link
 * InvalidPullSecret}. It never quotes the secret.
 */
export function credentialsOf(text: string): RegistryCredentials {
  const { logins, helpers } = readDockerConfig(text, 'the pull secret');
  const [missing] = Object.entries(helpers).toSorted(([a], [b]) => byCodeUnit(a, b));
  if (missing === undefined) return logins;
  throw new InvalidPullSecret(
    `the pull secret leaves the password of "${missing[0]}" to the credential helper "${missing[1]}" of another machine: create it with the password: kubectl create secret docker-registry`,
  );
}

/** Reads a config; `what` begins the messages of {@link InvalidPullSecret}. */
export function readDockerConfig(text: string, what: string): DockerConfig {
  const parsed = parseJson(text, what);
  const config = DockerConfigJson.safeParse(parsed).data;
  const { auths, credsStore, credHelpers = {} } = config ?? { auths: undefined, ...HelpersOnly.safeParse(parsed).data };
  const entries = auths ?? (credsStore || Object.keys(credHelpers).length > 0 ? {} : DockerCfg.safeParse(parsed).data);
  if (entries === undefined) {
    throw new InvalidPullSecret(`${what} is not a Docker config: expected {"auths": {"<host>": {"auth": …}}}`);
  }
  const logins = Object.entries(entries).flatMap(([host, entry]) => loginOf(host, entry, what));
  const known = new Set(logins.map(([host]) => host));
  const unknown = Object.keys(entries).filter((host) => !known.has(host));
  const stored = credsStore ? unknown.map((host): [string, string] => [host, credsStore]) : [];
  const helped = Object.entries(credHelpers).filter(([host]) => !known.has(host));
  return { logins: Object.fromEntries(logins), helpers: Object.fromEntries([...stored, ...helped]) };
}

function parseJson(text: string, what: string): unknown {
  if (text.length > MAX_TEXT) throw new InvalidPullSecret(`${what} is larger than ${MAX_TEXT} characters`);
  try {
    return JSON.parse(text);
  } catch {
    throw new InvalidPullSecret(`${what} is not JSON: expected a .dockerconfigjson or .dockercfg value`);
  }
}

function loginOf(host: string, entry: z.infer<typeof Entry>, what: string): [string, Login][] {
  if (entry.registrytoken) return [[host, { registryToken: entry.registrytoken }]];
  if (entry.identitytoken) return [[host, { identityToken: entry.identitytoken }]];
  if (entry.username && entry.password) return [[host, userLogin(entry.username, entry.password)]];
  if (!entry.auth) return [];
  const decoded = Buffer.from(entry.auth, 'base64').toString('utf8');
  const colon = decoded.indexOf(':');
  if (colon <= 0) throw new InvalidPullSecret(`${what}'s auth of "${host}" is not base64 of user:password`);
  return [[host, userLogin(decoded.slice(0, colon), decoded.slice(colon + 1).replace(/\0+$/, ''))]];
}

/** A login by user and secret, as configs and credential helpers give it. */
export const userLogin = (username: string, password: string): Login =>
  username === IDENTITY_TOKEN_USER ? { identityToken: password } : { username, password };
