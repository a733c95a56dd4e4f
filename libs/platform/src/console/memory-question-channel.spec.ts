import { expect, it } from 'vitest';
import { QUESTION_DEADLINE_MS } from '#core/view/questions/console-question';
import { ManualClock } from '../clock/manual-clock.js';
import { MemoryQuestionChannel } from './memory-question-channel.js';

const question = { v: 1, ask: 'explain', kind: 'Subscription', cluster: 'east', namespace: 'a', name: 'b' } as const;
const jane = { session: 'jane', prove: async () => 'proof' };

it('ends a question that no poller answers, and sends an equal one again', async () => {
  const clock = new ManualClock();
  const channel = new MemoryQuestionChannel(clock);
  const taken: string[] = [];
  channel.receiver().follow(({ question: { cluster } }) => taken.push(cluster));
  const [first, equal] = [channel.ask(question, jane), channel.ask(question, jane)];
  await clock.advance(QUESTION_DEADLINE_MS);
  expect(await Promise.all([first, equal])).toEqual([undefined, undefined]);
  expect(taken).toEqual(['east']);
  const later = channel.ask(question, jane);
  await clock.advance(QUESTION_DEADLINE_MS);
  expect([await later, taken]).toEqual([undefined, ['east', 'east']]);
});

it('forgets an answer once it is old', async () => {
  const clock = new ManualClock();
  const channel = new MemoryQuestionChannel(clock);
  const receiver = channel.receiver();
  let count = 0;
  receiver.follow(({ question: one }) => void receiver.answer(one, { answer: ++count }));
  const asked = async () => {
    const answer = channel.ask(question, jane);
    await clock.advance(0);
    return answer;
  };
  expect([await asked(), await asked()]).toEqual([{ answer: 1 }, { answer: 1 }]);
  await clock.advance(31_000);
  expect(await asked()).toEqual({ answer: 2 });
});

it('forgets a claim without an answer, so that an equal question is answered later', async () => {
  const clock = new ManualClock();
  const receiver = new MemoryQuestionChannel(clock).receiver();
  expect([await receiver.claim(question), await receiver.claim(question)]).toEqual([true, false]);
  await clock.advance(QUESTION_DEADLINE_MS + 1);
  expect(await receiver.claim(question)).toBe(true);
});
