import { buildProgram } from '../../apps/cli/src/all-verbs.js';
import { completionScript, SHELLS } from '../../apps/cli/src/commands/help/completion-scripts.js';
import { manPage, manPageName } from '../../apps/cli/src/commands/help/man-page.js';
import { type VerbManual, verbManuals } from '../../apps/cli/src/commands/help/verb-manual.js';
import type { Io } from '../../apps/cli/src/terminal/io.js';
import type { ArchivedFile } from './fixed-archive.js';

/** Input and output of a program that is read and not run. */
const UNUSED: Io = { out: () => undefined, err: () => undefined, exit: () => undefined, stdin: async () => '' };

/** The manual of every verb, as its code has it. */
export const commandManuals = (): readonly VerbManual[] => verbManuals(buildProgram(UNUSED, async () => undefined));

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

/** The man pages of the command, in a folder `man`. */
export const manPages = (version: string): readonly ArchivedFile[] =>
  commandManuals().map((manual) => ({
    path: `man/${manPageName(manual)}.1`,
    content: bytes(manPage(manual, { version })),
  }));

/** Completion files, each under the name that its shell searches for. */
const COMPLETION_FILES = { bash: 'bash/flotilla', zsh: 'zsh/_flotilla', fish: 'fish/flotilla.fish' } as const;

/** The scripts of the shells, in a folder `completions`. */
export const completions = (): readonly ArchivedFile[] =>
  SHELLS.map((shell) => ({
    path: `completions/${COMPLETION_FILES[shell]}`,
    content: bytes(completionScript(shell)),
  }));
