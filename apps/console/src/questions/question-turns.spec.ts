import { expect, it } from 'vitest';
import { QuestionTurns } from './question-turns.js';

const hangs = () => new Promise<never>(() => undefined);
const nothing = { asker: { ask: hangs }, prove: async () => '', observe: () => undefined, now: () => new Date(0) };
const person = (name: string) => ({ by: 'oidc' as const, name });

it('a person who signs in many times has no more turns for questions than one session, and leaves those of others', async () => {
  const turns = new QuestionTurns(nothing);
  for (let session = 0; session < 8; session += 1) void turns.inTurn({ ...person('mallory') }, hangs);
  for (let session = 0; session < 64; session += 1)
    await expect(turns.inTurn(person('mallory'), hangs)).rejects.toMatchObject({ status: 429 });
  expect(await turns.inTurn(person('jane'), async () => 'answered')).toBe('answered');
});
