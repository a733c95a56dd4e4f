/** The parts of a version that decide its line. `version` is empty for a name without a bundle. */
type LineNode = Readonly<{ bundle: string; version: string; installed: number; head: boolean }>;

/** One line of a channel in the upgrade graph. */
export type GraphLine<N extends LineNode> = Readonly<
  | { kind: 'version'; key: string; node: N }
  /** A minor version. Its versions stand below it if it is open; otherwise it stands for them. */
  | { kind: 'minor'; key: string; minor: string; isOpen: boolean; nodes: readonly N[] }
  /** All names without a bundle that no cluster has. */
  | { kind: 'absent'; key: string; isOpen: boolean; nodes: readonly N[] }
>;

/** Channels with this many versions or fewer show each version. */
const MOST_UNFOLDED = 10;
/** The key of the line of names without a bundle. */
const ABSENT = 'absent';

type Shown = Readonly<{
  /** The bundle that the path begins at. Empty: there is no path. */
  from: string;
  /** The keys of lines that a person has opened or closed. */
  toggled: ReadonlySet<string>;
}>;

const minorOf = (version: string): string => /^\d+\.\d+/.exec(version)?.[0] ?? version;

/**
 * Returns the lines of a channel, the newest version first. A minor version is one line that opens. The one
 * with the beginning of the path is open at first.
 */
export function graphLines<N extends LineNode>(nodes: readonly N[], { from, toggled }: Shown): readonly GraphLine<N>[] {
  const isAbsent = ({ bundle, version, installed }: N) => version === '' && installed === 0 && bundle !== from;
  const present = nodes.filter((node) => !isAbsent(node));
  const absent = nodes.filter(isAbsent);
  const lines = [...minorGroups(present).values()].flatMap((group): GraphLine<N>[] => {
    const versions = group.map((node): GraphLine<N> => ({ kind: 'version', key: node.bundle, node }));
    if (group.length === 1 || present.length <= MOST_UNFOLDED) return versions;
    const minor = minorOf(group[0]?.version ?? '');
    const key = `minor ${minor}`;
    const isOpen = toggled.has(key) !== group.some(({ bundle }) => bundle === from);
    return [{ kind: 'minor', key, minor, isOpen, nodes: group }, ...(isOpen ? versions : [])];
  });
  if (absent.length === 0) return lines;
  return [...lines, { kind: 'absent', key: ABSENT, isOpen: toggled.has(ABSENT), nodes: absent }];
}

/** Names without a version that clusters have stay alone: each is a group. */
const minorGroups = <N extends LineNode>(nodes: readonly N[]): ReadonlyMap<string, N[]> =>
  Map.groupBy(nodes, ({ bundle, version }) => (version === '' ? `name ${bundle}` : minorOf(version)));

/** Returns the number of clusters that a line counts. */
export const installedOn = <N extends LineNode>(line: GraphLine<N>): number =>
  line.kind === 'version' ? line.node.installed : line.nodes.reduce((sum, { installed }) => sum + installed, 0);

/** Returns the largest number of clusters of a line in a channel, folded or not. */
export const mostInstalled = <N extends LineNode>(nodes: readonly N[], from: string): number =>
  Math.max(0, ...graphLines(nodes, { from, toggled: new Set() }).map(installedOn));

type LineSource = Readonly<{ from: string; to: string; type: string; onWay: boolean }>;

/** An edge between two lines, by their places from the top. */
export type LineEdge = Readonly<{
  from: number;
  to: number;
  type: string;
  /** True if OLM's path takes it. */
  onWay: boolean;
  /** True if it is drawn at all times; others are drawn for the line that has the pointer or the focus. */
  isAlwaysShown: boolean;
}>;

const WEIGHTS: Readonly<Record<string, number>> = { replaces: 1, skips: 2 };
const weightOf = ({ onWay, type }: LineSource): number => (onWay ? 0 : (WEIGHTS[type] ?? 3));

/**
 * Returns the edges between the lines, at most one from one line to another. The edge on the path stands for
 * the others, then `replaces`.
 */
export function lineEdges<N extends LineNode>(
  lines: readonly GraphLine<N>[],
  edges: readonly LineSource[],
): readonly LineEdge[] {
  const places = placesOf(lines);
  const found = new Map<string, LineEdge>();
  for (const edge of edges.toSorted((a, b) => weightOf(a) - weightOf(b))) {
    const [from, to] = [places.get(edge.from), places.get(edge.to)];
    if (from === undefined || to === undefined || from === to || found.has(`${from} ${to}`)) continue;
    const isNamed = lines[from]?.kind !== 'absent';
    const isAlwaysShown = edge.onWay || (edge.type === 'replaces' && isNamed);
    found.set(`${from} ${to}`, { from, to, type: edge.type, onWay: edge.onWay, isAlwaysShown });
  }
  return [...found.values()];
}

/** Returns the place of the line that shows each bundle. An open line stands for none of its versions. */
function placesOf<N extends LineNode>(lines: readonly GraphLine<N>[]): ReadonlyMap<string, number> {
  const places = new Map<string, number>();
  for (const [place, line] of lines.entries()) {
    if (line.kind === 'version') places.set(line.node.bundle, place);
    else if (line.kind === 'absent' || !line.isOpen) for (const { bundle } of line.nodes) places.set(bundle, place);
  }
  return places;
}
