import type { JWTVerifyGetKey } from 'jose';
import { z } from 'zod';
import { type ProofRefusal, refuse, tokenRefusal } from '#core/view/proof/console-proof';
import type { Clock } from '../../clock/clock.port.js';
import type { SelectableKind } from '../../outbound/address-kind.js';
import type { Log } from '../../telemetry/log.port.js';
import { parsedJson } from '../followed-stream.js';
import { IssuerConnections, type IssuerResponse } from '../issuer-connections.js';

/** Algorithms with a public key of the issuer: no shared secret, and no token without a signature. */
const ALGORITHMS = [
  ...['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'],
  ...['ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519'],
];
const TIMEOUT_MS = 5_000;
const MOST_BYTES = 1_048_576;
/** Milliseconds for which keys are used before they are read again. An unknown key has them read at once. */
const KEYS_KEPT_MS = 600_000;
/** Shortest time between two requests to the issuer caused by tokens with unknown keys. */
const ASK_AGAIN_MS = 10_000;

const Metadata = z.looseObject({ issuer: z.string(), jwks_uri: z.url() });
const ClaimSet = z.record(z.string(), z.unknown());
const KeySet = z.looseObject({ keys: z.array(z.looseObject({ kty: z.string() })).max(200) });

type Claims = Readonly<Record<string, unknown>>;
/** The keys of an issuer. `issuer`: as the issuer spells its own name; each token repeats it. */
type IssuerKeys = Readonly<{ find: JWTVerifyGetKey; issuer: string; atMs: number }>;
type Options = Readonly<{
  issuer: string;
  clientId: string;
  /** The kinds of addresses that the issuer may have its keys at. */
  addresses: readonly SelectableKind[];
  clock: Clock;
  log: Log;
  /** Asks addresses that are allowed. Default: over the network. */
  fetch?: (address: string) => Promise<IssuerResponse>;
}>;

/** The keys of the issuer do not have one that fits a token. */
const isUnknownKey = (error: unknown): boolean =>
  (error as { code?: unknown } | undefined)?.code === 'ERR_JWKS_NO_MATCHING_KEY';

const library = () => import('jose');

/** The issuer of accounts. A reader of proofs verifies ID tokens itself with the issuer's keys. */
export class TokenIssuer {
  #keys: IssuerKeys | undefined;
  #asking: Promise<IssuerKeys> | undefined;

  readonly #connections: IssuerConnections;

  constructor(private readonly options: Options) {
    this.#connections = new IssuerConnections(options);
  }

  /** Returns the claims of an ID token, or the reason why it does not name a person who is signed in. */
  async claimsOf(token: string): Promise<Readonly<{ claims: Claims }> | ProofRefusal> {
    const { issuer, clientId: audience, clock, log } = this.options;
    let keys: IssuerKeys;
    try {
      keys = await this.#current();
    } catch (error) {
      log.warn({ error: reasonOf(error), issuer }, 'could not read the keys of the issuer of accounts');
      return refuse('issuer-away', `the issuer ${issuer} did not return its keys, so no sign-in can be checked`);
    }
    const payload = await this.#verified(token, keys);
    if (payload === undefined)
      return refuse('token', 'the ID token of the person has no valid signature of the issuer');
    const expected = { issuer: keys.issuer, audience, nowMs: clock.now().getTime() };
    return tokenRefusal(payload, expected) ?? { claims: payload };
  }

  async #verified(token: string, known: IssuerKeys): Promise<Claims | undefined> {
    const { compactVerify } = await library();
    const verify = async ({ find }: IssuerKeys) => {
      const { payload, protectedHeader } = await compactVerify(token, find, { algorithms: ALGORITHMS });
      // An access token for this audience is no sign-in.
      if (protectedHeader.typ !== undefined && protectedHeader.typ.toUpperCase() !== 'JWT') return undefined;
      return ClaimSet.safeParse(parsedJson(Buffer.from(payload).toString('utf8'))).data;
    };
    try {
      return await verify(known);
    } catch (error) {
      if (!isUnknownKey(error)) return undefined;
      // The issuer may have changed its keys.
      const newer = await this.#newer().catch(() => undefined);
      return newer && verify(newer).catch(() => undefined);
    }
  }

  async #current(): Promise<IssuerKeys> {
    const kept = this.#keys;
    if (kept !== undefined && this.#ageMs(kept) < KEYS_KEPT_MS) return kept;
    try {
      return await this.#ask();
    } catch (error) {
      if (kept === undefined) throw error;
      return kept;
    }
  }

  /** Undefined if the issuer was asked a moment ago. */
  async #newer(): Promise<IssuerKeys | undefined> {
    if (this.#keys !== undefined && this.#ageMs(this.#keys) < ASK_AGAIN_MS) return undefined;
    return this.#ask();
  }

  #ageMs({ atMs }: Readonly<{ atMs: number }>): number {
    return this.options.clock.now().getTime() - atMs;
  }

  #ask(): Promise<IssuerKeys> {
    this.#asking ??= this.#read().finally(() => {
      this.#asking = undefined;
    });
    return this.#asking;
  }

  async #read(): Promise<IssuerKeys> {
    const { issuer, clock } = this.options;
    const { createLocalJWKSet } = await library();
    const at = `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`;
    const metadata = Metadata.parse(await this.#json(at));
    if (new URL(metadata.issuer).href !== new URL(issuer).href)
      throw new Error(`the metadata at ${at} is of another issuer`);
    const set = KeySet.parse(await this.#json(metadata.jwks_uri));
    const find = createLocalJWKSet(set as never) as JWTVerifyGetKey;
    const keys = { find, issuer: metadata.issuer, atMs: clock.now().getTime() };
    this.#keys = keys;
    return keys;
  }

  async #json(address: string): Promise<unknown> {
    const refusal = this.#connections.refusalOf(address);
    if (refusal !== undefined) throw new Error(refusal);
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    const response = await (this.options.fetch?.(address) ?? this.#connections.fetch(address, { signal }));
    // A redirect is not followed: it leads to an address that the discovery document does not name.
    if (!response.ok) throw new Error(`${address} answered ${response.status}`);
    return parsedJson(await boundedText(response));
  }
}

async function boundedText(response: IssuerResponse): Promise<string> {
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const part of response.body ?? []) {
    size += part.length;
    if (size > MOST_BYTES) throw new Error(`${response.url} answered more than ${MOST_BYTES} bytes`);
    parts.push(part);
  }
  return Buffer.concat(parts).toString('utf8');
}

const reasonOf = (error: unknown): string => (error instanceof Error ? error.message.slice(0, 300) : String(error));
