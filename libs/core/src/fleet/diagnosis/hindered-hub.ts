import { deniedRight } from '../../kernel/rbac/denied-right.js';
import { ADVICE, type Advice } from './advice.js';
import { type Diagnosis, diagnosis, sentence } from './diagnosis.js';

/**
 * Adds to an object that waits for the hub what keeps the hub from working in the cluster. An object that
 * waits for a user, or is well, stays as it is.
 */
export function withHinderedHub(seen: Diagnosis, troubles: readonly string[]): Diagnosis {
  if (seen.standing !== 'under-way' || troubles.length === 0) return seen;
  return {
    ...seen,
    code: 'hub-hindered',
    standing: 'blocked',
    because: [...seen.because, ...troubles.map((trouble) => sentence(`The hub reports of this cluster: ${trouble}`))],
    todo: [...rightsOf(troubles), ...seen.todo],
  };
}

/** A namespace, or another object, of which the API server refuses to the hub to read something. */
export const refusedToHub = (said: string): Diagnosis =>
  diagnosis('hub-hindered', 'blocked', sentence(`The hub may not read it: ${said}`), rightsOf([said]));

function rightsOf(troubles: readonly string[]): readonly Advice[] {
  const users = new Set(troubles.flatMap((trouble) => deniedRight(trouble)?.user ?? []));
  return [...users].map((user) => ADVICE.checkHubRights(user));
}
