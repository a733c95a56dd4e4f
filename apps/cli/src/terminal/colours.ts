import { styleText } from 'node:util';
import { UsageError } from './io.js';
import type { ColouredStreams } from './usual-colours.js';

/** The choices for coloured words: if a person reads them, always, or never. */
export const COLOUR_CHOICES = ['auto', 'always', 'never'] as const;
type ColourChoice = (typeof COLOUR_CHOICES)[number];

type Colour = 'green' | 'yellow' | 'red';

const OPTION = /^--color(?:=(.*))?$/s;
const OUTPUT_OPTION = /^(?:-o|--output)(?:=?(.*))$/s;
const DATA = /^(?:json|yaml|name|jsonpath|custom-columns)\b/;

/**
 * Returns the value of `--color` of a command line; undefined without it.
 * @throws UsageError for another word
 */
function colourChoice(argv: readonly string[]): ColourChoice | undefined {
  const at = argv.findIndex((word) => OPTION.test(word));
  const end = argv.indexOf('--');
  if (at === -1 || (end !== -1 && end < at)) return undefined;
  const word = OPTION.exec(argv[at] ?? '')?.[1] ?? argv[at + 1] ?? '';
  const choice = COLOUR_CHOICES.find((one) => one === word);
  if (choice === undefined)
    throw new UsageError(`invalid --color value "${word}", expected (${COLOUR_CHOICES.join('|')})`);
  return choice;
}

/** True if a command line asks for a form for programs. Such a form is never coloured. */
export function asksForData(argv: readonly string[]): boolean {
  return argv.some((word, at) => {
    const value = OUTPUT_OPTION.exec(word)?.[1];
    return value !== undefined && DATA.test(value === '' ? (argv[at + 1] ?? '') : value);
  });
}

const ALL: ColouredStreams = { out: true, err: true };
const NONE: ColouredStreams = { out: false, err: false };

/** Returns the streams that a command line colours. */
export function colouredStreams(argv: readonly string[], usual: ColouredStreams): ColouredStreams {
  const choice = colourChoice(argv) ?? 'auto';
  const streams = choice === 'auto' ? usual : choice === 'always' ? ALL : NONE;
  return asksForData(argv) || argv[0] === 'opm' ? { ...streams, out: false } : streams;
}

/** States of objects as cells of a table, headings of a status, and the words that begin a message. */
const WORDS: readonly (readonly [Colour, readonly string[]])[] = [
  [
    'green',
    ['Succeeded', 'READY', 'Ready', 'AtLatestKnown', 'Complete', 'Completed', 'Done', 'UpToDate', 'reachable', 'WELL'],
  ],
  [
    'yellow',
    [
      ...['Pending', 'InstallReady', 'Installing', 'Replacing', 'Deleting', 'UpgradeAvailable', 'UpgradePending'],
      ...[
        'RequiresApproval',
        'CONNECTING',
        'Progressing',
        'Waiting',
        'Applying',
        'Verifying',
        'RollingBack',
        'Skipped',
      ],
      ...['BLOCKED', 'WAITS FOR APPROVAL', 'UNDER WAY'],
    ],
  ],
  ['red', ['Failed', 'FAILED', 'TRANSIENT_FAILURE', 'RolledBack', 'Stalled', 'unreachable', 'NOT READY']],
];
const COLOUR_OF = new Map(WORDS.flatMap(([colour, words]) => words.map((word) => [word, colour] as const)));

/** A cell stands between line ends or at least two blanks. */
const CELL = new RegExp(`(?<=^|  |HUB \\S+ )(?:${[...COLOUR_OF.keys()].join('|')})(?=$|  )`, 'gm');
const BEGINNING = /^(?:error|warning|note|hint)(?=: )|^[✔✖!](?= )/gm;
const BEGINNINGS: Readonly<Record<string, Colour>> = {
  error: 'red',
  '✖': 'red',
  warning: 'yellow',
  '!': 'yellow',
  '✔': 'green',
};

/** Returns a text with important words coloured. Widths of tables stay as they are. */
export function coloured(text: string): string {
  const paint = (colour: Colour | undefined, word: string) =>
    colour === undefined ? word : styleText(colour, word, { validateStream: false });
  return text
    .replace(CELL, (word) => paint(COLOUR_OF.get(word), word))
    .replace(BEGINNING, (word) => paint(BEGINNINGS[word], word));
}
