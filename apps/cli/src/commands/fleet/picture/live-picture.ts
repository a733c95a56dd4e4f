import type { FleetEvent } from '#core/rollout/controller/record/event-log';
import { clock, shortEventLine } from './event-text.js';

/** Durations of a wave in seconds, as its clock shows them. */
export type WaveTimes = Readonly<{ soak: number; progressDeadline: number }>;
type TimesOf = (rollout: string, wave: string) => WaveTimes | undefined;

const MOST_CELLS = 60;
const MOST_EVENTS = 5;
const LEAST_COLUMNS = 20;
/** The cell of a cluster in each phase, in the order of a bar. */
const CELLS = {
  Done: '■',
  Verifying: '◆',
  Applying: '▶',
  Failed: '✗',
  RollingBack: '↺',
  RolledBack: '○',
  Skipped: '–',
  Waiting: '·',
} as const;
type CellPhase = keyof typeof CELLS;
const IN_ORDER = Object.keys(CELLS) as CellPhase[];
const WORDS: Readonly<Record<CellPhase, string>> = {
  ...{ Done: 'done', Verifying: 'verifying', Applying: 'applying', Failed: 'failed', RollingBack: 'going back' },
  ...{ RolledBack: 'rolled back', Skipped: 'skipped', Waiting: 'waiting' },
};

type PicturedWave = {
  phase: string;
  reason: string;
  lastSuccessAt: number | undefined;
  openedAt: number | undefined;
};
type PicturedRow = Readonly<{ wave: string; phase: string; reason: string; startedAt: number }>;
type PicturedRollout = {
  phase: string;
  reason: string;
  bundle: string;
  endedAt: number | undefined;
  readonly waves: Map<string, PicturedWave>;
  readonly rows: Map<string, PicturedRow>;
};

/** The parts of a picture: the waves (of all rollouts or of some), and the last events. */
type Detail = Readonly<{ waves: 'all' | 'not ended' | 'at work' | 'none'; events: boolean }>;
/** Details from the whole picture to the smallest one. The first that fits is drawn. */
const DETAILS: readonly Detail[] = [
  { waves: 'all', events: true },
  { waves: 'not ended', events: true },
  { waves: 'at work', events: true },
  { waves: 'at work', events: false },
  { waves: 'none', events: false },
];

const ENDED = new Set(['Completed', 'RolledBack', 'Aborted', 'Superseded']);

/** A picture of rollouts on their way, drawn from their events alone. */
export class LivePicture {
  readonly #rollouts = new Map<string, PicturedRollout>();
  readonly #last: FleetEvent[] = [];

  constructor(readonly timesOf: TimesOf = () => undefined) {}

  /** Takes in the next event; one that is no news is not among the last events that are shown. */
  watch(event: FleetEvent, isNews = true): void {
    if (event.kind === 'rollout') this.#rollout(event);
    else if (event.kind === 'wave') this.#wave(event);
    else if (event.kind === 'cluster') this.#cluster(event);
    const isReason = event.kind === 'cluster' && event.phase === 'Waiting';
    if (isReason || event.kind === 'write' || !isNews) return;
    this.#last.push(event);
    if (this.#last.length > MOST_EVENTS) this.#last.shift();
  }

  #of({ rollout }: FleetEvent): PicturedRollout {
    const name = rollout ?? '';
    const known = this.#rollouts.get(name);
    if (known !== undefined) return known;
    const made = { phase: '', reason: '', bundle: '', endedAt: undefined, waves: new Map(), rows: new Map() };
    this.#rollouts.set(name, made);
    return made;
  }

  #rollout(event: FleetEvent): void {
    const { phase, reason, t } = event;
    Object.assign(this.#of(event), { phase, reason, endedAt: ENDED.has(phase) ? t : undefined });
  }

