/** Characters of a line about data that others wrote: it is read in terminals and in statuses. */
export const LONGEST_VERDICT = 200;

/** A place keeps at least so many characters, which distinguish most images and files. */
const SHORTEST_PLACE = 24;

const DIGEST = /(@sha256:[0-9a-f]{12})[0-9a-f]{52}/;

/**
 * Returns one line about data that others wrote: the places from the outermost to the innermost (image, file,
 * object), then what is wrong and what to do. Empty places are left out. If the line is too long, digests are
 * shortened first, then the longest place in its middle and the next one, and the end of the text last.
 */
export function verdictLine(places: readonly string[], text: string, most = LONGEST_VERDICT): string {
  const whole = places.map(oneLine).filter((place) => place !== '');
  const told = oneLine(text);
  const parts = lengthOf(whole, told) <= most ? whole : whole.map((place) => place.replace(DIGEST, '$1…'));
  for (let excess = lengthOf(parts, told) - most; excess > 0; excess = lengthOf(parts, told) - most) {
    const longest = parts.reduce((at, part, index) => (part.length > (parts[at]?.length ?? 0) ? index : at), 0);
    const place = parts[longest] ?? '';
    if (place.length <= SHORTEST_PLACE) break;
    parts[longest] = withoutMiddle(place, Math.max(SHORTEST_PLACE, place.length - excess));
  }
  const line = [...parts, told].join(': ');
  return line.length <= most ? line : `${wellFormed(line.slice(0, most - 1))}…`;
}

const lengthOf = (parts: readonly string[], text: string): number => [...parts, text].join(': ').length;

const oneLine = (text: string): string => text.replaceAll(/\s*\n\s*/g, ' ').trim();

function withoutMiddle(text: string, most: number): string {
  const head = Math.ceil((most - 1) / 2);
  return wellFormed(`${text.slice(0, head)}…${text.slice(text.length - (most - 1 - head))}`);
}

/** Half of a character at a cut is left out. */
const wellFormed = (text: string): string => text.toWellFormed().replaceAll('\uFFFD', '');
