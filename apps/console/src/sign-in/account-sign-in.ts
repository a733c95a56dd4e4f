import { createHash, createHmac, randomBytes } from 'node:crypto';
import { z } from 'zod';
import { type ClaimNames, readAccount } from '#core/view/rights/account';
import { CompiledRights } from '#core/view/rights/compiled-rights';
import type { Policy } from '#core/view/rights/console-policy';
import type { Grantee } from '#core/view/rights/rights';
import type { Clock } from '#platform/clock/clock.port';
import type { SessionStore, StoredSession } from '#platform/console/session-store.port';
import type { Log } from '#platform/telemetry/log.port';
import { returnPath } from './account.js';
import type { Issuer, IssuerAnswer } from './issuer.js';
import type { Person } from './person.js';
import type { SealedTexts } from './sealed-text.js';
import type { SignIn, SignInHeaders } from './sign-in.js';

const MINUTE = 60_000;
const IDLE_MS = 60 * MINUTE;
const LONGEST_MS = 12 * 60 * MINUTE;
const GROUPS_EVERY_MS = 15 * MINUTE;
const SIGN_IN_WITHIN_MS = 10 * MINUTE;

const SESSION = '__Host-flotilla';
const PENDING = '__Host-flotilla-sign-in';
const ATTRIBUTES = 'Path=/; HttpOnly; Secure; SameSite=Lax';
const REFRESH = 'refresh token';
const TOKEN = 'ID token';
/** A token that ends sooner is renewed first: until then its reader must have checked it. */
const TOKEN_LEFT_MS = 20_000;
const RENEW_AGAIN_MS = 10_000;
const SIGN_IN = 'sign-in';

const PendingSignIn = z.strictObject({
  state: z.string(),
  nonce: z.string(),
  verifier: z.string(),
  to: z.string(),
  untilMs: z.number(),
});

type AccountSignInOptions = Readonly<{
  issuer: Issuer;
  sessions: SessionStore;
  sealed: SealedTexts;
  claims: ClaimNames;
  policy: () => Policy;
  clock: Clock;
  log: Log;
}>;

/** How a sign-in ended. */
type SignInEnd = Readonly<
  { to: string; cookies: readonly string[]; person: Grantee } | { refused: string; cookies: readonly string[] }
>;

/** Returns the library's message. Its errors may carry answers with tokens; these are left out. */
const reasonOf = (error: unknown): string => {
  const { message, code, error: said } = error as Readonly<{ message?: string; code?: string; error?: string }>;
  return [message, code, said].filter((part) => typeof part === 'string').join(', ');
};

/** A client that writes to Redis could copy a sealed text into a session of its own. */
const ofSession = (purpose: string, hash: string): string => `${purpose} of ${hash}`;
const hashOf = (id: string): string => createHash('sha256').update(id).digest('hex');
/**
 * Returns the token that writes must send. It is made of the id, and only the browser has the id: so the
 * token is stored nowhere.
 */
const csrfOf = (id: string): string => createHmac('sha256', id).update('csrf').digest('base64url');
const randomText = (): string => randomBytes(32).toString('base64url');
const endedCookie = (name: string): string => `${name}=; ${ATTRIBUTES}; Max-Age=0`;

function cookieOf({ cookie = '' }: Pick<SignInHeaders, 'cookie'>, name: string): string | undefined {
  for (const part of cookie.split(';')) {
    const [key, value] = part.trim().split('=', 2);
    if (key === name && value !== undefined && /^[\w.-]{1,4000}$/.test(value)) return value;
  }
  return undefined;
}

/** Sign-in with an account of the organisation, and the sessions that follow. */
export class AccountSignIn implements SignIn {
  readonly #rights = new CompiledRights();
  /** Under way, by session: many issuers take a refresh token once. */
  readonly #renewing = new Map<string, Promise<StoredSession | undefined>>();

  constructor(private readonly options: AccountSignInOptions) {}

