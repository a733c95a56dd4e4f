import { z } from 'zod';
import { isListed, type ListedRules, type Right } from '#core/cluster/membership/role-rights';
import type { NeededKind } from '#core/kernel/rbac/needed-kinds';
import { inParallel } from '../fairness/in-parallel.js';
import { KubeApiError, type KubeClient } from '../kube/client/kube-client.port.js';
import { isAllowed, listedRules } from './missing-rights.js';

type Rules = z.infer<typeof ListedRules>;
type Client = Pick<KubeClient, 'cluster' | 'create'>;

const Review = z.looseObject({
  status: z.looseObject({ userInfo: z.looseObject({ username: z.string().optional() }).optional() }).optional(),
});

/** Time for which the rules of a login that may do everything count. All others are asked for each time. */
const EVERYTHING_MS = 10 * 60_000;
const AT_ONCE = 8;
const EVERYTHING: Right = { verb: '*', group: '*', resource: '*' };

/**
 * The rights of the hub's own logins. A login that may do everything costs one request in ten minutes.
 */
export class OwnRights {
  readonly #known = new Map<string, Readonly<{ rules: Rules | undefined; atMs: number }>>();

  /** True if no right needs to be asked for, or if the API server does not list the rules of a user. */
  async mayDoEverything(client: Client, now: Date): Promise<boolean> {
    const rules = await this.#rulesOf(client, now.getTime());
    return rules === undefined || isListed(rules, EVERYTHING);
  }

  /** Returns the needed kinds that the API server would refuse, each with the verbs that are refused. */
  async refused(client: Client, needed: readonly NeededKind[], now: Date): Promise<readonly NeededKind[]> {
    const rules = await this.#rulesOf(client, now.getTime());
    if (rules === undefined || isListed(rules, EVERYTHING)) return [];
    const found = await inParallel(needed, AT_ONCE, async (one) => {
      const unlisted = one.verbs.filter((verb) => !isListed(rules, { ...one, verb }));
      const verbs: string[] = [];
      for (const verb of unlisted) if (!(await isAllowed(client, askingFor(one, verb)))) verbs.push(verb);
      return { ...one, verbs };
    });
    return found.filter(({ verbs }) => verbs.length > 0);
  }

  /** Returns undefined if the API server does not list the rules of a user. */
  async #rulesOf(client: Client, nowMs: number): Promise<Rules | undefined> {
    const known = this.#known.get(client.cluster);
    const isAll = known?.rules === undefined || isListed(known.rules, EVERYTHING);
    if (known !== undefined && isAll && nowMs - known.atMs < EVERYTHING_MS) return known.rules;
    const rules = await listedRules(client).catch((error: unknown) => {
      if (KubeApiError.is(error) && error.answered) return undefined;
      throw error;
    });
    this.#known.set(client.cluster, { rules, atMs: nowMs });
    return rules;
  }
}

/** Returns the name of the client's user, or `the hub` if the API server does not say it. */
export async function userOf(client: Client): Promise<string> {
  try {
    const { object } = await client.create({
      apiVersion: 'authentication.k8s.io/v1',
      kind: 'SelfSubjectReview',
      metadata: {},
    });
    return Review.parse(object).status?.userInfo?.username || UNKNOWN;
  } catch (error) {
    if (KubeApiError.is(error) && !error.answered) throw error;
    return UNKNOWN;
  }
}

const UNKNOWN = 'the hub';

const askingFor = ({ group, resource, namespace }: NeededKind, verb: string) => ({
  resourceAttributes: { verb, group, resource, ...(namespace !== undefined && { namespace }) },
});
