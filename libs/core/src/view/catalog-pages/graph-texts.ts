/** `>=1.27.0 <1.28.0`, and each half alone. */
const RANGE = /^(?:(>=?)\s*v?([^\s<>=|,]+))?[\s,]*(?:(<=?)\s*v?([^\s<>=|,]+))?$/;
const LONGEST_MARK = 24;

/**
 * Returns a skipRange in few words, as `from ≥ 1.27.0`. `<` is left out before the version with the range
 * itself. Returns an empty text without a range.
 */
export function rangeText(range: string, version: string): string {
  const text = range.trim();
  if (text === '') return '';
  const found = RANGE.exec(text);
  if (found === null) return `from ${text}`;
  const [, over, floor, under, ceiling] = found;
  const above = floor === undefined ? '' : `${over === '>' ? '>' : '≥'} ${floor}`;
  const isOwn = under === '<' && ceiling === version;
  const below = ceiling === undefined || isOwn ? '' : `${under === '<' ? '<' : '≤'} ${ceiling}`;
  return `from ${[above, below].filter((part) => part !== '').join(', ') || 'any older'}`;
}

/** Returns a short mark for a bundle: its version if its name has one, else its beginning and its end. */
export function shortMark(bundle: string): string {
  const version = /\.v?(\d[^/]*)$/.exec(bundle)?.[1];
  const text = version ?? bundle;
  if (text.length <= LONGEST_MARK) return text;
  return `${text.slice(0, LONGEST_MARK / 2 - 1)}…${text.slice(-LONGEST_MARK / 2)}`;
}

const PARTS = /\d+|\D+/g;
const isNumber = (part: string): boolean => /^\d/.test(part);

/** Compares two numbers of any length, the greater first. */
function greaterFirst(a: string, b: string): number {
  const [one, other] = [a.replace(/^0+(?=\d)/, ''), b.replace(/^0+(?=\d)/, '')];
  return other.length - one.length || textFirst(other, one);
}

const textFirst = (a: string, b: string): number => (a < b ? -1 : Number(a > b));

/** Compares names of channels: text by its characters, numbers from the newest to the oldest. */
export function byChannelVersion(a: string, b: string): number {
  const [ones, others] = [a.match(PARTS) ?? [], b.match(PARTS) ?? []];
  for (const [at, one] of ones.entries()) {
    const other = others[at];
    if (other === undefined) return 1;
    if (one === other) continue;
    const order = isNumber(one) && isNumber(other) ? greaterFirst(one, other) : textFirst(one, other);
    if (order !== 0) return order;
  }
  return ones.length - others.length || textFirst(a, b);
}

type OfferedChannel = Readonly<{ name: string; clusters: number; nodes: readonly Readonly<{ bundle: string }>[] }>;

/** The channels that a graph shows at first. */
type Asked = Readonly<{ defaultChannel: string; followed: string; from: string }>;

/**
 * Returns the channels to show at first: the one that the operator follows, and the default channel. Without
 * such an operator the first is the channel of most clusters, or the one with the beginning of the path.
 */
export function firstChannels(channels: readonly OfferedChannel[], asked: Asked): readonly string[] {
  const { defaultChannel, followed, from } = asked;
  const has = (name: string) => channels.some((one) => one.name === name);
  const most = channels.toSorted((a, b) => b.clusters - a.clusters)[0];
  const holders = channels.filter(({ nodes }) => nodes.some(({ bundle }) => bundle === from)).map(({ name }) => name);
  // The default channel comes first: others may have the bundle as a name alone.
  const withFrom = holders.includes(defaultChannel) ? defaultChannel : holders[0];
  const own = has(followed) ? followed : (withFrom ?? (most && most.clusters > 0 ? most.name : undefined));
  const shown = [own, defaultChannel].filter((name) => name !== undefined && has(name));
  const names = shown.length > 0 ? shown : channels.slice(0, 1).map(({ name }) => name);
  return channels.map(({ name }) => name).filter((name) => names.includes(name));
}
