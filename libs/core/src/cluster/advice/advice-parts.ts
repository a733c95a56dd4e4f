/**
 * An advice as a page shows it: the text, and a command to copy. The command is empty if the advice has none.
 */
export type AdviceParts = Readonly<{ text: string; command: string }>;

const COMMAND = /(?:^|: )((?:flotilla|kubectl|oc) .*)$/s;

/** Takes the command off the end of an advice ({@link Advice}: prose, or prose, a colon and one command). */
export function adviceParts(advice: string): AdviceParts {
  const found = COMMAND.exec(advice);
  if (found === null) return { text: advice, command: '' };
  const before = advice.slice(0, found.index);
  return { text: before === '' ? '' : `${before}.`, command: found[1] ?? '' };
}
