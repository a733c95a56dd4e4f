import { deniedRight } from '../../kernel/rbac/denied-right.js';
import { ADVICE } from './advice.js';
import { type Diagnosis, sentence } from './diagnosis.js';

/**
 * Adds to an object that waits for the hub what keeps the hub from working in the cluster. An object that
 * waits for a user, or is well, stays as it is.
 */
export function withHinderedHub(seen: Diagnosis, troubles: readonly string[]): Diagnosis {
  if (seen.standing !== 'under-way' || troubles.length === 0) return seen;
  const users = new Set(troubles.flatMap((trouble) => deniedRight(trouble)?.user ?? []));
  const remedies = [...users].map((user) => ADVICE.checkHubRights(user));
  return {
    ...seen,
    code: 'hub-hindered',
    standing: 'blocked',
    because: [...seen.because, ...troubles.map((trouble) => sentence(`The hub reports of this cluster: ${trouble}`))],
    todo: [...remedies, ...seen.todo],
  };
}
