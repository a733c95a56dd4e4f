const UNIT_MS: Readonly<Record<string, number>> = {
  ns: 1e-6,
  us: 1e-3,
  µs: 1e-3,
  ms: 1,
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
};

/** Milliseconds, or why the text is no duration, in the words of Go's `time.ParseDuration`. */
export type ParsedDuration = Readonly<{ ms: number } | { error: string }>;

/**
 * Reads a Go duration such as `15m`, `1h30m` or `1.5s`: what OLM's flags, annotations and poll intervals are
 * written in. A bare `0` is allowed, a missing unit is not.
 */
export function parseGoDuration(text: string): ParsedDuration {
  const invalid = { error: `time: invalid duration ${JSON.stringify(text)}` };
  const sign = text.startsWith('-') ? -1 : 1;
  const body = text.replace(/^[+-]/, '');
  if (body === '0') return { ms: 0 };
  if (body === '') return invalid;
  const part = /(\d+\.?\d*|\.\d+)(ns|us|µs|ms|s|m|h)?/y;
  let ms = 0;
  while (part.lastIndex < body.length) {
    const found = part.exec(body);
    if (found === null) return invalid;
    const unit = found[2];
    if (unit === undefined) return { error: `time: missing unit in duration ${JSON.stringify(text)}` };
    ms += Number(found[1]) * (UNIT_MS[unit] ?? 0);
  }
  return { ms: sign * ms };
}
