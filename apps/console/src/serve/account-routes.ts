import type { ApiReply } from '../api/api-reply.js';
import { notFound, RequestProblem } from '../api/problem.js';
import type { AuditLog, AuditSubject } from '../audit/audit-log.js';
import type { AccountSignIn } from '../sign-in/account-sign-in.js';
import type { Person } from '../sign-in/person.js';
import type { SignInHeaders } from '../sign-in/sign-in.js';

/** Parts of a request that these routes read. */
export type AccountRequest = Readonly<{
  query: Readonly<Record<string, unknown>>;
  url: string;
  headers: SignInHeaders;
  subject: AuditSubject;
}>;

type Parts = Readonly<{ accounts: AccountSignIn | undefined; audit: AuditLog }>;
type Reply = ApiReply & Readonly<{ cookies?: readonly string[] }>;

const NO_STORE = { 'cache-control': 'no-store' };
const text = (status: number, body: string, cookies: readonly string[] = []): Reply => ({
  ...{ status, headers: { ...NO_STORE, 'content-type': 'text/plain; charset=utf-8' }, body, cookies },
});
const json = (body: unknown): Reply => ({
  ...{ status: 200, headers: { ...NO_STORE, 'content-type': 'application/json' }, body: JSON.stringify(body) },
});
const away = (location: string, cookies: readonly string[]): Reply => ({
  ...{ status: 302, headers: { ...NO_STORE, location }, body: '', cookies },
});

const NO_ISSUER =
  'This console has no issuer of accounts (FLOTILLA_CONSOLE_OIDC_ISSUER). Open it with the link of "flotilla console link".\n';

/** Sign-in and sign-out with an account. */
export class AccountRoutes {
  constructor(private readonly parts: Parts) {}

  /** Returns the ways to sign in, for the page that offers them. */
  ways(): Reply {
    return json({ account: this.parts.accounts !== undefined });
  }

  async login({ query }: AccountRequest): Promise<Reply> {
    const { accounts } = this.parts;
    if (accounts === undefined) return text(404, NO_ISSUER);
    const begun = await accounts.begin(query['to']).catch(() => undefined);
    if (begun === undefined) return text(502, 'The issuer of accounts does not answer. Try again in a minute.\n');
    return away(begun.location, [begun.cookie]);
  }

  async callback({ url, headers, subject }: AccountRequest): Promise<Reply> {
    const { accounts, audit } = this.parts;
    if (accounts === undefined) return text(404, NO_ISSUER);
    const end = await accounts.finish(url.split('?')[1] ?? '', headers);
    if ('refused' in end) {
      await audit.note(subject, { event: 'sign-in-refused', because: end.refused });
      return text(403, `Not signed in: ${end.refused}. Go back to the console, and sign in again.\n`, end.cookies);
    }
    const { name, groups } = end.person;
    await audit.note({ ...subject, person: name, groups }, { event: 'sign-in' });
    return away(end.to, end.cookies);
  }

  async logout({ headers, subject }: AccountRequest, person: Person): Promise<Reply> {
    const { accounts, audit } = this.parts;
    if (accounts === undefined || person.by !== 'oidc') throw notFound('such sign-in');
    const cookies = await accounts.signOut(headers).catch((error: unknown) => {
      const why = 'The session could not be ended.';
      throw new RequestProblem(503, 'not-ended', why, `Try again: ${error instanceof Error ? error.name : ''}`);
    });
    await audit.note(subject, { event: 'sign-out' });
    return { ...json({}), cookies };
  }
}
