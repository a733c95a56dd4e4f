import fc from 'fast-check';
import { expect, it } from 'vitest';
import { desiredNamespaceOf, namespace, records } from './random-namespace.fixture.js';
import { isolating, World } from './verified-world.fixture.js';

const seed = Number(process.env['FLOTILLA_TEST_SEED'] ?? Date.now() % 2 ** 31);

const worlds = fc.tuple(namespace, fc.boolean()).map(([of, isolate]) => {
  const desired = desiredNamespaceOf(of);
  return new World(isolate ? { ...desired, operatorGroups: isolating } : desired, records(of));
});

// Only the resolver shows which random namespace has a solution: one walk serves both kinds of answers.
it(`each answer of the resolver is taken, a failure with its message (FLOTILLA_TEST_SEED=${seed})`, () => {
  const taken = { resolved: 0, failed: 0 };
  fc.assert(
    fc.property(worlds, (world) => {
      const answer = world.answer();
      if (answer.result === 'resolved') {
        taken.resolved += 1;
        expect(world.refusal(answer)).toBeUndefined();
      } else {
        taken.failed += 1;
        expect(world.check(answer)).toMatchObject({ answer: { result: answer.result, message: answer.message } });
      }
    }),
    { seed, numRuns: 60 },
  );
  expect(taken.resolved).toBeGreaterThan(10);
  expect(taken.failed).toBeGreaterThan(5);
});
