/** Characters of a line about data that others wrote: it is read in terminals and in statuses. */
export const LONGEST_VERDICT = 200;

/** The least characters of a place, which distinguish most images; fewer if all of the text then fits. */
const SHORTEST_PLACES = [24, 16];
/** The most characters of a word in a text that does not fit: the end of the text says more than a name. */
const LONGEST_WORDS = [Number.POSITIVE_INFINITY, 63, 40];

const DIGEST = /(@sha256:[0-9a-f]{12})[0-9a-f]{52}/;

/**
 * Returns one line about data that others wrote: the places from the outermost to the innermost (image, file,
 * object), then what is wrong and what to do. Empty places are left out. If the line is too long, digests are
 * shortened first, then the longest place in its middle and the next one, then long words of the text. The
 * end of the text is cut last. The text may be such a line itself: its places are shortened like the others.
 */
export function verdictLine(places: readonly string[], text: string, most = LONGEST_VERDICT): string {
  const { inner, told } = innerPlaces(oneLine(text));
  const whole = [...places.map(oneLine).filter((place) => place !== ''), ...inner];
  let line = '';
  for (const longest of LONGEST_WORDS) {
    const words = withWordsOf(longest, told);
    const excess = (parts: readonly string[]) => lengthOf(parts, words) - most;
    const tried = SHORTEST_PLACES.map((least) => shortened(whole, least, excess));
    const fitting = tried.find((parts) => excess(parts) <= 0);
    line = [...(fitting ?? tried[0] ?? []), words].join(': ');
    if (line.length <= most) return line;
  }
  return `${wellFormed(line.slice(0, most - 1))}…`;
}

const withWordsOf = (longest: number, text: string): string =>
  text
    .split(' ')
    .map((word) => (word.length <= longest ? word : withoutMiddle(word, longest)))
    .join(' ');

/** An image, a bundle, a file, or an object with its kind. */
const PLACE = /^(?:(?:image|bundle|object) \S+|[A-Z][A-Za-z]+ \S+|\S+\/\S+|\S+\.(?:ya?ml|json)(?::\d+)?): /;

function innerPlaces(text: string): Readonly<{ inner: readonly string[]; told: string }> {
  const inner: string[] = [];
  let told = text;
  for (let found = PLACE.exec(told); found !== null; found = PLACE.exec(told)) {
    inner.push(found[0].slice(0, -': '.length));
    told = told.slice(found[0].length);
  }
  return { inner, told };
}

/** Shortens digests, then the longest place and the next one, until all fits or has `least` characters. */
function shortened(whole: readonly string[], least: number, excess: (parts: readonly string[]) => number): string[] {
  const parts = excess(whole) <= 0 ? [...whole] : whole.map((place) => place.replace(DIGEST, '$1…'));
  for (let over = excess(parts); over > 0; over = excess(parts)) {
    const longest = parts.reduce((at, part, index) => (part.length > (parts[at]?.length ?? 0) ? index : at), 0);
    const place = parts[longest] ?? '';
    if (place.length <= least) break;
    parts[longest] = withoutMiddle(place, Math.max(least, place.length - over));
  }
  return parts;
}

const lengthOf = (parts: readonly string[], text: string): number => [...parts, text].join(': ').length;

const oneLine = (text: string): string => text.replaceAll(/\s*\n\s*/g, ' ').trim();

function withoutMiddle(text: string, most: number): string {
  const head = Math.ceil((most - 1) / 2);
  return wellFormed(`${text.slice(0, head)}…${text.slice(text.length - (most - 1 - head))}`);
}

/** Half of a character at a cut is left out. */
const wellFormed = (text: string): string => text.toWellFormed().replaceAll('\uFFFD', '');
