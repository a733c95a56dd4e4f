import type { Response } from 'undici';
import { fetchCause, fetchReason } from '../../outbound/fetch-reason.js';
import type { Refuse } from '../client/image-manifest.js';
import type { RegistryFailure } from '../client/registry-client.port.js';

const MAX_RETRY_AFTER_MS = 30_000;

/** The time that the registry asks us to wait, in seconds or as a date; bounded. */
export function retryAfterMs(header: string | null, now: number): number | undefined {
  if (header === null) return undefined;
  const ms = /^\d+$/.test(header.trim()) ? Number(header) * 1000 : Date.parse(header) - now;
  return Number.isNaN(ms) ? undefined : Math.min(Math.max(ms, 0), MAX_RETRY_AFTER_MS);
}

/** Statuses for content that is not there, not there any more, or forbidden by law. */
const GONE: ReadonlySet<number> = new Set([404, 410, 451]);

/** Subject of a request: an image of a repository, or a part of a known image. */
type AskedFor = Readonly<{ repository: string; part: string | undefined }>;

/** Kind of a refusal, its subject, and the advice. */
export function refusalOf(
  status: number,
  { repository, part }: AskedFor,
): Readonly<{ failure: RegistryFailure; about: string; advice: string }> {
  const [failure, advice] = meaningOf(status, repository);
  if (part === undefined) return { failure, about: '', advice };
  if (failure !== 'NotFound') return { failure, about: `${part}: `, advice };
  return { failure: 'Incomplete', about: `${part} is missing: `, advice: 'push the image again' };
}

function meaningOf(status: number, repository: string): readonly [RegistryFailure, string] {
  if (GONE.has(status)) return ['NotFound', `repository "${repository}" has no such image: check name and tag`];
  if (status === 429) return ['Unreachable', 'too many requests: use a pull secret with a higher quota, or wait'];
  if (status >= 500) return ['Unreachable', 'the registry has a fault of its own: tried several times, try later'];
  return ['NotARegistry', 'is this host an image registry?'];
}

/** Reads a body up to a bound. */
export async function boundedBytes(
  body: AsyncIterable<Uint8Array> | null,
  limit: number,
  refuse: Refuse,
): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of body ?? []) {
    length += chunk.length;
    if (length > limit) throw refuse('TooLarge', `an answer of the registry is larger than ${limit} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

export const isWebPage = (response: Response) => /^\s*text\/html\b/i.test(response.headers.get('content-type') ?? '');

/**
 * Returns the distribution specification's error code, such as ` MANIFEST_UNKNOWN`. Returns an empty text if
 * the body is of another kind.
 */
export function registryMessage(response: Response, bytes: Uint8Array | undefined): string {
  if (isWebPage(response)) return ' with a web page';
  const text = bytes === undefined ? '' : Buffer.from(bytes).toString('utf8');
  const code = /"code"\s*:\s*"([A-Z_]{1,64})"/.exec(text)?.[1];
  return code === undefined ? '' : ` ${code}`;
}

const REASONS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connection refused',
  ECONNRESET: 'connection reset',
  ENOTFOUND: 'no such host',
  EAI_AGAIN: 'name lookup failed',
  ETIMEDOUT: 'connection timed out',
  UND_ERR_CONNECT_TIMEOUT: 'connection timed out',
  UND_ERR_SOCKET: 'connection broken',
  SELF_SIGNED_CERT_IN_CHAIN: 'its certificate is signed by an unknown authority',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'its certificate is signed by itself',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'its certificate is signed by an unknown authority',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'its certificate is signed by an unknown authority',
  CERT_HAS_EXPIRED: 'its certificate has expired',
  ERR_SSL_WRONG_VERSION_NUMBER: 'it does not speak TLS',
};

const CERTIFICATE = /^(?:ERR_TLS_|CERT_|UNABLE_TO_|SELF_SIGNED|DEPTH_ZERO)/;
/** OpenSSL's code for a server that does not answer in TLS. */
const NO_TLS = 'ERR_SSL_WRONG_VERSION_NUMBER';

/** Texts of fetch without a code, and their meaning. */
const FETCH_TEXTS: Readonly<Record<string, string>> = {
  'unexpected redirect': 'it redirects to another address',
  'bad port': 'this port is reserved for another protocol than HTTP',
};
const CODE = /^[A-Z][A-Z0-9_]{2,63}$/;

/**
 * Returns the reason why a connection to a registry failed, and the remedy: fetch says "fetch failed" and
 * hides the reason in causes.
 */
export function networkReason(error: unknown): Readonly<{ reason: string; advice: string }> {
  const cause = fetchCause(error);
  const code = codeOf(cause);
  return { reason: REASONS[code] ?? fetchReason(cause), advice: adviceFor(code, REGISTRY_ADVICE) };
}

/**
 * Returns the same of a service that is no registry. It has no text of the error: that may quote an address
 * with its secrets.
 */
export function serviceReason(error: unknown): Readonly<{ reason: string; advice: string }> {
  const cause = fetchCause(error);
  const code = codeOf(cause);
  const text = cause instanceof Error ? FETCH_TEXTS[cause.message] : undefined;
  const reason = REASONS[code] ?? text ?? (CODE.test(code) ? code : 'the connection failed');
  return { reason, advice: adviceFor(code, SERVICE_ADVICE) };
}

const codeOf = (cause: unknown): string => (cause instanceof Error && 'code' in cause ? String(cause.code) : '');

type Advice = Readonly<{ plain: string; authority: string }>;
const REGISTRY_ADVICE: Advice = {
  plain: 'name it in FLOTILLA_REGISTRY_PLAIN_HTTP_HOSTS if it is a registry in plain HTTP',
  authority: 'give its authority to Flotilla (FLOTILLA_REGISTRY_CA or FLOTILLA_REGISTRY_CERTS_DIR)',
};
const SERVICE_ADVICE: Advice = {
  plain: 'write http in its address if it has no TLS',
  authority: 'give its authority to this process (NODE_EXTRA_CA_CERTS) and restart it, or renew its certificate',
};

function adviceFor(code: string, { plain, authority }: Advice): string {
  if (code === NO_TLS) return plain;
  return CERTIFICATE.test(code) ? authority : 'check the host name, the network and the proxy';
}
