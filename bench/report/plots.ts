import { element, escaped, shortened, text } from '#core/catalog/graph/svg/svg-element';

export type PlottedRow = Readonly<{ label: string; value: number; shown: string }>;

const ROW = 22;
const LABELS = 330;
const BARS = 420;
const SHOWN = 90;
const TOP = 34;

/** Readable on a light and on a dark page. */
const STYLE =
  '<style>text{font:12px system-ui,sans-serif;fill:#1c2733}.pale{fill:#56636f}.ours{fill:#2f7d4f}.theirs{fill:#b4561c}.bar{fill:#3a73b0}line{stroke:#8795a1}' +
  '@media(prefers-color-scheme:dark){text{fill:#e3e9ee}.pale{fill:#a3b0bb}.ours{fill:#5cb585}.theirs{fill:#e08a52}.bar{fill:#7db8f0}}</style>';

function picture(title: string, rows: number, content: string): string {
  const [width, height] = [LABELS + BARS + SHOWN, TOP + rows * ROW + 8];
  const size = { xmlns: 'http://www.w3.org/2000/svg', viewBox: `0 0 ${width} ${height}`, width, height };
  const named = { ...size, role: 'img', 'aria-label': title };
  return `${element('svg', named, `<title>${escaped(title)}</title>${STYLE}${text(8, 18, title)}${content}`)}\n`;
}

const label = (name: string, y: number): string =>
  text(LABELS - 10, y + 14, shortened(name, 48), { 'text-anchor': 'end' });

const MOST_SHARE = 1_000;

/** Plots bars of lengths; on a scale of powers of ten if they differ by more than a thousand. */
export function barPlot(title: string, rows: readonly PlottedRow[]): string {
  const values = rows.map(({ value }) => value).filter((value) => value > 0);
  const [least, most] = [Math.min(...values), Math.max(...values)];
  const isLog = most / least > MOST_SHARE;
  const share = (value: number): number => {
    if (value <= 0) return 0;
    return isLog ? (Math.log10(value / least) + 0.2) / (Math.log10(most / least) + 0.2) : value / most;
  };
  const bars = rows.map(({ label: name, value, shown }, at) => {
    const y = TOP + at * ROW;
    const width = Math.max(1, share(value) * BARS);
    const bar = element('rect', { x: LABELS, y: y + 3, width, height: ROW - 7, class: 'bar' });
    return `${label(name, y)}${bar}${text(LABELS + width + 6, y + 14, shown)}`;
  });
  return picture(isLog ? `${title} (powers of ten)` : title, rows.length, bars.join(''));
}

/** Ratios on a scale of powers of ten: right of 1 Flotilla needs less, left of it the original. */
export function ratioPlot(title: string, rows: readonly PlottedRow[]): string {
  const farthest = Math.max(1, ...rows.map(({ value }) => Math.abs(Math.log10(value))));
  const half = BARS / 2;
  const middle = LABELS + half;
  const bars = rows.map(({ label: name, value, shown }, at) => {
    const y = TOP + at * ROW;
    const width = Math.max(1, (Math.abs(Math.log10(value)) / farthest) * half);
    const isOurs = value >= 1;
    const x = isOurs ? middle : middle - width;
    const bar = element('rect', { x, y: y + 3, width, height: ROW - 7, class: isOurs ? 'ours' : 'theirs' });
    return `${label(name, y)}${bar}${text(LABELS + BARS + 6, y + 14, shown, { class: 'pale' })}`;
  });
  const axis = element('line', { x1: middle, y1: TOP - 4, x2: middle, y2: TOP + rows.length * ROW });
  return picture(title, rows.length, `${bars.join('')}${axis}`);
}
