import type { GraphAnswer } from '../../../src/api/catalogs.schema.js';
import { withQuery } from '../../live/address.js';
import { useLoaded } from '../../live/loaded.js';
import { useQuery } from '../../live/query.js';
import { count, counted } from '../../live/times.js';
import { Section } from '../../parts/page.js';
import { Answered, Empty } from '../../parts/states.js';
import { type GraphBox, type GraphColumn, layOutGraph, NODE_HEIGHT, NODE_WIDTH } from './graph-layout.js';

type GraphNode = GraphBox['node'];

/** The upgrade graph as a picture, with the same in words below it. */
export function Graph({ id, name }: { id: string; name: string }) {
  const [query] = useQuery();
  const { from, cluster } = query;
  const path = `catalogs/${encodeURIComponent(id)}/packages/${encodeURIComponent(name)}/graph`;
  const graph = useLoaded<GraphAnswer>(withQuery(path, { from, cluster }));
  return (
    <Answered of={graph} lines={10}>
      {(data) =>
        data.channels.length === 0 ? (
          <Empty title="This package has no channel." />
        ) : (
          <>
            <Way of={data} from={from} />
            <Legend />
            <Picture of={data} name={name} />
            {data.older > 0 && <p class="pale">{counted(data.older, 'older entry', 'older entries')} not drawn.</p>}
            <InWords of={data} />
          </>
        )
      }
    </Answered>
  );
}

function Way({ of, from }: { of: GraphAnswer; from: string | undefined }) {
  if (!from) return null;
  return (
    <p class="lead">
      {of.way.length < 2 ? (
        <>OLM has no way further from {from} in this catalog.</>
      ) : (
        <>
          OLM&rsquo;s way from here: <strong>{of.way.join(' → ')}</strong>
        </>
      )}
    </p>
  );
}

function Legend() {
  return (
    <ul class="legend" aria-label="Meaning of boxes and lines">
      <li>
        <span class="swatch installed" aria-hidden="true" /> installed
      </li>
      <li>
        <span class="swatch reachable" aria-hidden="true" /> reachable
      </li>
      <li>
        <span class="swatch deprecated" aria-hidden="true" /> deprecated
      </li>
      <li>
        <span class="swatch skipped" aria-hidden="true" /> skipped
      </li>
      <li>
        <span class="stroke replaces" aria-hidden="true" /> replaces
      </li>
      <li>
        <span class="stroke skips" aria-hidden="true" /> skips
      </li>
      <li>
        <span class="stroke skipRange" aria-hidden="true" /> skipRange
      </li>
      <li>
        <span class="stroke on-way" aria-hidden="true" /> the way OLM takes
      </li>
    </ul>
  );
}

const marksOf = (node: GraphNode): string[] => [
  ...(node.installed > 0 ? [node.installed === 1 ? 'installed' : `in ${count(node.installed)}`] : []),
  ...(node.head ? ['newest'] : []),
  ...(node.reachable ? ['reachable'] : []),
  ...(node.deprecated ? ['deprecated'] : []),
  ...(node.skipped ? ['skipped'] : []),
  // Edges lead on from a name that is no entry: only that has no version.
  ...(node.version === '' ? ['absent'] : []),
];

const classOf = (node: GraphNode): string =>
  [
    'node',
    node.deprecated && node.installed === 0 && 'deprecated',
    node.skipped && 'skipped',
    node.reachable && node.installed === 0 && 'reachable',
    node.installed > 0 && 'installed',
  ]
    .filter(Boolean)
    .join(' ');

const labelOf = (node: GraphNode): string => {
  const label = node.version || node.bundle;
  return label.length > 16 ? `${label.slice(0, 15)}…` : label;
};

function Picture({ of, name }: { of: GraphAnswer; name: string }) {
  const { columns, width, height } = layOutGraph(of);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached with the keyboard
    <div class="picture" tabIndex={0} role="region" aria-label={`Upgrade graph of ${name}`} onKeyDown={followEdges(of)}>
      <svg
        width={width}
        height={height}
        viewBox={`0 0 ${width} ${height}`}
        role="group"
        aria-label="Entries by channel"
      >
        {columns.map((column) => (
          <Column key={column.name} of={column} />
        ))}
      </svg>
    </div>
  );
}

