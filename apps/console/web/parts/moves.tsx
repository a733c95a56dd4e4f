import type { PlanMove } from '#core/view/rows/rows';

const short = (bundle: string, name: string): string =>
  bundle.startsWith(`${name}.`) ? bundle.slice(name.length + 1).replace(/^v(?=\d)/, '') : bundle;

/** `harbor 1.2.0 → 1.3.0`, and how many more move with it. */
export function Moves({ of, all }: { of: readonly PlanMove[]; all?: boolean }) {
  const shown = all ? of : of.slice(0, 1);
  return (
    <span class="moves">
      {shown.map((move) => (
        <span key={move.package} class="move">
          <strong>{move.package}</strong>{' '}
          {move.from === '' ? <span class="pale">new</span> : short(move.from, move.package)}
          <span class="pale"> → </span>
          {short(move.to, move.package)}
        </span>
      ))}
      {of.length > shown.length && <span class="pale">and {of.length - shown.length} more</span>}
    </span>
  );
}

/** The first move of a plan in one line: its package may be cut, its versions are not. */
export function MoveLine({ of }: { of: readonly PlanMove[] }) {
  const [first] = of;
  if (first === undefined) return null;
  return (
    <span class="moves" style={{ flexWrap: 'nowrap' }}>
      <strong class="cut">{first.package}</strong>{' '}
      <span style={{ flex: 'none', maxWidth: '70%' }} class="cut">
        {first.from === '' ? 'new' : short(first.from, first.package)} → {short(first.to, first.package)}
        {of.length > 1 && ` and ${of.length - 1} more`}
      </span>
    </span>
  );
}

export const moveText = (of: readonly PlanMove[]): string => {
  const first = of[0];
  if (first === undefined) return 'nothing';
  const from = first.from === '' ? 'new' : short(first.from, first.package);
  const more = of.length > 1 ? ` and ${of.length - 1} more` : '';
  return `${first.package} ${from} → ${short(first.to, first.package)}${more}`;
};
