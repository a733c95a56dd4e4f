import { useRef, useState } from 'preact/hooks';
import { filterValue, filterValues } from '#core/kernel/text/filter-values';
import { mostInstalled } from '#core/view/catalog-pages/graph-lines';
import { byChannelVersion, firstChannels } from '#core/view/catalog-pages/graph-texts';
import type { GraphAnswer } from '../../../src/api/catalogs.schema.js';
import { withQuery } from '../../live/address.js';
import { useLoaded } from '../../live/loaded.js';
import { useQuery } from '../../live/query.js';
import { count, counted } from '../../live/times.js';
import { Section } from '../../parts/page.js';
import { Answered, Empty } from '../../parts/states.js';
import { Channel, type GraphOf, marksOf } from './graph-channel.js';
import { LINE } from './graph-layout.js';

type Shown = Readonly<{ id: string; name: string }>;

/** The upgrade graph as a picture, with the same in words below it. */
export function Graph({ id, name }: Shown) {
  const [query] = useQuery();
  const { from, cluster } = query;
  const path = `catalogs/${encodeURIComponent(id)}/packages/${encodeURIComponent(name)}/graph`;
  const graph = useLoaded<GraphAnswer>(withQuery(path, { from, cluster }));
  // While another path is read the earlier one stays, and the focus with it.
  const last = useRef<GraphAnswer | undefined>(undefined);
  const data = graph.data && { ...graph.data, channels: graph.data.channels.toSorted(inOrder) };
  last.current = data ?? last.current;
  return (
    <Answered of={{ ...graph, data: last.current }} lines={10}>
      {(shown) =>
        shown.channels.length === 0 ? (
          <Empty title="This package has no channel." />
        ) : (
          <>
            <Way of={shown} from={from} />
            <Picture of={shown} id={id} name={name} />
            {shown.older > 0 && <p class="pale">{counted(shown.older, 'older entry', 'older entries')} not drawn.</p>}
            <InWords of={shown} />
          </>
        )
      }
    </Answered>
  );
}

type Named = Readonly<{ name: string }>;
const inOrder = (a: Named, b: Named): number => byChannelVersion(a.name, b.name);

function Way({ of, from }: { of: GraphAnswer; from: string | undefined }) {
  if (!from) return null;
  return (
    <p class="lead">
      {of.way.length < 2 ? (
        <>OLM has no upgrade path from {from} in this catalog.</>
      ) : (
        <>
          OLM&rsquo;s upgrade path: <strong>{of.way.join(' → ')}</strong>
        </>
      )}
    </p>
  );
}

function Legend() {
  return (
    <ul class="legend" aria-label="Meaning of lines and marks">
      <li>
        <span class="stroke on-way" aria-hidden="true" /> OLM&rsquo;s upgrade path
      </li>
      <li>
        <span class="stroke replaces" aria-hidden="true" /> replaces
      </li>
      <li>
        <span class="swatch reachable" aria-hidden="true" /> reachable
      </li>
      <li>
        <span class="range">from ≥ 1.0.0</span> skipRange
      </li>
      <li>
        <span class="line-bar" aria-hidden="true">
          <span />
        </span>{' '}
        clusters
      </li>
      <li>A line under the pointer or with the focus shows its skips and skipRanges, too.</li>
    </ul>
  );
}

/** Sizes of the picture. */
const ZOOMS = [0.4, 0.5, 0.65, 0.8, 1, 1.25, 1.5, 2] as const;
const WHOLE = 1;

const larger = (zoom: number): number => ZOOMS.find((one) => one > zoom) ?? zoom;
const smaller = (zoom: number): number => ZOOMS.findLast((one) => one < zoom) ?? zoom;
/** The largest size, up to the whole one, at which the picture is no higher than the window. */
const fitting = (height: number): number =>
  ZOOMS.findLast((zoom) => zoom <= WHOLE && height * zoom <= innerHeight * 0.8) ?? ZOOMS[0];