  /** Begins a sign-in: returns the browser's next address, and the cookie that identifies its return. */
  async begin(wanted: unknown): Promise<Readonly<{ location: string; cookie: string }>> {
    const { issuer, sealed, clock, log } = this.options;
    const proof = await issuer.newProof();
    const untilMs = clock.now().getTime() + SIGN_IN_WITHIN_MS;
    const pending = await sealed.seal(JSON.stringify({ ...proof, to: returnPath(wanted), untilMs }), SIGN_IN);
    const cookie = `${PENDING}=${pending}; ${ATTRIBUTES}; Max-Age=${SIGN_IN_WITHIN_MS / 1_000}`;
    const location = await issuer.signInUrl(proof).catch((error: unknown) => {
      log.warn({ error: reasonOf(error) }, 'could not use the issuer of accounts');
      throw error;
    });
    return { location, cookie };
  }

  /** Names the sign-in that the browser has begun here; undefined: none, or it is too old. */
  async begun(headers: SignInHeaders): Promise<string | undefined> {
    return (await this.#pendingOf(headers))?.state;
  }

  /**
   * Finishes a sign-in with a new session each time. `query`: of the address that the issuer sent the browser
   * to.
   */
  async finish(query: string, headers: SignInHeaders): Promise<SignInEnd> {
    const { issuer, claims, sessions, log } = this.options;
    const cookies = [endedCookie(PENDING)];
    const pending = await this.#pendingOf(headers);
    if (pending === undefined) return { refused: 'this sign-in began elsewhere, or too long ago', cookies };
    let answer: Awaited<ReturnType<Issuer['finish']>>;
    try {
      answer = await issuer.finish(query, pending);
    } catch (error) {
      log.warn({ error: reasonOf(error) }, 'a sign-in failed');
      return { refused: 'the issuer did not confirm it', cookies };
    }
    const account = readAccount(answer.claims, claims);
    if ('refused' in account) return { ...account, cookies };
    const before = cookieOf(headers, SESSION);
    if (before !== undefined) await sessions.remove(hashOf(before));
    const id = await this.#newSession(account, answer);
    const session = `${SESSION}=${id}; ${ATTRIBUTES}; Max-Age=${LONGEST_MS / 1_000}`;
    return { to: pending.to, cookies: [...cookies, session], person: account };
  }

  async personOf(headers: SignInHeaders, how: Readonly<{ isIdle?: boolean }> = {}): Promise<Person | undefined> {
    const id = cookieOf(headers, SESSION);
    if (id === undefined) return undefined;
    const hash = hashOf(id);
    const session = await this.#current(hash, await this.options.sessions.get(hash), how.isIdle ?? false);
    if (session === undefined) return undefined;
    const { name, groups } = session;
    const rights = this.#rights.of(this.options.policy(), { name, groups });
    return {
      ...{ name, groups, by: 'oidc', rights, session: hash.slice(0, 32), csrf: csrfOf(id) },
      signedInWith: () => this.#tokenOf(hash),
    };
  }

  /** Ends the session; answers the cookies that forget it. */
  async signOut(headers: SignInHeaders): Promise<readonly string[]> {
    const id = cookieOf(headers, SESSION);
    if (id !== undefined) await this.options.sessions.remove(hashOf(id));
    return [endedCookie(SESSION)];
  }

  async #pendingOf(headers: SignInHeaders): Promise<z.infer<typeof PendingSignIn> | undefined> {
    const { sealed, clock } = this.options;
    const text = await sealed.read(cookieOf(headers, PENDING) ?? '', SIGN_IN);
    const pending = text === undefined ? undefined : PendingSignIn.safeParse(JSON.parse(text)).data;
    return pending !== undefined && pending.untilMs >= clock.now().getTime() ? pending : undefined;
  }