function Column({ of }: { of: GraphColumn }) {
  return (
    <g>
      <text class="channel-name" x={of.x} y={18}>
        {of.name.length > 26 ? `${of.name.slice(0, 25)}…` : of.name}
      </text>
      {of.lines.map(({ edge, d, headX, headY, up }) => (
        <g
          key={`${edge.from} ${edge.to} ${edge.type} ${edge.onWay}`}
          class={`line ${edge.type} ${edge.onWay ? 'on-way' : ''}`}
        >
          <path d={d} />
          <path
            class="head"
            d={
              up
                ? `M${headX - 4} ${headY + 7}L${headX} ${headY}L${headX + 4} ${headY + 7}z`
                : `M${headX + 7} ${headY - 4}L${headX} ${headY}L${headX + 7} ${headY + 4}z`
            }
          />
        </g>
      ))}
      {of.boxes.map(({ node, x, y }) => (
        // biome-ignore lint/a11y/noInteractiveElementToNoninteractiveRole: arrows move the focus from box to box
        <g
          key={node.bundle}
          class={classOf(node)}
          // Names of attributes of SVG are told apart by case.
          tabindex={-1}
          role="img"
          aria-label={`${node.bundle}: ${marksOf(node).join(', ') || 'no mark'}`}
          data-box={`${of.name} ${node.bundle}`}
        >
          <title>{node.bundle}</title>
          <rect x={x} y={y} width={NODE_WIDTH} height={NODE_HEIGHT} rx={4} />
          <text x={x + 10} y={y + 18}>
            {labelOf(node)}
          </text>
          <text x={x + NODE_WIDTH - 8} y={y + 18} text-anchor="end" class="node-marks">
            {marksOf(node).slice(0, 2).join(' · ')}
          </text>
        </g>
      ))}
    </g>
  );
}

/**
 * Moves along the edges with arrows: up to an entry's successors, down to its predecessors, to the side to a
 * channel.
 */
function followEdges({ channels }: GraphAnswer) {
  return (event: KeyboardEvent) => {
    const boxes = [...document.querySelectorAll<SVGGElement>('[data-box]')];
    const current = document.activeElement as SVGGElement | null;
    const at = current?.dataset['box'] ?? '';
    const channel = channels.find(({ name }) => at.startsWith(`${name} `));
    const bundle = channel === undefined ? '' : at.slice(channel.name.length + 1);
    const next = () => {
      if (channel === undefined) return boxes[0];
      const side = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
      if (side !== undefined) {
        const other = channels[channels.indexOf(channel) + side];
        return boxes.find((box) => box.dataset['box']?.startsWith(`${other?.name} `));
      }
      const edge = channel.edges.find((one) => (event.key === 'ArrowUp' ? one.from : one.to) === bundle);
      const end = event.key === 'ArrowUp' ? edge?.to : edge?.from;
      return boxes.find((box) => box.dataset['box'] === `${channel.name} ${end}`);
    };
    if (!event.key.startsWith('Arrow')) return;
    event.preventDefault();
    next()?.focus();
  };
}

function InWords({ of }: { of: GraphAnswer }) {
  return (
    <Section title="In words">
      {of.channels.map((channel) => (
        <details key={channel.name}>
          <summary>
            {channel.name} <span class="pale">{counted(channel.nodes.length, 'entry', 'entries')}</span>
          </summary>
          <ul class="reasons">
            {channel.nodes.map((node) => {
              const edges = channel.edges.filter(({ to }) => to === node.bundle);
              return (
                <li key={node.bundle}>
                  <strong>{node.bundle}</strong> <span class="pale">{marksOf(node).join(', ')}</span>{' '}
                  {edges.map(({ type, from }) => `${type} ${from}`).join('; ')}
                </li>
              );
            })}
          </ul>
        </details>
      ))}
    </Section>
  );
}