function Picture({ of, id, name }: { of: GraphAnswer } & Shown) {
  const [query, change] = useQuery();
  const [zoom, setZoom] = useState<number>(WHOLE);
  const region = useRef<HTMLDivElement>(null);
  const asked = query['channels'];
  const known = asked === undefined ? [] : filterValues(asked);
  const chosen = of.channels.filter((channel) => known.includes(channel.name)).map((channel) => channel.name);
  const shown = chosen.length > 0 ? chosen : firstChannels(of.channels, { ...of, followed: of.channel });
  const toggle = (channel: string) => {
    const next = shown.includes(channel) ? shown.filter((one) => one !== channel) : [...shown, channel];
    change({ channels: next.map(filterValue).join(',') });
  };
  const fitIn = () => {
    const lines = [...(region.current?.querySelectorAll('.graph-lines') ?? [])].map((list) => list.children.length);
    setZoom(fitting((Math.max(1, ...lines) + 2) * LINE));
  };
  const most = Math.max(1, ...of.channels.map(({ nodes }) => mostInstalled(nodes, of.from)));
  const graph: GraphOf = { ...{ id, name, from: of.from, cluster: query['cluster'], most } };
  return (
    <>
      <div class="graph-bar">
        {of.channels.length > 1 && <ChannelPicker of={of.channels} shown={shown} toggle={toggle} />}
        <Zoom zoom={zoom} setZoom={setZoom} fitIn={fitIn} />
      </div>
      <Legend />
      <div
        class="picture graph"
        ref={region}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: arrows begin here
        tabIndex={0}
        role="region"
        aria-label={`Upgrade graph of ${name}`}
        onKeyDown={keysOf(setZoom, fitIn)}
      >
        <div class="graph-channels" style={{ zoom }}>
          {of.channels
            .filter((channel) => shown.includes(channel.name))
            .map((channel) => (
              <Channel key={channel.name} of={channel} graph={graph} isDefault={channel.name === of.defaultChannel} />
            ))}
        </div>
      </div>
    </>
  );
}

type PickerProps = Readonly<{
  of: GraphAnswer['channels'];
  shown: readonly string[];
  toggle: (channel: string) => void;
}>;

const ChannelPicker = ({ of, shown, toggle }: PickerProps) => (
  <fieldset class="channel-picker">
    <legend>Channels</legend>
    {of.map(({ name, clusters }) => {
      const isShown = shown.includes(name);
      return (
        <button
          key={name}
          type="button"
          class="chip"
          aria-pressed={isShown}
          // One channel is always shown.
          aria-disabled={isShown && shown.length === 1}
          onClick={() => (isShown && shown.length === 1) || toggle(name)}
        >
          {name}
          {clusters > 0 && (
            <>
              {' '}
              · {count(clusters)}
              <span class="hidden"> {clusters === 1 ? 'cluster' : 'clusters'}</span>
            </>
          )}
        </button>
      );
    })}
  </fieldset>
);

type ZoomProps = Readonly<{ zoom: number; setZoom: (to: number) => void; fitIn: () => void }>;

const Zoom = ({ zoom, setZoom, fitIn }: ZoomProps) => (
  <div class="zoom" role="group" aria-label="Size of the picture">
    <button type="button" aria-label="Smaller" title="Smaller (-)" onClick={() => setZoom(smaller(zoom))}>
      −
    </button>
    <span role="status">{Math.round(zoom * 100)} %</span>
    <button type="button" aria-label="Larger" title="Larger (+)" onClick={() => setZoom(larger(zoom))}>
      +
    </button>
    <button type="button" title="As high as the window (0)" onClick={fitIn}>
      Fit
    </button>
  </div>
);

/** Returns the line to go to from the one with the focus. Sideways leads to the top of another channel. */
function lineAt(key: string, region: HTMLElement): HTMLElement | undefined {
  const channels = [...region.querySelectorAll('.graph-channel')];
  const linesOf = (channel: Element | undefined) => [...(channel?.querySelectorAll<HTMLElement>('[data-box]') ?? [])];
  const current = document.activeElement?.closest('.graph-channel');
  const at = channels.findIndex((channel) => channel === current);
  if (at < 0) return linesOf(channels[0])[0];
  const side = { ArrowLeft: -1, ArrowRight: 1 }[key];
  if (side !== undefined) return linesOf(channels[at + side])[0];
  const lines = linesOf(channels[at]);
  const line = lines.indexOf(document.activeElement as HTMLElement);
  if (key === 'Home') return lines[0];
  return key === 'End' ? lines.at(-1) : lines[line + (key === 'ArrowUp' ? -1 : 1)];
}

const MOVES: ReadonlySet<string> = new Set(['ArrowUp', 'ArrowDown', 'ArrowLeft', 'ArrowRight', 'Home', 'End']);

/** Keys of the picture: arrows, Home and End move from line to line; `+`, `-` and `0` change the size. */
const keysOf = (setZoom: (change: (zoom: number) => number) => void, fitIn: () => void) => (event: KeyboardEvent) => {
  if (event.altKey || event.ctrlKey || event.metaKey) return;
  const { key } = event;
  if (MOVES.has(key)) lineAt(key, event.currentTarget as HTMLElement)?.focus();
  else if (key === '+') setZoom(larger);
  else if (key === '-') setZoom(smaller);
  else if (key === '0') fitIn();
  else return;
  event.preventDefault();
};

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