  #wave(event: FleetEvent): void {
    const { waves } = this.#of(event);
    const name = event.wave ?? '';
    const wave = waves.get(name) ?? { phase: '', reason: '', lastSuccessAt: undefined, openedAt: undefined };
    if (event.phase === 'Open') wave.openedAt ??= event.t;
    waves.set(name, Object.assign(wave, { phase: event.phase, reason: event.reason }));
  }

  #cluster(event: FleetEvent): void {
    const rollout = this.#of(event);
    const [cluster, name] = [event.cluster ?? '', event.wave ?? ''];
    if (event.phase === 'Removed') {
      rollout.rows.delete(cluster);
      return;
    }
    const isStart = event.phase === 'Applying' && event.from !== 'Applying';
    const startedAt = isStart ? event.t : (rollout.rows.get(cluster)?.startedAt ?? event.t);
    rollout.rows.set(cluster, { wave: name, phase: event.phase, reason: event.reason, startedAt });
    if (event.phase !== 'RollingBack' && event.phase !== 'RolledBack') rollout.bundle = event.bundle ?? rollout.bundle;
    const wave = rollout.waves.get(name);
    if (wave !== undefined && event.phase === 'Done' && event.reason === 'Healthy') wave.lastSuccessAt = event.t;
  }

  /**
   * Returns the lines of the picture at a time, in seconds since the start. No line is wider than the
   * terminal, and there are fewer lines than it has. If it is too low, the least important parts are left
   * out.
   */
  lines(now: number, columns: number, rows = Number.POSITIVE_INFINITY): string[] {
    const shorter = DETAILS.map((detail) => this.#drawn(now, columns, detail));
    const lines = shorter.find(({ length }) => length < rows) ?? shorter.at(-1) ?? [];
    const hidden = lines.length < rows ? 0 : lines.length - Math.max(1, rows - 2);
    const shown = hidden === 0 ? lines : [...lines.slice(0, -hidden), `and ${hidden} more`];
    const width = Math.max(LEAST_COLUMNS, columns) - 1;
    return shown.map((line) => (line.length > width ? `${line.slice(0, width - 1)}…` : line));
  }

  #drawn(now: number, columns: number, { waves, events }: Detail): string[] {
    const lines = [`${clock(now).trim()} since the start`];
    for (const [name, rollout] of this.#rollouts) {
      if (events) lines.push('');
      lines.push(`${name}  ${rollout.bundle}  ${rollout.phase} (${rollout.reason})`);
      const isShort = waves === 'none' || (waves !== 'all' && ENDED.has(rollout.phase));
      if (!isShort) lines.push(...this.#wavesOf(name, rollout, waves === 'at work', now, columns));
    }
    if (!events) return lines;
    const isOnly = this.#rollouts.size < 2;
    lines.push(...legend([...this.#rollouts.values()]));
    if (this.#last.length > 0) lines.push('', ...this.#last.map((event) => shortEventLine(event, isOnly)));
    return lines;
  }

  #wavesOf(name: string, rollout: PicturedRollout, atWorkAlone: boolean, now: number, columns: number): string[] {
    const width = Math.max(0, ...[...rollout.waves.keys()].map((wave) => wave.length));
    const cells = Math.min(MOST_CELLS, Math.max(LEAST_COLUMNS, columns - width - 34), largestOf(rollout));
    return [...rollout.waves]
      .filter(([, { phase }]) => !atWorkAlone || (phase !== 'Pending' && phase !== 'Complete'))
      .flatMap(([wave]) => this.#waveLines(name, wave, width, cells, now));
  }

  #waveLines(rollout: string, name: string, width: number, cells: number, now: number): string[] {
    const pictured = this.#rollouts.get(rollout);
    const wave = pictured?.waves.get(name);
    if (pictured === undefined || wave === undefined) return [];
    const rows = [...pictured.rows.values()].filter((row) => row.wave === name);
    const counts = new Map<string, number>();
    for (const { phase } of rows) counts.set(phase, (counts.get(phase) ?? 0) + 1);
    const done = `${counts.get('Done') ?? 0}/${rows.length}`;
    const line = `  ${name.padEnd(width)}  ${bar(counts, rows.length, cells).padEnd(cells)}  ${done}  ${wave.phase}`;
    const notes = [this.#clockOf(rollout, name, wave, rows, now), commonest(rows)].filter((note) => note !== '');
    return notes.length === 0 ? [line] : [line, `  ${' '.repeat(width)}  ${notes.join(' · ')}`];
  }

  /** Returns the time that a wave waits for: its soak, or the earliest deadline of a cluster in flight. */
  #clockOf(rollout: string, name: string, wave: PicturedWave, rows: readonly PicturedRow[], now: number): string {
    const times = this.timesOf(rollout, name);
    if (times === undefined) return '';
    if (wave.phase === 'Soaking') {
      const until = (wave.lastSuccessAt ?? wave.openedAt ?? now) + times.soak;
      return until > now ? `soaks for another ${clock(until - now).trim()}` : 'soaked';
    }
    const started = rows.filter(({ phase }) => phase === 'Applying' || phase === 'Verifying');
    if (started.length === 0) return '';
    const first = Math.min(...started.map(({ startedAt }) => startedAt)) + times.progressDeadline;
    return `next deadline in ${clock(Math.max(0, first - now)).trim()}`;
  }
}

/** Returns the meanings of the cells in the picture. */
function legend(rollouts: readonly PicturedRollout[]): string[] {
  const there = new Set(rollouts.flatMap(({ rows }) => [...rows.values()].map(({ phase }) => phase)));
  const words = IN_ORDER.filter((phase) => there.has(phase)).map((phase) => `${CELLS[phase]} ${WORDS[phase]}`);
  return words.length === 0 ? [] : ['', `  ${words.join('  ')}`];
}

/** The members of its largest wave: bars of equal length have their counts below each other. */
function largestOf({ waves, rows }: PicturedRollout): number {
  const sizes = new Map<string, number>([...waves.keys()].map((name) => [name, 0]));
  for (const { wave } of rows.values()) sizes.set(wave, (sizes.get(wave) ?? 0) + 1);
  return Math.max(1, ...sizes.values());
}

/**
 * Returns one cell a cluster. If there is less room, the cells are in proportion, with at least one for each
 * phase that clusters have.
 */
function bar(counts: ReadonlyMap<string, number>, members: number, room: number): string {
  if (members <= room) return IN_ORDER.map((phase) => CELLS[phase].repeat(counts.get(phase) ?? 0)).join('');
  const shares = IN_ORDER.map((phase) => {
    const count = counts.get(phase) ?? 0;
    return { phase, cells: count === 0 ? 0 : Math.max(1, Math.round((count * room) / members)) };
  });
  for (let extra = shares.reduce((sum, { cells }) => sum + cells, 0) - room; extra !== 0; extra -= Math.sign(extra)) {
    const largest = shares.reduce((one, other) => (other.cells > one.cells ? other : one));
    largest.cells -= Math.sign(extra);
  }
  return shares.map(({ phase, cells }) => CELLS[phase].repeat(cells)).join('');
}

/** Returns the commonest reason of the clusters that wait or are kept. */
function commonest(rows: readonly PicturedRow[]): string {
  const counts = new Map<string, number>();
  for (const { phase, reason } of rows) {
    if (phase === 'Waiting' || phase === 'Failed' || phase === 'Skipped') {
      counts.set(`${phase} (${reason})`, (counts.get(`${phase} (${reason})`) ?? 0) + 1);
    }
  }
  const [first] = [...counts].sort(([, a], [, b]) => b - a);
  return first === undefined ? '' : `${first[1]} ${first[0]}`;
}
