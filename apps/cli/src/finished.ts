type ProcessEvents = Readonly<{
  once: (event: 'beforeExit', listener: () => void) => unknown;
  off: (event: 'beforeExit', listener: () => void) => unknown;
}>;

/**
 * Waits for a command. Calls `unfinished` if the process has nothing left to do while the command is not
 * done: what it waits for can never come. Node alone would end with code 13, which no page has.
 */
export async function finished(command: Promise<void>, process: ProcessEvents, unfinished: () => void): Promise<void> {
  process.once('beforeExit', unfinished);
  await command;
  process.off('beforeExit', unfinished);
}
