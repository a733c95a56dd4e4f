/** An advice as a page shows it: what to do, and a command to be copied; empty where there is none. */
export type AdviceParts = Readonly<{ text: string; command: string }>;

const COMMAND = /(?:^|: )((?:flotilla|kubectl|oc) .*)$/s;

/** Takes the command off the end of an advice ({@link Advice}: prose, or prose, a colon and one command). */
export function adviceParts(advice: string): AdviceParts {
  const found = COMMAND.exec(advice);
  if (found === null) return { text: advice, command: '' };
  const before = advice.slice(0, found.index);
  return { text: before === '' ? '' : `${before}.`, command: found[1] ?? '' };
}
