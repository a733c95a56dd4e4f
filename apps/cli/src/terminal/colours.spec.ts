import { describe, expect, it } from 'vitest';
import { run } from '../program.js';
import { recorder } from '../run-flotilla.fixture.js';
import { asksForData, coloured, colouredStreams } from './colours.js';
import { usualColours } from './usual-colours.js';

const inColour = (code: number) => (word: string) => `\u001b[${code}m${word}\u001b[39m`;
const [RED, GREEN, YELLOW] = [inColour(31), inColour(32), inColour(33)] as const;
const TERMINALS = { out: true, err: true };
const PIPES = { out: false, err: false };

describe('colours of words', () => {
  it.each([
    [
      'a state in a table',
      'east  harbor  Succeeded\nwest  pier    Failed\n',
      `east  harbor  ${GREEN('Succeeded')}\nwest  pier    ${RED('Failed')}\n`,
    ],
    ['states side by side', 'READY  Pending', `${GREEN('READY')}  ${YELLOW('Pending')}`],
    ['a heading', 'WAITS FOR APPROVAL\n  east', `${YELLOW('WAITS FOR APPROVAL')}\n  east`],
    ['an error', 'error: no such file\n', `${RED('error')}: no such file\n`],
    ['a check', '✖ redis: none\n', `${RED('✖')} redis: none\n`],
    ['a word in a sentence', 'the plan has Failed before', 'the plan has Failed before'],
    ['a part of a name', 'Failed-plans  Succeeded.v1', 'Failed-plans  Succeeded.v1'],
    ['an error further on', 'east: error: x', 'east: error: x'],
  ])('%s', (_, text, expected) => expect(coloured(text)).toBe(expected));

  it.each<[string, Record<string, string>, typeof PIPES, typeof PIPES]>([
    ['a terminal', {}, TERMINALS, TERMINALS],
    ['a pipe', {}, PIPES, PIPES],
    ['a terminal and NO_COLOR', { NO_COLOR: '1' }, TERMINALS, PIPES],
    ['a terminal and an empty NO_COLOR', { NO_COLOR: '' }, TERMINALS, TERMINALS],
    ['a dumb terminal', { TERM: 'dumb' }, TERMINALS, PIPES],
    ['a pipe and FORCE_COLOR', { FORCE_COLOR: '1', NO_COLOR: '1' }, PIPES, TERMINALS],
    ['a terminal and FORCE_COLOR=0', { FORCE_COLOR: '0' }, TERMINALS, PIPES],
  ])('on %s', (_, environment, terminals, expected) => {
    expect(usualColours(environment, terminals)).toEqual(expected);
  });

  it.each<[string, typeof PIPES, boolean]>([
    ['get csvs', TERMINALS, true],
    ['get csvs --color never', TERMINALS, false],
    ['get csvs --color=always', PIPES, true],
    ['get csvs --color always -o json', PIPES, false],
    ['get csvs -ojsonpath={.items} --color=always', PIPES, false],
    ['get csvs --output=yaml', TERMINALS, false],
    ['get csvs -o wide', TERMINALS, true],
    ['opm list catalog', TERMINALS, false],
    ['get -- --color=never', TERMINALS, true],
  ])('%s', (line, usual, expected) => {
    expect(colouredStreams(line.split(' '), usual).out).toBe(expected);
  });

  it.each([['always'], ['never']])('takes --color %s with every verb', async (when) => {
    const { io, result } = recorder();
    await run(['get', 'nothing', '--color', when], io);
    expect(result.err).toContain(when === 'always' ? `${RED('error')}: ` : 'error: ');
  });

  it('refuses another word', async () => {
    const { io, result } = recorder();
    await run(['version', '--color=loud'], io);
    expect(result).toMatchObject({ exit: 2, err: expect.stringContaining('expected (auto|always|never)') });
  });

  it.each(['-o json', '-o=yaml', '--output name', '-o custom-columns=N:.a'])('%s is data', (line) => {
    expect(asksForData(line.split(' '))).toBe(true);
  });
});
