import { useState } from 'preact/hooks';
import {
  type GraphLine,
  graphLines,
  installedOn,
  type LineEdge,
  lineEdges,
} from '#core/view/catalog-pages/graph-lines';
import { rangeText, shortMark } from '#core/view/catalog-pages/graph-texts';
import { paths, withQuery } from '../../live/address.js';
import { count, counted } from '../../live/times.js';
import { DOT, type GraphChannel, type GraphNode, LINE, STRIP, strokesOf } from './graph-layout.js';

type Line = GraphLine<GraphNode>;

/** Marks of a version, of which a page shows the first. */
export const marksOf = (node: GraphNode): string[] => [
  ...(node.installed > 0 ? [node.installed === 1 ? 'installed' : `in ${count(node.installed)}`] : []),
  ...(node.head ? ['newest'] : []),
  ...(node.reachable ? ['reachable'] : []),
  ...(node.deprecated ? ['deprecated'] : []),
  ...(node.skipped ? ['skipped'] : []),
  // Edges lead on from a name that is no entry: only that has no version.
  ...(node.version === '' ? ['absent'] : []),
];

/** The package whose graph is shown, and the beginning of the path. */
export type GraphOf = Readonly<{
  id: string;
  name: string;
  from: string;
  cluster: string | undefined;
  /** The most clusters that a line of any channel counts. */
  most: number;
}>;

/** Short marks of names without a bundle before the line is opened. */
const FEW = 6;

const nodesOf = (line: Line): readonly GraphNode[] => (line.kind === 'version' ? [line.node] : line.nodes);

/** The state of a line in its colour: the beginning of the path, the path, reachable, or none. */
function inkOf(line: Line, place: number, edges: readonly LineEdge[], from: string): string {
  if (nodesOf(line).some(({ bundle }) => bundle === from)) return 'here';
  if (edges.some((edge) => edge.onWay && edge.to === place)) return 'way';
  if (line.kind === 'version' && line.node.skipped) return 'skipped';
  return nodesOf(line).some(({ reachable }) => reachable) ? 'reachable' : '';
}

/** One channel: the newest version on top, edges at its left. */
export function Channel({ of, graph, isDefault }: { of: GraphChannel; graph: GraphOf; isDefault: boolean }) {
  const [toggled, setToggled] = useState<ReadonlySet<string>>(new Set());
  const [active, setActive] = useState<number>();
  const lines = graphLines(of.nodes, { from: graph.from, toggled });
  const edges = lineEdges(lines, of.edges);
  const toggle = (key: string) => setToggled((before) => before.symmetricDifference(new Set([key])));
  return (
    <section class="graph-channel" aria-label={`Channel ${of.name}`}>
      <h2 class="channel-name" title={of.name}>
        <span class="cut">{of.name}</span> {isDefault && <span class="chip still">default</span>}
        {of.clusters > 0 && <span class="pale small">{counted(of.clusters, 'cluster')}</span>}
      </h2>
      <div class="graph-body">
        <Strip lines={lines} edges={edges} active={active} from={graph.from} />
        <ol class="graph-lines" onMouseLeave={() => setActive(undefined)}>
          {lines.map((line, place) => (
            <li
              key={line.key}
              class={`graph-line ${line.kind} ${inkOf(line, place, edges, graph.from)}`}
              onMouseEnter={() => setActive(place)}
              onFocusIn={() => setActive(place)}
              onFocusOut={() => setActive(undefined)}
            >
              <LineOf line={line} channel={of.name} graph={graph} toggle={() => toggle(line.key)} />
            </li>
          ))}
        </ol>
      </div>
    </section>
  );
}

type StripProps = Readonly<{
  lines: readonly Line[];
  edges: readonly LineEdge[];
  active: number | undefined;
  from: string;
}>;

