import { createHmac, randomBytes } from 'node:crypto';
import { z } from 'zod';
import {
  ADMITTED,
  type Admission,
  pathForbidden,
  reviewUnavailable,
  tokenUnknown,
} from '#core/kernel/http-access/admission';
import type { Clock } from '../clock/clock.port.js';
import type { KubeClient } from '../kube/client/kube-client.port.js';
import type { Log } from '../telemetry/log.port.js';

/** Empty of a token that is not valid. */
const UserInfo = z.looseObject({
  username: z.string().optional(),
  uid: z.string().optional(),
  groups: z.array(z.string()).optional(),
  extra: z.record(z.string(), z.array(z.string())).optional(),
});
const Reviewed = z.looseObject({
  status: z.looseObject({ authenticated: z.boolean().optional(), user: UserInfo.optional() }),
});
const Allowed = z.looseObject({ status: z.looseObject({ allowed: z.boolean() }) });

/** How long an answer counts; a refusal counts for a shorter time, since rights are often given after it. */
const ADMITTED_FOR_MS = 30_000;
const REFUSED_FOR_MS = 5_000;
const MOST_ANSWERS = 1_000;
/** Clients without a valid token must not make the hub flood its API server. */
const MOST_REVIEWS = 8;
/** A token that was admitted once is reviewed next to those that never were. */
const KNOWN_FOR_MS = 3_600_000;

type Answers = Map<string, Readonly<{ admission: Admission; until: number }>>;

/**
 * Asks an API server for the user of a token (TokenReview). Then asks if that user may GET the path as a
 * `nonResourceURL` (SubjectAccessReview). Answers are kept for half a minute. Refused tokens, however many,
 * take neither the place of answers to admitted ones nor their reviews.
 */
export class TokenReviewer {
  readonly #secret = randomBytes(32);
  readonly #admitted: Answers = new Map();
  readonly #refused: Answers = new Map();
  readonly #asking = new Map<string, Promise<Admission>>();
  /** Tokens that were admitted, and until when that counts. */
  readonly #known = new Map<string, number>();
  /** Reviews under way of tokens that were admitted before, and of others. */
  readonly #reviews = { known: 0, others: 0 };

  constructor(
    private readonly client: KubeClient,
    private readonly clock: Clock,
    private readonly log: Log,
  ) {}

  async review(token: string, path: string): Promise<Admission> {
    const now = this.clock.now().getTime();
    const id = this.#idOf(`${token} ${path}`);
    const held = this.#admitted.get(id) ?? this.#refused.get(id);
    if (held !== undefined && held.until > now) return held.admission;
    const asking = this.#asking.get(id);
    if (asking !== undefined) return asking;
    const owner = this.#idOf(token);
    const group = (this.#known.get(owner) ?? 0) > now ? 'known' : 'others';
    if (this.#reviews[group] >= MOST_REVIEWS) return reviewUnavailable;
    this.#reviews[group] += 1;
    const asked = this.#ask({ id, owner, token, path }).finally(() => {
      this.#reviews[group] -= 1;
      this.#asking.delete(id);
    });
    this.#asking.set(id, asked);
    return asked;
  }

  #idOf(text: string): string {
    return createHmac('sha256', this.#secret).update(text).digest('base64');
  }

  async #ask(question: Readonly<{ id: string; owner: string; token: string; path: string }>): Promise<Admission> {
    const { id, owner, token, path } = question;
    try {
      const admission = await this.#admissionOf(token, path);
      this.#keep(id, admission);
      if (admission.admitted) setNewest(this.#known, owner, this.clock.now().getTime() + KNOWN_FOR_MS);
      if (admission === tokenUnknown) this.#known.delete(owner);
      return admission;
    } catch (error) {
      this.log.error({ error }, 'could not review a token for the HTTP port of the hub');
      return reviewUnavailable;
    }
  }

  async #admissionOf(token: string, path: string): Promise<Admission> {
    const review = await this.client.create({
      apiVersion: 'authentication.k8s.io/v1',
      kind: 'TokenReview',
      metadata: {},
      spec: { token },
    });
    const { authenticated, user } = Reviewed.parse(review.object).status;
    const { username, ...rest } = user ?? {};
    if (authenticated !== true || username === undefined) return tokenUnknown;
    const access = await this.client.create({
      apiVersion: 'authorization.k8s.io/v1',
      kind: 'SubjectAccessReview',
      metadata: {},
      spec: { user: username, ...rest, nonResourceAttributes: { path, verb: 'get' } },
    });
    return Allowed.parse(access.object).status.allowed ? ADMITTED : pathForbidden(username, path);
  }

  #keep(id: string, admission: Admission): void {
    const { admitted } = admission;
    (admitted ? this.#refused : this.#admitted).delete(id);
    const until = this.clock.now().getTime() + (admitted ? ADMITTED_FOR_MS : REFUSED_FOR_MS);
    setNewest(admitted ? this.#admitted : this.#refused, id, { admission, until });
  }
}

/** Sets the newest entry. Drops the oldest one if there are too many. */
function setNewest<T>(map: Map<string, T>, key: string, value: T): void {
  map.delete(key);
  const [oldest] = map.keys();
  if (map.size >= MOST_ANSWERS && oldest !== undefined) map.delete(oldest);
  map.set(key, value);
}
