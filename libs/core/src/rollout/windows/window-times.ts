import { Cron } from 'croner';
import type { FleetWindow } from '../../kernel/api/fleet/fleet-window.js';
import { counted } from '../../kernel/text/counted.js';
import { durationMs } from '../placement/waves.js';
import { instantOf, isTimeZone, localTimes } from './zoned-minutes.js';

/** A time during which a window is active: from its start to before its end. */
type ActiveSpan = Readonly<{ start: number; end: number }>;
/**
 * Returns a window's span that holds an instant, or the next one after it. Returns undefined if there is none
 * any more.
 */
export type SpanAt = (now: number) => ActiveSpan | undefined;

const DAY = 86_400_000;
const MINUTE = 60_000;
/** Most starts that are merged into one span at once. A longer span is continued when its end is reached. */
const MOST_MERGED = 1_000;

/** Returns the reason why a window's times cannot be read, or undefined. */
export function scheduleProblem({ spec }: FleetWindow): string | undefined {
  if (spec.period !== undefined && Date.parse(spec.period.to) <= Date.parse(spec.period.from)) {
    return 'spec.period.to: must be after from';
  }
  if (spec.schedule === undefined) return undefined;
  if (!isTimeZone(spec.schedule.timeZone)) {
    return `spec.schedule.timeZone: there is no time zone "${spec.schedule.timeZone}"; use a name such as Europe/Berlin`;
  }
  const why = cronProblem(spec.schedule.cron);
  return why === undefined ? undefined : `spec.schedule.cron: "${spec.schedule.cron}": ${why}`;
}

const FIVE_FIELDS = 'five fields are expected, such as "0 22 * * 1-5"';

function cronProblem(pattern: string): string | undefined {
  const fields = pattern.trim().split(/\s+/).length;
  if (fields !== 5) return `it has ${counted(fields, 'field')}; ${FIVE_FIELDS}`;
  try {
    // Whatever day there is comes within eight years, also 29 February.
    return cronOf(pattern).nextRun(new Date(0)) === null ? 'there is no such day in any year' : undefined;
  } catch (error) {
    // The parser's text begins with the name of its class, and counts days and months from 0.
    const why = (error instanceof Error ? error.message : String(error))
      .replace(/^Cron\w*: /, '')
      .replace(/(?<=for (?:day|month): )-?\d+/, (value) => `${Number(value) + 1}`);
    return `${why}; ${FIVE_FIELDS}`;
  }
}

/** Lists local minutes as if in UTC: clock changes are handled by {@link instantOf} alone. */
const cronOf = (pattern: string): Cron => new Cron(pattern, { mode: '5-part', timezone: 'UTC', paused: true });

/** Returns the spans of a window. Starts within a span lengthen it. */
export function spansOf({ spec }: FleetWindow): SpanAt {
  if (spec.period !== undefined) {
    const span = { start: Date.parse(spec.period.from), end: Date.parse(spec.period.to) };
    return (now) => (now < span.end ? span : undefined);
  }
  if (spec.schedule === undefined) return () => ({ start: Number.NEGATIVE_INFINITY, end: Number.POSITIVE_INFINITY });
  const { cron, duration, timeZone } = spec.schedule;
  return remembered(scheduled(cronOf(cron), durationMs(duration), localTimes(timeZone)));
}

function scheduled(cron: Cron, duration: number, toLocal: (instant: number) => number): SpanAt {
  /** The first start at or after an instant. */
  const startFrom = (instant: number): number | undefined => {
    // Minutes that a clock change has left out begin after it: they are looked up, too.
    const offset = toLocal(instant) - instant;
    const before = toLocal(instant - DAY) - (instant - DAY);
    let local = instant + Math.min(offset, before) - MINUTE;
    for (let tries = 0; tries < MOST_MERGED; tries++) {
      const next = cron.nextRun(new Date(local))?.getTime();
      if (next === undefined) return undefined;
      const start = instantOf(next, toLocal);
      if (start >= instant) return start;
      local = next;
    }
    return undefined;
  };
  return (now) => {
    const start = startFrom(now - duration + 1);
    if (start === undefined) return undefined;
    let end = start + duration;
    for (let merged = 0; merged < MOST_MERGED; merged++) {
      const next = startFrom(end - duration + 1);
      if (next === undefined || next > end) break;
      end = next + duration;
    }
    return { start, end };
  };
}

/** Keeps the last answer until its span ends. */
function remembered(spanAt: SpanAt): SpanAt {
  let kept: Readonly<{ from: number; span: ActiveSpan | undefined }> | undefined;
  return (now) => {
    const isKept = kept !== undefined && now >= kept.from && (kept.span === undefined || now < kept.span.end);
    if (!isKept) kept = { from: now, span: spanAt(now) };
    return kept?.span;
  };
}
