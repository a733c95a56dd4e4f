// The grammar of image references as container tools share it (docker's "reference"
// package, after normalisation).

const DOMAIN_PART = '(?:[a-zA-Z0-9]|[a-zA-Z0-9][a-zA-Z0-9-]*[a-zA-Z0-9])';
const DOMAIN = `${DOMAIN_PART}(?:\\.${DOMAIN_PART})*(?::[0-9]+)?`;
const PATH_PART = '[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*';
const DIGEST = '[A-Za-z][A-Za-z0-9]*(?:[-_+.][A-Za-z][A-Za-z0-9]*)*:[0-9a-fA-F]{32,}';
/** A part that cannot be a host may still be the first part of a path. */
const NAME = `(?:${DOMAIN}/)?${PATH_PART}(?:/${PATH_PART})*`;
const REFERENCE = new RegExp(`^(${NAME})(?::([\\w][\\w.-]{0,127}))?(?:@(${DIGEST}))?$`);
const IDENTIFIER = /^[a-f0-9]{64}$/;
const DIGEST_LENGTHS: Readonly<Record<string, number>> = { sha256: 64, sha384: 96, sha512: 128 };
/** No registry accepts a longer reference; a longer text is refused without parsing. */
const MAX_LENGTH = 4096;
const MAX_NAME = 255;
const UPPER_CASE = 'repository name must be lowercase';

/**
 * Returns the reason why a text is no image reference, in the words of container tools. Returns undefined
 * when it is one.
 */
export function imageReferenceProblem(text: string): string | undefined {
  if (text.length > MAX_LENGTH) return 'invalid reference format';
  if (IDENTIFIER.test(text)) {
    return `invalid repository name (${text}), cannot specify 64-byte hexadecimal strings`;
  }
  const { domain, path } = splitDomain(text);
  const repository = path.split(':', 1)[0] ?? '';
  if (repository !== repository.toLowerCase()) return `invalid reference format: ${UPPER_CASE}`;
  const normal = `${domain}/${path}`;
  const match = REFERENCE.exec(normal);
  if (!match) return REFERENCE.test(normal.toLowerCase()) ? UPPER_CASE : 'invalid reference format';
  if ((match[1] ?? '').length > MAX_NAME) return `repository name must not be more than ${MAX_NAME} characters`;
  return match[3] === undefined ? undefined : digestProblem(match[3]);
}

/** Returns the host of the registry that an image reference names, or Docker Hub's if it names none. */
export const imageRegistry = (reference: string): string => splitDomain(reference).domain;

/**
 * Splits an image reference. The part before the first slash is a host only if it has the form of one;
 * otherwise the reference is Docker Hub's.
 */
function splitDomain(text: string): { domain: string; path: string } {
  const slash = text.indexOf('/');
  const first = text.slice(0, Math.max(slash, 0));
  const isHost = slash >= 0 && (/[.:]/.test(first) || first === 'localhost');
  const domain = isHost && first !== 'index.docker.io' ? first : 'docker.io';
  const path = isHost ? text.slice(slash + 1) : text;
  return { domain, path: domain === 'docker.io' && !path.includes('/') ? `library/${path}` : path };
}

function digestProblem(digest: string): string | undefined {
  const [algorithm = '', hex = ''] = digest.split(':');
  const length = Object.hasOwn(DIGEST_LENGTHS, algorithm) ? DIGEST_LENGTHS[algorithm] : undefined;
  if (length === undefined) return 'unsupported digest algorithm';
  if (hex.length !== length) return 'invalid checksum digest length';
  return /^[a-f0-9]*$/.test(hex) ? undefined : 'invalid checksum digest format';
}
