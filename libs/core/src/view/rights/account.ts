import { cutText } from '../../kernel/text/cut-text.js';

/** Claims that name a person and their groups. */
export type ClaimNames = Readonly<{
  name: string;
  groups: string;
  /** The text `"true"` counts as true in `email_verified`. */
  takesVerifiedText?: boolean;
}>;

/** Person who signed in, or the reason why none is named. */
type ReadAccount = Readonly<{ name: string; groups: readonly string[] } | { refused: string }>;

type Claims = Readonly<Record<string, unknown>>;

const MOST_GROUPS = 500;
const LONGEST = 253;

const isName = (value: unknown): value is string =>
  typeof value === 'string' && value !== '' && value.length <= LONGEST && !/\p{Cc}/u.test(value);

const isVerified = (value: unknown, takesText = false): boolean => value === true || (takesText && value === 'true');

/**
 * Returns the value of a claim for a message. A stranger may have written it, so at most a few characters are
 * shown.
 */
const said = (value: unknown): string =>
  value === undefined ? 'absent' : cutText(JSON.stringify(value).replaceAll(/\p{Cc}/gu, ' '), 30);

/**
 * The name and groups of an account. An address that the issuer does not say to have verified names no
 * person, since it may be that of another one. Groups that are no names, and those beyond 500, are left out.
 */
export function readAccount(claims: Claims, names: ClaimNames): ReadAccount {
  const name = claims[names.name];
  if (!isName(name)) return { refused: `the issuer sends no claim ${names.name}` };
  const { email_verified: verified } = claims;
  if (names.name === 'email' && !isVerified(verified, names.takesVerifiedText))
    return { refused: `the issuer has not verified the address ${name} (claim email_verified is ${said(verified)})` };
  // `local` is the user with the key of this machine.
  if (name === 'local') return { refused: 'the name "local" is reserved' };
  const groups = claims[names.groups];
  const all: readonly unknown[] = Array.isArray(groups) ? groups : [groups];
  return { name, groups: all.filter(isName).slice(0, MOST_GROUPS) };
}
