/** Characters of a line about data that others wrote: it is read in terminals and in statuses. */
export const LONGEST_VERDICT = 200;

/** The least characters of a place. They distinguish most images; fewer if all of the text then fits. */
const SHORTEST_PLACES = [24, 16];
/** Shortens words of more than `over` characters to `to`, if the text does not fit: its end says more. */
const WORDS = [
  { over: Number.POSITIVE_INFINITY, to: 0 },
  { over: 63, to: 63 },
  { over: 63, to: 24 },
  { over: 40, to: 40 },
];
const STEPS = SHORTEST_PLACES.flatMap((place) => WORDS.map((word) => ({ place, word })));
/** The step that is taken if none is enough. */
const LAST = { place: 24, word: { over: 40, to: 40 } };

const DIGEST = /(@sha256:[0-9a-f]{12})[0-9a-f]{52}/;

/**
 * Returns one line about data that others wrote. It has the places from the outermost to the innermost
 * (image, file, object), then the problem and the remedy. Empty places are left out. If the line is too long,
 * digests are shortened first, then the longest place in its middle and the next one. Long words of the text
 * follow. The end of the text is cut last. The text may be such a line itself: its places are shortened like
 * the others.
 */
export function verdictLine(places: readonly string[], text: string, most = LONGEST_VERDICT): string {
  const { inner, told } = innerPlaces(oneLine(text));
  const whole = [...places.map(oneLine).filter((place) => place !== ''), ...inner];
  const cut = ({ place, word }: typeof LAST): string => {
    const words = withShortWords(told, word);
    return [...shortened(whole, place, (parts) => lengthOf(parts, words) - most), words].join(': ');
  };
  for (const step of STEPS) {
    const line = cut(step);
    if (line.length <= most) return line;
  }
  return `${wellFormed(cut(LAST).slice(0, most - 1))}…`;
}

/** Shortens long words except for the first, which is the field. */
const withShortWords = (text: string, { over, to }: typeof LAST.word): string =>
  text
    .split(' ')
    .map((word, at) => (at === 0 || word.length <= over ? word : withoutMiddle(word, to)))
    .join(' ');

/** An image, a bundle, a file, or an object with its kind; or the shortened form of such a place. */
const PLACE = /^(?:(?:image|bundle|object) \S+|\S+…\S+|[A-Z][A-Za-z]+ \S+|\S+\/\S+|\S+\.(?:ya?ml|json)(?::\d+)?): /;

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

/** Drops half of a character at a cut. */
const wellFormed = (text: string): string => text.toWellFormed().replaceAll('\uFFFD', '');
