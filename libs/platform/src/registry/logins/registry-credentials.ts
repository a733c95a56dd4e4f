import { byCodeUnit } from '#core/kernel/canonical/canonical-json';
import type { ImageReference } from '../client/image-reference.js';
import type { Login, RegistryCredentials } from '../client/registry-client.port.js';

/**
 * Returns the login with the key that matches the reference most closely, as a kubelet chooses: longest path,
 * then exact host.
 */
export function loginFor(reference: ImageReference, credentials: RegistryCredentials | undefined): Login | undefined {
  const [key] = matchingKeys(reference, Object.keys(credentials ?? {}));
  return key === undefined ? undefined : credentials?.[key];
}

/** The keys that match a reference, the closest one first. */
export function matchingKeys(reference: ImageReference, keys: readonly string[]): string[] {
  return keys
    .map((key) => ({ key, bare: normalizedKey(key) }))
    .filter(({ bare }) => matchesReference(bare, reference))
    .toSorted((a, b) => specificity(b.bare) - specificity(a.bare) || byCodeUnit(a.bare, b.bare))
    .map(({ key }) => key);
}

/** `https://index.docker.io/v1/` → `docker.io`; `https://quay.io/v2/` → `quay.io`; `quay.io/org` stays. */
function normalizedKey(key: string): string {
  const bare = key.replace(/^https?:\/\//, '').replace(/\/+$/, '');
  const hub = bare.replace(/^(?:index\.|registry-1\.)docker\.io/, 'docker.io');
  return hub.replace(/\/v[12]$/, '');
}

const specificity = (key: string) => key.length + (key.includes('*') ? 0 : 1000) + key.split('/').length * 10_000;

function matchesReference(key: string, { host, repository }: ImageReference): boolean {
  const [keyHost = '', ...path] = key.split('/');
  if (!hostMatches(keyHost, host)) return false;
  return path.length === 0 || `${repository}/`.startsWith(`${path.join('/')}/`);
}

function hostMatches(pattern: string, host: string): boolean {
  const wanted = pattern.split('.');
  const parts = host.split('.');
  return wanted.length === parts.length && wanted.every((part, at) => partMatches(part, parts[at] ?? ''));
}

function partMatches(pattern: string, part: string): boolean {
  if (!pattern.includes('*')) return pattern === part;
  const [head = '', ...rest] = pattern.split('*');
  const tail = rest.join('*');
  return part.length >= head.length + tail.length && part.startsWith(head) && part.endsWith(tail);
}
