import type { Policy } from './console-policy.js';
import { type Grantee, type Rights, rightsOf } from './rights.js';

const MOST_PEOPLE = 1_000;

/** Rights that were compiled for people, until the policy changes: once for equal names and groups. */
export class CompiledRights {
  readonly #known = new Map<string, Rights>();
  #policy: Policy | undefined;

  of(policy: Policy, person: Grantee): Rights {
    if (policy !== this.#policy || this.#known.size > MOST_PEOPLE) this.#known.clear();
    this.#policy = policy;
    const key = JSON.stringify([person.name, person.groups]);
    const rights = this.#known.get(key) ?? rightsOf(policy, person);
    this.#known.set(key, rights);
    return rights;
  }
}
