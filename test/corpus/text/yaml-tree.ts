/** YAML that is written as it stands, with the value that a Go program reads there. */
export class Written {
  /** `text`: `$PAD` stands for the indentation of the line that it begins in. */
  constructor(
    readonly text: string,
    readonly value: unknown,
  ) {}
}

/** A map with literal lines after its members, such as merge keys. */
export class WrittenMap {
  constructor(
    readonly members: YamlMap,
    /** Lines at the indentation of the members. */
    readonly lines: readonly string[],
    /** The members that these lines add. */
    readonly added: Readonly<Record<string, unknown>>,
  ) {}
}

/** A value as the generator holds it: plain data, and parts that are written as they stand. */
export type YamlMap = { [key: string]: unknown };

/** The value that a Go program reads. */
export function readValue(tree: unknown): unknown {
  if (tree instanceof Written) return tree.value;
  if (tree instanceof WrittenMap) return { ...recordOf(tree.members), ...tree.added };
  if (Array.isArray(tree)) return tree.map(readValue);
  return typeof tree === 'object' && tree !== null ? recordOf(tree as YamlMap) : tree;
}

/** The members of a map as a Go program reads them. */
export const recordOf = (map: YamlMap): Record<string, unknown> =>
  Object.fromEntries(Object.entries(map).map(([key, value]) => [key, readValue(value)]));

/** The tree as YAML in block style, with a line break at its end. */
export const yamlText = (tree: unknown): string => `${block(tree, '').join('\n')}\n`;

const block = (tree: unknown, pad: string): string[] => {
  if (tree instanceof WrittenMap) return [...mapLines(tree.members, pad), ...tree.lines.map((line) => pad + line)];
  if (Array.isArray(tree)) return tree.flatMap((item) => itemLines(item, pad));
  return mapLines(tree as YamlMap, pad);
};

const mapLines = (map: YamlMap, pad: string): string[] =>
  Object.entries(map).flatMap(([key, value]) => {
    const head = `${pad}${scalar(key)}:`;
    if (isBlock(value)) return [head, ...block(value, Array.isArray(value) ? pad : `${pad}  `)];
    return `${head} ${inline(value, pad)}`.trimEnd().split('\n');
  });

function itemLines(item: unknown, pad: string): string[] {
  if (!isBlock(item)) return `${pad}- ${inline(item, `${pad}  `)}`.split('\n');
  const [first = '', ...rest] = block(item, `${pad}  `);
  return [`${pad}- ${first.slice(pad.length + 2)}`, ...rest];
}

/** Maps and lists that have something in them: the rest fits behind its key. */
const isBlock = (tree: unknown): boolean => {
  if (tree instanceof WrittenMap) return true;
  if (tree instanceof Written || typeof tree !== 'object' || tree === null) return false;
  return Object.keys(tree).length > 0;
};

function inline(tree: unknown, pad: string): string {
  if (tree instanceof Written) return tree.text.replaceAll('$PAD', pad);
  if (typeof tree === 'string') return scalar(tree);
  return JSON.stringify(tree);
}

const PLAIN = /^[A-Za-z_/][\w./@-]*( [A-Za-z][\w./@-]*)*$/;
const WORDS = /^(null|true|false|yes|no|on|off|y|n)$/i;

const scalar = (text: string): string => (PLAIN.test(text) && !WORDS.test(text) ? text : JSON.stringify(text));
