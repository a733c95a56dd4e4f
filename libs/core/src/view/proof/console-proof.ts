import { z } from 'zod';

/** Services that read messages of the console, each with a key pair of its own. */
export const PROOF_READERS = ['applier', 'poller'] as const;
export type ProofReader = (typeof PROOF_READERS)[number];

/** Credential of the person: the ID token of the issuer, or a code made with the console's key. */
export const ProofCredential = z.union([
  z.strictObject({ token: z.string().min(1).max(32_000) }),
  z.strictObject({ code: z.string().min(1).max(100) }),
]);
export type ProofCredential = z.infer<typeof ProofCredential>;

/**
 * The content of a proof, encrypted for its reader. `subject` is the hash of the whole action or question,
 * including its targets, plan hash, revision and comment.
 */
export const ProofStatement = z.strictObject({
  v: z.literal(1),
  reader: z.enum(PROOF_READERS),
  verb: z.string().min(1).max(40),
  subject: z.string().min(1).max(100),
  nonce: z.string().min(16).max(64),
  /** Milliseconds since 1970, by the clock of the console. */
  atMs: z.int(),
  by: ProofCredential,
});
export type ProofStatement = z.infer<typeof ProofStatement>;

/** Facts against which a reader checks a proof: the action or question next to it, and its own clock. */
export type ProofFacts = Readonly<{ reader: ProofReader; verb: string; subject: string; nowMs: number }>;

/** Reasons for a refused proof. They are labels of a metric. */
const PROOF_REFUSALS = [
  'no-proof',
  'unreadable',
  'other-reader',
  'other-subject',
  'too-old',
  'not-yet',
  'used',
  'token',
  'code',
  'not-set-up',
  'issuer-away',
] as const;
type ProofRefusalReason = (typeof PROOF_REFUSALS)[number];
export type ProofRefusal = Readonly<{ reason: ProofRefusalReason; message: string }>;

/** Time for which a proof is accepted. Two minutes cover clock skew. */
export const PROOF_AGE_MS = 120_000;
/** Time by which the clock of the console may be ahead of the reader's. */
export const PROOF_AHEAD_MS = 60_000;
/** Time for which a nonce is remembered. No proof with it is accepted afterwards. */
export const NONCE_KEPT_MS = PROOF_AGE_MS + PROOF_AHEAD_MS + 60_000;

/** Returns the refusal with its message. */
export const refuse = (reason: ProofRefusalReason, message: string): ProofRefusal => ({ reason, message });

/** Returns why a statement does not prove this action or question; undefined if it does. */
export function statementRefusal(
  { reader, verb, subject, atMs }: Omit<ProofStatement, 'by' | 'nonce' | 'v'>,
  facts: ProofFacts,
): ProofRefusal | undefined {
  if (reader !== facts.reader)
    return refuse('other-reader', `the proof of the person was made for the ${reader}, not for the ${facts.reader}`);
  if (verb !== facts.verb)
    return refuse('other-subject', `the proof of the person was made for "${verb}", not for "${facts.verb}"`);
  if (subject !== facts.subject)
    return refuse('other-subject', 'the proof of the person was made for other targets or another plan');
  const ageMs = facts.nowMs - atMs;
  if (ageMs > PROOF_AGE_MS)
    return refuse('too-old', `the proof of the person is ${seconds(ageMs)} old; ${seconds(PROOF_AGE_MS)} are accepted`);
  if (ageMs < -PROOF_AHEAD_MS)
    return refuse(
      'not-yet',
      `the proof of the person was made ${seconds(-ageMs)} ahead of the clock of the ${reader}: correct the clocks`,
    );
  return undefined;
}

const seconds = (ms: number): string => `${Math.round(ms / 1_000)} s`;

/** Claims that tokens of the issuer must have. */
type TokenExpectation = Readonly<{ issuer: string; audience: string; nowMs: number }>;

/** Seconds by which the clocks of issuer and reader may differ. */
const TOKEN_LEEWAY_SECONDS = 30;
/** Older tokens prove no presence: a session of the console ends after this time, too. */
const OLDEST_TOKEN_SECONDS = 12 * 3_600;

const TokenClaims = z.looseObject({
  iss: z.string(),
  sub: z.string().min(1),
  aud: z.union([z.string(), z.array(z.string()).min(1)]),
  azp: z.string().optional(),
  exp: z.number(),
  iat: z.number(),
  nbf: z.number().optional(),
});

/**
 * Checks the claims of a token after its signature was verified. Returns the reason why they do not
 * name a person who is signed in at this console now. Returns undefined if they do.
 */
export function tokenRefusal(claims: unknown, expected: TokenExpectation): ProofRefusal | undefined {
  const { data, error } = TokenClaims.safeParse(claims);
  if (data === undefined) {
    const claim = error.issues[0]?.path.join('.') ?? '';
    return refuse('token', `the ID token of the person has no usable claim ${claim}`);
  }
  const { iss, aud, azp, exp, iat, nbf } = data;
  const [audiences, now] = [[aud].flat(), expected.nowMs / 1_000];
  if (iss !== expected.issuer) return refuse('token', 'the ID token of the person is from another issuer');
  if (!audiences.includes(expected.audience))
    return refuse('token', 'the ID token of the person was issued for a client other than the console');
  const isForOther = azp !== undefined && azp !== expected.audience;
  if (isForOther || (azp === undefined && audiences.length > 1))
    return refuse('token', 'the ID token of the person was issued for several clients or to another client');
  if (exp + TOKEN_LEEWAY_SECONDS <= now)
    return refuse('token', `the sign-in of the person ended ${Math.round(now - exp)} s ago: sign in again`);
  if (now - iat > OLDEST_TOKEN_SECONDS)
    return refuse('token', 'the ID token of the person is older than 12 hours: sign in again');
  if (Math.max(iat, nbf ?? 0) - TOKEN_LEEWAY_SECONDS > now)
    return refuse('token', 'the ID token of the person is from the future: correct the clocks of issuer and hub');
  return undefined;
}
