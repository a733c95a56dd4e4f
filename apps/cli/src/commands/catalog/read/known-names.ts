import { didYouMean } from '#core/kernel/text/did-you-mean';

const MOST = 20;

/** Names for the end of a message about an unknown one: the first twenty, and how many more there are. */
export function knownNames(names: readonly string[]): string {
  if (names.length === 0) return 'there are none';
  const more = names.length > MOST ? ` and ${names.length - MOST} more` : '';
  return `known are ${names.slice(0, MOST).join(', ')}${more}`;
}

/** A message about a name that none of the known ones is: the nearest, and the known ones. */
export const unknownName = (what: string, typed: string, known: readonly string[]): string =>
  `unknown ${what} "${typed}"${didYouMean(typed, known)}; ${knownNames(known)}`;