/** The edges of a channel, and a dot for each line. The page has the same in words. */
function Strip({ lines, edges, active, from }: StripProps) {
  const height = lines.length * LINE;
  return (
    <svg class="strip" width={STRIP} height={height} viewBox={`0 0 ${STRIP} ${height}`} aria-hidden="true">
      {strokesOf(lines, edges, active).map(({ edge, d, head }) => (
        <g
          key={`${edge.from} ${edge.to}`}
          class={`line ${edge.type} ${edge.onWay ? 'on-way' : ''} ${edge.isAlwaysShown ? '' : 'on-demand'}`}
        >
          <path d={d} />
          <path class="head" d={head} />
        </g>
      ))}
      {lines.map((line, place) =>
        line.kind === 'minor' && line.isOpen ? null : (
          <circle
            key={line.key}
            class={`dot-of ${inkOf(line, place, edges, from)}`}
            cx={DOT}
            cy={place * LINE + LINE / 2}
            r={line.kind === 'absent' ? 2.5 : 4.5}
          />
        ),
      )}
    </svg>
  );
}

type LineProps = Readonly<{ line: Line; channel: string; graph: GraphOf; toggle: () => void }>;

function LineOf({ line, channel, graph, toggle }: LineProps) {
  const clusters = <Clusters line={line} most={graph.most} />;
  switch (line.kind) {
    case 'version':
      return (
        <a
          tabIndex={-1}
          data-box={`${channel} ${line.node.bundle}`}
          title={line.node.bundle}
          href={withQuery(paths.catalogPackage(graph.id, graph.name), {
            ...{ view: 'graph', from: line.node.bundle, cluster: graph.cluster },
          })}
        >
          <VersionWords of={line.node} graph={graph} />
          {clusters}
        </a>
      );
    case 'minor':
      return (
        <button
          type="button"
          tabIndex={-1}
          data-box={`${channel} ${line.key}`}
          aria-expanded={line.isOpen}
          onClick={toggle}
        >
          <strong>{line.minor}</strong>
          <span class="pale">{counted(line.nodes.length, 'version')}</span>
          {!line.isOpen && line.nodes.some(({ head }) => head) && <span class="line-mark">newest</span>}
          {!line.isOpen && clusters}
        </button>
      );
    case 'absent':
      return (
        <button
          type="button"
          tabIndex={-1}
          data-box={`${channel} ${line.key}`}
          aria-expanded={line.isOpen}
          onClick={toggle}
        >
          <span class="pale">without a bundle:</span>
          {line.nodes.slice(0, line.isOpen ? line.nodes.length : FEW).map(({ bundle }) => (
            <span key={bundle} class="absent-mark" title={bundle}>
              {shortMark(bundle)}
            </span>
          ))}
          {!line.isOpen && line.nodes.length > FEW && <span class="pale">+{count(line.nodes.length - FEW)}</span>}
        </button>
      );
  }
}

function VersionWords({ of, graph }: { of: GraphNode; graph: GraphOf }) {
  const isHere = of.bundle === graph.from;
  const range = rangeText(of.range, of.version);
  const marks = [
    isHere && (graph.cluster === undefined ? 'path from here' : 'installed here'),
    of.head && 'newest',
    of.deprecated && 'deprecated',
    of.skipped && 'skipped',
    of.version === '' && 'no bundle',
  ].filter((mark) => mark !== false);
  return (
    <>
      <strong class="line-version">{of.version || shortMark(of.bundle)}</strong>
      {marks.map((mark) => (
        <span key={mark} class={`line-mark ${mark === 'deprecated' ? 'ink-needs-approval' : ''}`}>
          {mark}
        </span>
      ))}
      {range !== '' && (
        <span class="range" title={`skipRange ${of.range}`}>
          {range}
        </span>
      )}
    </>
  );
}

/** The clusters of a line as a bar, against the line with the most. */
function Clusters({ line, most }: { line: Line; most: number }) {
  const clusters = installedOn(line);
  if (clusters === 0) return null;
  return (
    <span class="line-clusters" title={counted(clusters, 'cluster')}>
      <span class="line-bar" aria-hidden="true">
        <span style={{ width: `${(clusters / Math.max(1, most)) * 100}%` }} />
      </span>
      {count(clusters)}
      <span class="hidden"> {clusters === 1 ? 'cluster' : 'clusters'}</span>
    </span>
  );
}
