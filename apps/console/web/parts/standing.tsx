import type { ComponentChildren } from 'preact';
import { count } from '../live/times.js';
import { Icon, type IconName } from './icon.js';

const WORDS = {
  failed: 'failed',
  blocked: 'blocked',
  'needs-approval': 'needs approval',
  'under-way': 'under way',
  well: 'well',
  unknown: 'unknown',
} as const;

export type StandingName = keyof typeof WORDS;
export const STANDING_ORDER = ['failed', 'blocked', 'needs-approval', 'under-way', 'well'] as const;

/** Always an icon, a word and a colour. */
export function Standing({ of, glyphOnly }: { of: StandingName; glyphOnly?: boolean }) {
  return (
    <Labelled of={of}>
      <span class={glyphOnly ? 'hidden' : undefined}>{WORDS[of]}</span>
    </Labelled>
  );
}

/** Other words in the colour of a standing, with its icon or another one. */
export const Labelled = (props: { of: StandingName; icon?: IconName; children: ComponentChildren }) => (
  <span class={`standing ${props.of}`}>
    <Icon of={props.icon ?? props.of} />
    {props.children}
  </span>
);

/** Words of a line in the colour of a standing, with its icon. */
export const Inked = (props: { of: StandingName; icon?: IconName; children: ComponentChildren }) => (
  <span class={`inked ink-${props.of}`}>
    <Icon of={props.icon ?? props.of} />
    {props.children}
  </span>
);

/** Marks deprecated content. */
export const Deprecated = ({ children = 'deprecated' }: { children?: ComponentChildren }) => (
  <span class="mark-deprecated">
    <Icon of="warning" /> {children}
  </span>
);

/** Counts by standing in one line, zeros left out. */
export function Counts({ of }: { of: Readonly<Record<(typeof STANDING_ORDER)[number], number>> }) {
  const some = STANDING_ORDER.filter((standing) => of[standing] > 0);
  if (some.length === 0) return <span class="pale">–</span>;
  return (
    <span class="counts">
      {some.map((standing) => (
        <span key={standing} class={`ink-${standing}`}>
          {/* A screen reader has the word from the text: it does not read this one. */}
          <span aria-hidden="true" title={`${count(of[standing])} ${WORDS[standing]}`}>
            <Icon of={standing} />
          </span>
          {count(of[standing])}
          <span class="hidden"> {WORDS[standing]} </span>
        </span>
      ))}
    </span>
  );
}

const REACHES = {
  fresh: ['reached', 'reached', 'unknown'],
  stale: ['stale', 'stale', 'blocked'],
  away: ['away', 'away', 'failed'],
  'left-to-olm': ['left-to-olm', 'left to OLM', 'unknown'],
  refused: ['refused', 'refused', 'blocked'],
} as const;

export type ReachName = keyof typeof REACHES;
export const reachWord = (reach: ReachName): string => REACHES[reach][1];

export function Reached({ of }: { of: ReachName }) {
  const [icon, word, colour] = REACHES[of];
  return (
    <span class={`reach ink-${colour}`}>
      <Icon of={icon} /> {word}
    </span>
  );
}