  async #newSession({ name, groups }: Grantee, answer: IssuerAnswer): Promise<string> {
    const now = this.options.clock.now().getTime();
    const id = randomText();
    const times = { beganMs: now, seenMs: now, groupsMs: now };
    const kept = await this.#sealed(answer, hashOf(id));
    await this.#put(hashOf(id), { name, groups: [...groups], ...times, ...kept });
    return id;
  }

  /** The tokens of an answer as this session keeps them: under another hash they cannot be read. */
  async #sealed({ claims, refresh, token }: IssuerAnswer, hash: string): Promise<Partial<StoredSession>> {
    const { sealed } = this.options;
    const { exp } = claims;
    return {
      ...(refresh && { refresh: await sealed.seal(refresh, ofSession(REFRESH, hash)) }),
      ...(token &&
        typeof exp === 'number' && {
          token: await sealed.seal(token, ofSession(TOKEN, hash)),
          tokenUntilMs: exp * 1_000,
        }),
    };
  }

  /** The ID token of a session, renewed if it ends soon; undefined: the person must sign in again. */
  async #tokenOf(hash: string): Promise<Readonly<{ token: string }> | undefined> {
    const { sessions, sealed, clock } = this.options;
    const now = clock.now().getTime();
    const endsWithin = ({ tokenUntilMs = 0 }: StoredSession, ms: number) => tokenUntilMs - now <= ms;
    let session = await sessions.get(hash);
    // Some issuers give no ID token with a refresh: they are not asked at each question.
    const isDue =
      session !== undefined && endsWithin(session, TOKEN_LEFT_MS) && now - session.groupsMs >= RENEW_AGAIN_MS;
    if (isDue && session?.refresh !== undefined) session = await this.#renewed(hash, session, session.refresh);
    if (session?.token === undefined || endsWithin(session, 0)) return undefined;
    const token = await sealed.read(session.token, ofSession(TOKEN, hash));
    return token === undefined ? undefined : { token };
  }

  async #put(hash: string, session: StoredSession): Promise<void> {
    const left = session.beganMs + LONGEST_MS - this.options.clock.now().getTime();
    await this.options.sessions.put(hash, session, Math.min(IDLE_MS, left) / 1_000);
  }

  /** Returns the session as it is now, if it has not ended. */
  async #current(
    hash: string,
    session: StoredSession | undefined,
    isIdle: boolean,
  ): Promise<StoredSession | undefined> {
    if (session === undefined) return undefined;
    const now = this.options.clock.now().getTime();
    if (now - session.seenMs > IDLE_MS || now - session.beganMs > LONGEST_MS) {
      await this.options.sessions.remove(hash);
      return undefined;
    }
    if (session.refresh !== undefined && now - session.groupsMs > GROUPS_EVERY_MS)
      return this.#renewed(hash, session, session.refresh);
    if (isIdle || now - session.seenMs < MINUTE) return session;
    const seen = { ...session, seenMs: now };
    await this.#put(hash, seen);
    return seen;
  }

  /** Renews the groups and tokens from the issuer; undefined if the issuer has ended the session. */
  #renewed(hash: string, session: StoredSession, refresh: string): Promise<StoredSession | undefined> {
    const underWay = this.#renewing.get(hash);
    if (underWay !== undefined) return underWay;
    const renewing = this.#renew(hash, session, refresh).finally(() => this.#renewing.delete(hash));
    this.#renewing.set(hash, renewing);
    return renewing;
  }

  async #renew(hash: string, session: StoredSession, refresh: string): Promise<StoredSession | undefined> {
    const { issuer, sealed, claims, clock, sessions, log } = this.options;
    const now = clock.now().getTime();
    const token = await sealed.read(refresh, ofSession(REFRESH, hash));
    try {
      const answer = token === undefined ? undefined : await issuer.renew(token);
      // Without an id token the issuer says that the session goes on, and nothing about groups.
      const isNamed = answer !== undefined && answer.claims['sub'] !== undefined;
      const account = isNamed ? readAccount(answer.claims, claims) : session;
      if (answer === undefined || 'refused' in account || account.name !== session.name) {
        await sessions.remove(hash);
        return undefined;
      }
      const kept = await this.#sealed(answer, hash);
      const renewed = { ...session, groups: [...account.groups], seenMs: now, groupsMs: now, ...kept };
      await this.#put(hash, renewed);
      return renewed;
    } catch (error) {
      log.warn(
        { error: reasonOf(error) },
        'could not refresh the groups of a session; the earlier groups stay for now',
      );
      return session;
    }
  }
}
