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
import type { KubeClient } from '../kube/kube-client.port.js';
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

/**
 * Asks an API server to which user a token belongs (TokenReview) and whether that user may GET the path as a
 * `nonResourceURL` (SubjectAccessReview). Answers are kept for half a minute.
 */
export class TokenReviewer {
  readonly #secret = randomBytes(32);
  readonly #answers = new Map<string, Readonly<{ admission: Admission; until: number }>>();
  readonly #asking = new Map<string, Promise<Admission>>();

  constructor(
    private readonly client: KubeClient,
    private readonly clock: Clock,
    private readonly log: Log,
  ) {}

  async review(token: string, path: string): Promise<Admission> {
    const id = createHmac('sha256', this.#secret).update(`${token} ${path}`).digest('base64');
    const known = this.#answers.get(id);
    if (known !== undefined && known.until > this.clock.now().getTime()) return known.admission;
    const asking = this.#asking.get(id);
    if (asking !== undefined) return asking;
    if (this.#asking.size >= MOST_REVIEWS) return reviewUnavailable;
    const asked = this.#ask(id, token, path).finally(() => this.#asking.delete(id));
    this.#asking.set(id, asked);
    return asked;
  }

  async #ask(id: string, token: string, path: string): Promise<Admission> {
    try {
      const admission = await this.#admissionOf(token, path);
      this.#keep(id, admission);
      return admission;
    } catch (error) {
      this.log.error({ error }, 'a token for the hub’s HTTP could not be reviewed');
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
    const [oldest] = this.#answers.keys();
    if (this.#answers.size >= MOST_ANSWERS && oldest !== undefined) this.#answers.delete(oldest);
    const forMs = admission.admitted ? ADMITTED_FOR_MS : REFUSED_FOR_MS;
    this.#answers.set(id, { admission, until: this.clock.now().getTime() + forMs });
  }
}
