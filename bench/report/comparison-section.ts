import { type PlottedRow, ratioPlot } from './plots.js';
import type { MarkdownTable } from './read-tables.js';

/** Files of a report by name, and the Markdown that shows them. */
export type ReportSection = Readonly<{ markdown: string; files: ReadonlyMap<string, string> }>;

type Work = Readonly<{ name: string; rows: readonly (readonly string[])[] }>;

/** The rows of each work; only its first row has its name. */
function worksOf({ rows }: MarkdownTable): readonly Work[] {
  const works: { name: string; rows: (readonly string[])[] }[] = [];
  for (const row of rows) {
    if (row[0] !== '') works.push({ name: row[0] ?? '', rows: [] });
    works.at(-1)?.rows.push(row.slice(1));
  }
  return works;
}

const MEASURES = ['time', 'CPU', 'memory'] as const;

/**
 * The comparison with the originals: a heading for each work, so that a claim can link to its row, after a
 * plot of the ratios for each measure.
 */
export function comparisonSection(table: MarkdownTable): ReportSection {
  const works = worksOf(table);
  const files = new Map<string, string>();
  const pictures = MEASURES.flatMap((measure) => {
    const rows = works.flatMap((work) => ratioOf(work, measure) ?? []);
    if (rows.length === 0) return [];
    const title = `${measure}: original ÷ Flotilla, medians; to the right Flotilla needs less`;
    const file = `compare-${measure.toLowerCase()}.svg`;
    files.set(file, ratioPlot(title, rows));
    return [`![${title}](${file})`];
  });
  const head = ['measure', ...table.headings.slice(2)];
  const sections = works.map(({ name, rows }) => `### ${name}\n\n${markdownOf({ headings: head, rows })}`);
  return { markdown: [...pictures, ...sections].join('\n\n'), files };
}

function ratioOf({ name, rows }: Work, measure: string): PlottedRow | undefined {
  const ratio = rows.find(([first]) => first === measure)?.[3] ?? '';
  const [, value] = /^([\d.]+) ×$/.exec(ratio) ?? [];
  return value === undefined ? undefined : { label: name, value: Number(value), shown: ratio };
}

/** A table as Markdown. */
export const markdownOf = ({ headings, rows }: MarkdownTable): string =>
  [headings, headings.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
