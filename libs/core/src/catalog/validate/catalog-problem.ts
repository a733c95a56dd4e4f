import type { BlobStart } from '../model/catalog-blob.js';

/** One reason why a catalog is invalid. */
export type CatalogProblem = Readonly<{
  /** opm's whole text for this problem alone, on one line: `invalid package "p": invalid channel "c": …`. */
  message: string;
  /** Advice to the catalog's author, in a sentence. */
  advice: string;
  /**
   * Titles from the package down (`invalid package "p"`), empty for a problem that ends validation at once.
   */
  path: readonly string[];
  /** The finding below those titles. */
  finding: string;
  /**
   * The blob at fault, `file:line` below the catalog's root. Undefined if no single blob is at fault, or if
   * its place is not known.
   */
  place?: string;
}>;

/** Returns a problem that ends validation: nothing after it is checked. */
export const fatal = (finding: string, advice: string, start?: BlobStart): CatalogProblem => ({
  message: finding,
  advice,
  path: [],
  finding,
  ...placeOf(start),
});

/** Returns a problem found below `path`. There may be others too. */
export const found = (path: readonly string[], finding: string, advice: string, start?: BlobStart): CatalogProblem => ({
  message: [...path, finding].join(': '),
  advice,
  path,
  finding,
  ...placeOf(start),
});

/** Returns the same problem with the place of the blob at fault. */
export const placed = (problem: CatalogProblem, start: BlobStart | undefined): CatalogProblem => ({
  ...problem,
  ...placeOf(start),
});

/** Returns the problem on one line: place, opm's words. */
export const placedMessage = ({ place, message }: CatalogProblem): string =>
  place === undefined ? message : `${place}: ${message}`;

const placeOf = (start: BlobStart | undefined): { place?: string } =>
  start === undefined ? {} : { place: `${start.path}:${start.line}` };

type Node = { text: string; children: Node[] };

/**
 * Returns the output of `opm validate` for these problems: one text, or the tree `invalid index:`. Returns
 * undefined when there are none.
 */
export function opmText(problems: readonly CatalogProblem[]): string | undefined {
  const first = problems[0];
  if (first === undefined) return undefined;
  if (first.path.length === 0) return first.finding;
  const root: Node = { text: 'invalid index', children: [] };
  for (const { path, finding } of problems) {
    let node = root;
    for (const title of path) node = childOf(node, title);
    node.children.push({ text: finding, children: [] });
  }
  return treeLines(root).join('\n');
}

function childOf(node: Node, text: string): Node {
  const known = node.children.find((child) => child.text === text);
  if (known) return known;
  const child: Node = { text, children: [] };
  node.children.push(child);
  return child;
}

function treeLines({ text, children }: Node): string[] {
  if (children.length === 0) return [text];
  const below = children.flatMap((child, index) => {
    const last = index === children.length - 1;
    return treeLines(child).map((line, at) => {
      const mark = at === 0 ? (last ? '└── ' : '├── ') : last ? '    ' : '│   ';
      return `${mark}${line}`.trimEnd();
    });
  });
  return [`${text}:`, ...below];
}
