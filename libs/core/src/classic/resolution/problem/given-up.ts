import type { Resolution } from './resolution-problem.js';

const NARROW = 'name a channel in each Subscription, or remove catalogs that offer many providers of the same API';
const MORE_TIME = 'or allow more time with the setting FLOTILLA_SOLVE_DEADLINE';
const IN_TIME = `: ${NARROW}, ${MORE_TIME}`;
const IN_MEMORY = `: ${NARROW}`;

/**
 * Messages of resolvers about a problem that they gave up; the numbers vary. Older resolvers reported no
 * advice.
 */
const GIVEN_UP = [
  /^resolution was given up after \d{1,9} conflicts: the problem is too hard to be decided in bounded time$/,
  new RegExp(`^resolution of namespace [-a-z0-9]{1,63} took longer than \\d{1,9} ms and was ended(${IN_TIME})?$`),
  new RegExp(
    `^resolution of namespace [-a-z0-9]{1,63} took more memory than \\d{1,9} MiB and was ended(${IN_MEMORY})?$`,
  ),
];

const ADVICE = 'Nothing of this namespace is installed or upgraded until it can be resolved.';

/** The answer to a problem that was not solved in time. It holds for this deadline and smaller ones. */
export const gaveUpInTime = (namespace: string, deadlineMs: number): Resolution => ({
  result: 'error',
  message: `resolution of namespace ${namespace} took longer than ${deadlineMs} ms and was ended${IN_TIME}`,
  advice: ADVICE,
  deadlineMs,
});

export const gaveUpInMemory = (namespace: string, mebibytes: number): Resolution => ({
  result: 'error',
  message: `resolution of namespace ${namespace} took more memory than ${mebibytes} MiB and was ended${IN_MEMORY}`,
  advice: ADVICE,
});

export const saysGivenUp = (message: string): boolean => GIVEN_UP.some((said) => said.test(message));

/** True if only the time limit caused this answer, and the limit is higher now. */
export const deservesMoreTime = (answer: Resolution, deadlineMs: number): boolean =>
  answer.result === 'error' && answer.deadlineMs !== undefined && answer.deadlineMs < deadlineMs;
