/** Facts of a log line that a line for people says in another place, or not at all. */
const ELSEWHERE: ReadonlySet<string> = new Set([
  ...['time', 'level', 'service', 'msg', 'cluster', 'namespace', 'name', 'error', 'err', 'context'],
]);
/** Time before the same line is printed again. */
const REPEATED_AFTER_MS = 60_000;
/** The most lines that are remembered. The oldest are forgotten first. */
const MOST_REMEMBERED = 1_000;

/**
 * A destination of the log for a person at a terminal: `warning: east/team harbor: message: reason`, one line
 * each. The same line is written once a minute.
 */
export class PlainLog {
  readonly #writtenAt = new Map<string, number>();

  constructor(
    private readonly err: (text: string) => void,
    private readonly now: () => number = Date.now,
  ) {}

  write(jsonLine: string): void {
    const line = plainLine(jsonLine);
    const before = this.#writtenAt.get(line);
    const now = this.now();
    if (before !== undefined && now - before < REPEATED_AFTER_MS) return;
    this.#writtenAt.delete(line);
    this.#writtenAt.set(line, now);
    const [oldest] = this.#writtenAt.keys();
    if (this.#writtenAt.size > MOST_REMEMBERED && oldest !== undefined) this.#writtenAt.delete(oldest);
    this.err(`${line}\n`);
  }
}

/**
 * Returns a line of the log for people: severity, object, event, reason, and the other facts. A line that is
 * no JSON stays unchanged.
 */
export function plainLine(jsonLine: string): string {
  const facts = factsOf(jsonLine);
  if (facts === undefined) return oneLine(jsonLine);
  const { level, msg, cluster, namespace, name, error, err } = facts;
  const place = [cluster, namespace].filter(isText).join('/');
  const subject = [place, name].filter((one) => isText(one) && one !== '').join(' ');
  const parts = [LEVELS[String(level)] ?? String(level), subject, msg, reasonOf(error ?? err)];
  const text = parts.filter((one) => isText(one) && one !== '').join(': ');
  return oneLine(`${text}${otherFacts(facts)}`);
}

/** Returns a line for people with the time of day and the service before it. */
export function timedLine(jsonLine: string): string {
  const { time, service } = factsOf(jsonLine) ?? {};
  const [, clock = ''] = /T(\d\d:\d\d:\d\d)/.exec(isText(time) ? time : '') ?? [];
  return [clock, isText(service) ? service : '', plainLine(jsonLine)].filter((one) => one !== '').join(' ');
}

const LEVELS: Readonly<Record<string, string>> = { warn: 'warning', fatal: 'error' };

type Facts = Readonly<Record<string, unknown>>;

function factsOf(jsonLine: string): Facts | undefined {
  try {
    const value: unknown = JSON.parse(jsonLine);
    return typeof value === 'object' && value !== null ? (value as Facts) : undefined;
  } catch {
    return undefined;
  }
}

const isText = (value: unknown): value is string => typeof value === 'string';

function reasonOf(error: unknown): string | undefined {
  if (isText(error)) return error;
  if (typeof error !== 'object' || error === null || !('message' in error)) return undefined;
  return isText(error.message) ? error.message : undefined;
}

function otherFacts(facts: Facts): string {
  const others = Object.entries(facts).filter(([key, value]) => !ELSEWHERE.has(key) && typeof value !== 'object');
  return others.length === 0 ? '' : ` (${others.map(([key, value]) => `${key} ${String(value)}`).join(', ')})`;
}

const oneLine = (text: string): string => text.replaceAll(/[\p{Cc}\s]+/gu, ' ').trim();
