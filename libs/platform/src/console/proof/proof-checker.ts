import type { KeyObject } from 'node:crypto';
import { canonicalHash } from '#core/kernel/canonical/canonical-json';
import {
  type ProofReader,
  type ProofRefusal,
  type ProofStatement,
  refuse,
  statementRefusal,
} from '#core/view/proof/console-proof';
import { type ClaimNames, readAccount } from '#core/view/rights/account';
import { CompiledRights } from '#core/view/rights/compiled-rights';
import type { Policy } from '#core/view/rights/console-policy';
import { ALL_RIGHTS, type Grantee, LOCAL, type Rights } from '#core/view/rights/rights';
import type { Clock } from '../../clock/clock.port.js';
import type { Log } from '../../telemetry/log.port.js';
import { isCodeOfKey, openProof } from './sealed-proof.js';
import type { TokenIssuer } from './token-issuer.js';
import type { UsedProofs } from './used-proofs.port.js';

/** Message of the console: an action or a question, and its proof. */
type Presented = Readonly<{
  verb: string;
  subject: unknown;
  proof: string;
  /** Names the message that carried it. */
  delivery: string;
}>;

/** The person that was proved, with the rights of the reader's own policy. */
export type ProvedPerson = Readonly<{
  person: Grantee;
  rights: Rights;
  /** Returns undefined if the proof counts here for the first time, `elsewhere` if another process has it. */
  use(part: string): Promise<ProofRefusal | 'elsewhere' | undefined>;
}>;

export type ProofCheckerOptions = Readonly<{
  reader: ProofReader;
  privateKeys: readonly KeyObject[];
  used: UsedProofs;
  claims: ClaimNames;
  policy: () => Policy;
  /** Absent: people do not sign in with accounts, and the console's key counts. */
  issuer?: TokenIssuer;
  /** The key of a console without accounts, if this service has it. */
  consoleKey: () => Promise<string | undefined>;
  /** Counts a refusal. */
  count: (reason: string) => void;
  clock: Clock;
  log: Log;
}>;

/** The reason of a refusal by the policy of the reader. */
export const NOT_ALLOWED = 'not-allowed';
const LOG_AGAIN_AFTER_MS = 10_000;

/**
 * Checks messages of the console: the person behind them, and that this person sent this and nothing else,
 * now.
 */
export class ProofChecker {
  readonly #rights = new CompiledRights();
  readonly #logged = new Map<string, Readonly<{ atMs: number; unlogged: number }>>();

  constructor(private readonly options: ProofCheckerOptions) {}

  /** Returns the person behind an action or a question, or why there is none. */
  async check({ verb, subject, proof, delivery }: Presented): Promise<ProvedPerson | ProofRefusal> {
    const { reader, privateKeys, clock } = this.options;
    if (proof === '') return refuse('no-proof', 'the request has no proof of a person; nothing was done');
    const statement = await openProof(proof, privateKeys);
    if (statement === undefined)
      return refuse(
        'unreadable',
        `the ${reader} cannot open the proof of the person: FLOTILLA_CONSOLE_PROOF_KEYS_FILE of the console must be of this hub's key`,
      );
    const facts = { reader, verb, subject: canonicalHash(subject), nowMs: clock.now().getTime() };
    const refusal = statementRefusal(statement, facts);
    if (refusal !== undefined) return refusal;
    const person = await this.#personOf(statement);
    if ('reason' in person) return person;
    return { ...person, use: (part) => this.#use(statement.nonce, part, delivery) };
  }

  /** Logs and counts refusals. The log has one line of a kind in ten seconds, with the count. */
  note(reason: string, fields: Readonly<Record<string, unknown>>): void {
    const { count, clock, log, reader } = this.options;
    count(reason);
    const nowMs = clock.now().getTime();
    const known = this.#logged.get(reason) ?? { atMs: -Infinity, unlogged: 0 };
    if (nowMs - known.atMs < LOG_AGAIN_AFTER_MS) {
      this.#logged.set(reason, { ...known, unlogged: known.unlogged + 1 });
      return;
    }
    this.#logged.set(reason, { atMs: nowMs, unlogged: 0 });
    log.warn({ ...fields, reader, reason, ...(known.unlogged > 0 && { more: known.unlogged }) }, 'refused the console');
  }

  async #use(nonce: string, part: string, delivery: string): Promise<ProofRefusal | 'elsewhere' | undefined> {
    const use = await this.options.used.take({ nonce, part, delivery });
    if (use === 'first') return undefined;
    return use === 'elsewhere' ? use : refuse('used', 'the proof of the person was used before; nothing was done');
  }

  async #personOf({
    by,
    ...statement
  }: ProofStatement): Promise<Readonly<{ person: Grantee; rights: Rights }> | ProofRefusal> {
    const { issuer, claims: names, reader } = this.options;
    if ('code' in by) return this.#ofKey(by.code, statement);
    if (issuer === undefined)
      return refuse(
        'not-set-up',
        `the ${reader} has no FLOTILLA_CONSOLE_OIDC_ISSUER, so it cannot check who signed in`,
      );
    const answer = await issuer.claimsOf(by.token);
    if ('reason' in answer) return answer;
    const account = readAccount(answer.claims, names);
    if ('refused' in account) return refuse('token', `the ID token names no person: ${account.refused}`);
    return { person: account, rights: this.#rights.of(this.options.policy(), account) };
  }

  /** Checks a proof without accounts: a holder of the console's key may do everything, as `local`. */
  async #ofKey(
    code: string,
    statement: Omit<ProofStatement, 'by'>,
  ): Promise<Readonly<{ person: Grantee; rights: Rights }> | ProofRefusal> {
    const { issuer, consoleKey, reader } = this.options;
    if (issuer !== undefined)
      return refuse('code', 'people sign in with accounts here; the key of the console is not accepted');
    const key = await consoleKey();
    if (key === undefined)
      return refuse('not-set-up', `the ${reader} cannot read the console's key: set FLOTILLA_CONSOLE_KEY_FILE there`);
    if (!isCodeOfKey(code, key, statement))
      return refuse('code', `the key of the proof differs from FLOTILLA_CONSOLE_KEY_FILE of the ${reader}`);
    return { person: LOCAL, rights: ALL_RIGHTS };
  }
}
