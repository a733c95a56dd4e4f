/** Streams that are coloured. */
export type ColouredStreams = Readonly<{ out: boolean; err: boolean }>;

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Returns the streams that are coloured if the command line leaves it open: terminals, unless NO_COLOR is set
 * or the terminal is dumb. FORCE_COLOR goes before both, as in Node.js.
 */
export function usualColours(environment: Environment, terminals: ColouredStreams): ColouredStreams {
  const { FORCE_COLOR: forced, NO_COLOR: none, TERM: terminal } = environment;
  if (forced !== undefined) return forced === '0' || forced === 'false' ? NONE : ALL;
  if ((none !== undefined && none !== '') || terminal === 'dumb') return NONE;
  return terminals;
}

const ALL: ColouredStreams = { out: true, err: true };
const NONE: ColouredStreams = { out: false, err: false };
