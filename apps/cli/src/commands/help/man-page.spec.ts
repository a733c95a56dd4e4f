import { expect, it } from 'vitest';
import { emptyProgram } from '../../empty-program.js';
import { manPage, manPageName } from './man-page.js';
import { verbManuals } from './verb-manual.js';

const program = emptyProgram({
  out: () => undefined,
  err: () => undefined,
  exit: () => undefined,
  stdin: async () => '',
});
program
  .command('sail')
  .description('bring ships to a port')
  .argument('<port>', 'where to')
  .option('-s, --speed <knots>', "how fast, such as '.5'", '7')
  .addHelpText('after', '\nWind is needed.\n\nExamples:\n  flotilla sail kiel\n  flotilla sail a\\b');
program.command('__wind', { hidden: true });

const [own, sail, ...others] = verbManuals(program);

it('has every verb that users see, with what it says of itself', () => {
  expect(others).toEqual([]);
  expect(own?.verbs).toEqual([{ term: 'sail', description: 'bring ships to a port' }]);
  expect(sail).toEqual({
    path: ['sail'],
    summary: 'bring ships to a port',
    usage: 'flotilla sail [options] <port>',
    operands: [{ term: 'port', description: 'where to' }],
    options: [
      { term: '-s, --speed <knots>', description: 'how fast, such as \'.5\' (default: "7")' },
      { term: '-h, --help', description: 'display help for command' },
    ],
    verbs: [],
    more: 'Wind is needed.\n\nExamples:\n  flotilla sail kiel\n  flotilla sail a\\b',
  });
});

it('is a page of section 1', () => {
  if (sail === undefined) throw new Error('no manual of sail');
  expect(manPageName(sail)).toBe('flotilla-sail');
  expect(manPage(sail, { version: '1.2.3' }).split('\n')).toEqual([
    '.TH "FLOTILLA\\-SAIL" 1 "" "Flotilla 1.2.3" "Flotilla"',
    '.SH NAME',
    'flotilla\\-sail \\- bring ships to a port',
    '.SH SYNOPSIS',
    '.B flotilla sail [options] <port>',
    '.SH OPERANDS',
    '.TP',
    '.B port',
    'where to',
    '.SH OPTIONS',
    '.TP',
    '.B \\-s, \\-\\-speed <knots>',
    'how fast, such as \'.5\' (default: "7")',
    '.TP',
    '.B \\-h, \\-\\-help',
    'display help for command',
    '.SH NOTES',
    '.nf',
    'Wind is needed.',
    '.fi',
    '.SH EXAMPLES',
    '.nf',
    '  flotilla sail kiel',
    '  flotilla sail a\\eb',
    '.fi',
    '.SH SEE ALSO',
    '.BR flotilla (1)',
    '',
  ]);
});

it('hides what roff would take for a request', () => {
  if (sail === undefined) throw new Error('no manual of sail');
  const page = manPage({ ...sail, more: ".first\n'second" }, { version: '1.2.3' });
  expect(page).toContain("\\&.first\n\\&'second\n");
});
