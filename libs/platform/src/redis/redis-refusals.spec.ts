import { expect, it } from 'vitest';
import { RedisRefusals } from './redis-refusals.js';

it('refusals of Redis are counted by their first word, and those of writes together', () => {
  const refusals = new RedisRefusals();
  refusals.note(new Error("OOM command not allowed when used memory > 'maxmemory'."));
  refusals.note(new Error('OOM command not allowed, script: 1f, on @user_script:1.'));
  refusals.note(new Error('READONLY You cannot write against a read only replica.'));
  refusals.note(new Error('NOPERM User x has no permissions to run the command'));
  refusals.note(new Error('WRONGTYPE Operation against a key holding the wrong kind of value'));
  refusals.note(new Error('NOSCRIPT No matching script.'));
  refusals.note('OOM');
  expect(Object.fromEntries([...refusals.counts].filter(([, count]) => count > 0))).toEqual({
    OOM: 2,
    READONLY: 1,
    NOPERM: 1,
  });
  expect(refusals.ofWrites).toBe(3);
});
