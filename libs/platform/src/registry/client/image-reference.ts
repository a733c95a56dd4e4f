import type { Digest } from '../../content/content-store.port.js';
import { isDigest } from '../../content/digest.js';
import { RegistryError } from './registry-client.port.js';

/**
 * An image reference taken apart. Docker Hub's short forms are written out: `busybox` is
 * `docker.io/library/busybox:latest`.
 */
export type ImageReference = Readonly<{
  /** The reference as the user wrote it. */
  text: string;
  /** Host and port as in the reference, such as `quay.io` or `127.0.0.1:5000`. */
  host: string;
  repository: string;
  /** Absent when the reference is by digest alone. */
  tag?: string;
  digest?: Digest;
}>;

const MAX_LENGTH = 512;
const HOST =
  /^(?:[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?(?:\.[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?)*|\[[0-9A-Fa-f:.]+\])(?::[0-9]{1,5})?$/;
const PATH_COMPONENT = /^[a-z0-9]+(?:(?:\.|__?|-+)[a-z0-9]+)*$/;
const TAG = /^[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}$/;

const invalid = (text: string, why: string) =>
  new RegistryError(
    'InvalidReference',
    text,
    `invalid image reference "${text.slice(0, MAX_LENGTH)}": ${why}; expected HOST/REPOSITORY[:TAG][@sha256:…]`,
  );

/**
 * Docker's reference grammar with its defaults (docker.io, library/, latest). Throws
 * RegistryError InvalidReference.
 */
export function parseImageReference(text: string): ImageReference {
  if (text === '') throw invalid(text, 'it is empty');
  if (text.length > MAX_LENGTH) throw invalid(text, `longer than ${MAX_LENGTH} characters`);
  const { name, digest } = splitDigest(text);
  const { path, tag } = splitTag(text, name);
  const { host, repository } = splitHost(path);
  // Refuses also texts that resemble a name and are none: a port of 99999, an address of five numbers.
  if (!HOST.test(host) || !URL.canParse(`https://${host}`)) throw invalid(text, `"${host}" is not a host name`);
  const bad = repository.split('/').find((component) => !PATH_COMPONENT.test(component));
  if (bad !== undefined) throw invalid(text, `"${bad}" is not a repository name (lower case letters, digits, . _ -)`);
  return { text, host, repository, ...tagOrDefault(tag, digest), ...(digest === undefined ? {} : { digest }) };
}

function splitDigest(text: string): { name: string; digest?: Digest } {
  const at = text.indexOf('@');
  if (at < 0) return { name: text };
  const digest = text.slice(at + 1);
  if (!isDigest(digest)) throw invalid(text, `"${digest}" is not a sha256 digest`);
  return { name: text.slice(0, at), digest };
}

function splitTag(text: string, name: string): { path: string; tag?: string } {
  const colon = name.lastIndexOf(':');
  if (colon <= name.lastIndexOf('/')) return { path: name };
  const tag = name.slice(colon + 1);
  if (!TAG.test(tag)) throw invalid(text, `"${tag}" is not a tag`);
  return { path: name.slice(0, colon), tag };
}

function splitHost(path: string): { host: string; repository: string } {
  const slash = path.indexOf('/');
  const first = path.slice(0, Math.max(slash, 0));
  const isHost = /[.:]/.test(first) || first === 'localhost' || first !== first.toLowerCase();
  if (slash > 0 && isHost) {
    const host = first === 'index.docker.io' ? 'docker.io' : first;
    return { host, repository: officialName(host, path.slice(slash + 1)) };
  }
  return { host: 'docker.io', repository: officialName('docker.io', path) };
}

const officialName = (host: string, repository: string) =>
  host === 'docker.io' && !repository.includes('/') ? `library/${repository}` : repository;

function tagOrDefault(tag: string | undefined, digest: Digest | undefined): { tag?: string } {
  if (tag !== undefined) return { tag };
  return digest === undefined ? { tag: 'latest' } : {};
}

/** Returns the name in a manifest request: the digest if there is one, otherwise the tag. */
export const manifestName = (reference: ImageReference): string => reference.digest ?? reference.tag ?? 'latest';

/** The same repository at a digest, as text for messages and for stores. */
export const atDigest = (reference: ImageReference, digest: Digest): ImageReference => ({
  text: `${reference.host}/${reference.repository}@${digest}`,
  host: reference.host,
  repository: reference.repository,
  digest,
});
