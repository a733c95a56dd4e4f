/** Which claims name a person and their groups. */
export type ClaimNames = Readonly<{ name: string; groups: string }>;

/** Who signed in, or why they cannot be named. */
export type ReadAccount = Readonly<{ name: string; groups: readonly string[] } | { refused: string }>;

type Claims = Readonly<Record<string, unknown>>;

const MOST_GROUPS = 500;
const LONGEST = 253;

const isName = (value: unknown): value is string =>
  typeof value === 'string' && value !== '' && value.length <= LONGEST && !/\p{Cc}/u.test(value);

/**
 * The name and groups of an account. An address that the issuer has not verified names no person, since it
 * may be that of another one. Groups that are no names, and those beyond 500, are left out.
 */
export function readAccount(claims: Claims, names: ClaimNames): ReadAccount {
  const name = claims[names.name];
  if (!isName(name)) return { refused: `the issuer sends no claim ${names.name}` };
  if (names.name === 'email' && claims['email_verified'] === false)
    return { refused: `the issuer has not verified the address ${name}` };
  // `local` is who has the key of this machine.
  if (name === 'local') return { refused: 'the name local is not for accounts' };
  const groups = claims[names.groups];
  const all: readonly unknown[] = Array.isArray(groups) ? groups : [groups];
  return { name, groups: all.filter(isName).slice(0, MOST_GROUPS) };
}

/** Where a sign-in leads back to: a page of the console, else its first one. */
export function returnPath(wanted: unknown): string {
  const isPath = typeof wanted === 'string' && wanted.length <= 2_000 && /^\/(?![/\\])[\x21-\x7e]*$/.test(wanted);
  return isPath && !wanted.includes('\\') && !/^\/(api|auth|icons)(\/|$|\?)/.test(wanted) ? wanted : '/';
}
