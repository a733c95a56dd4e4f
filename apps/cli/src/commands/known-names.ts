const MOST = 20;

/** Names for the end of a message about an unknown one: the first twenty, and how many more there are. */
export function knownNames(names: readonly string[]): string {
  if (names.length === 0) return 'there are none';
  const more = names.length > MOST ? ` and ${names.length - MOST} more` : '';
  return `known are ${names.slice(0, MOST).join(', ')}${more}`;
}
