import { count } from '../live/times.js';

const STANDINGS = {
  failed: ['✖', 'failed'],
  blocked: ['◼', 'blocked'],
  'needs-approval': ['◔', 'needs approval'],
  'under-way': ['↻', 'under way'],
  well: ['✔', 'well'],
  unknown: ['?', 'unknown'],
} as const;

export type StandingName = keyof typeof STANDINGS;
export const STANDING_ORDER = ['failed', 'blocked', 'needs-approval', 'under-way', 'well'] as const;
const wordOf = (standing: StandingName): string => STANDINGS[standing][1];

/** Always a glyph, a word and a colour. */
export function Standing({ of, glyphOnly }: { of: StandingName; glyphOnly?: boolean }) {
  const [glyph, word] = STANDINGS[of];
  return (
    <span class={`standing ${of}`}>
      <span aria-hidden="true">{glyph}</span>
      {glyphOnly ? <span class="hidden">{word}</span> : <span>{word}</span>}
    </span>
  );
}

/** Counts by standing in one line, zeros left out. */
export function Counts({ of }: { of: Readonly<Record<(typeof STANDING_ORDER)[number], number>> }) {
  const some = STANDING_ORDER.filter((standing) => of[standing] > 0);
  if (some.length === 0) return <span class="pale">–</span>;
  return (
    <span class="counts">
      {some.map((standing) => (
        <span key={standing} class={`ink-${standing}`}>
          {/* A screen reader has the word from the text: it does not read this one. */}
          <span aria-hidden="true" title={`${count(of[standing])} ${wordOf(standing)}`}>
            {STANDINGS[standing][0]}
          </span>
          {count(of[standing])}
          <span class="hidden"> {wordOf(standing)} </span>
        </span>
      ))}
    </span>
  );
}

const REACHES = {
  fresh: ['●', 'reached', 'well'],
  stale: ['◌', 'stale', 'blocked'],
  away: ['○', 'away', 'failed'],
  'left-to-olm': ['◇', 'left to OLM', 'unknown'],
  refused: ['⊘', 'refused', 'blocked'],
} as const;

export type ReachName = keyof typeof REACHES;
export const reachWord = (reach: ReachName): string => REACHES[reach][1];

export function Reached({ of }: { of: ReachName }) {
  const [glyph, word, colour] = REACHES[of];
  return (
    <span class={`reach ink-${colour}`}>
      <span aria-hidden="true">{glyph}</span> {word}
    </span>
  );
}
