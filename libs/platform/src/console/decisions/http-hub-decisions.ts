import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { z } from 'zod';
import type { DecisionAction } from '#core/kernel/api/fleet/fleet-decision';
import { FLEET_API } from '#core/kernel/api/fleet/fleet-fields';
import { FlotillaError, type Retry } from '#core/kernel/errors/flotilla.error';
import { isLoopback } from '#core/kernel/http-access/loopback';
import { cutText } from '#core/kernel/text/cut-text';
import { reasonInWords } from '#core/view/rows/row-text';
import { fileReason } from '../../files/file-tree.error.js';
import { fixedCredentials } from '../../kube/transport/credentials.js';
import { type ApiResponse, HttpTransport } from '../../kube/transport/http-transport.js';
import { TransportError } from '../../kube/transport/transport.error.js';
import { type ProxyEnvironment, routeTo } from '../../outbound/route.js';
import { type HubDecision, type HubDecisionEnd, HubDecisions, type HubPerson } from './hub-decisions.port.js';

/** FLOTILLA_CONSOLE_HUB_API cannot be used. */
export class HubApiUnusable extends FlotillaError {
  readonly code = 'HubApiUnusable';
  readonly retry: Retry = 'when-input-changes';
}

/** The hub API did not answer a request of a person. */
export class HubNotAsked extends FlotillaError {
  readonly code = 'HubNotAsked';
  readonly retry: Retry = 'backoff';
}

type Options = Readonly<{
  /** The address of the hub API. */
  server: string;
  /** A PEM file. Empty: the authorities that the system trusts. */
  caFile: string;
  /** Time to wait for the fleet controller. */
  answerWithinMs?: number;
  environment?: ProxyEnvironment;
}>;

const ANSWER_WITHIN_MS = 10_000;
const ASK_EVERY_MS = 250;
const REQUEST_TIMEOUT_MS = 10_000;
const MOST_BYTES = 1_048_576;
const MOST_GROUPS = 256;
const LONGEST_TEXT = 500;
const LONGEST_NAME = 200;

const Reviewed = z.looseObject({
  status: z.looseObject({
    userInfo: z.looseObject({ username: z.string().min(1), groups: z.array(z.string()).default([]) }),
  }),
});
const Access = z.looseObject({ status: z.looseObject({ allowed: z.boolean() }) });
const Refusal = z.looseObject({ message: z.string() });
const Decided = z.looseObject({
  status: z
    .looseObject({
      ...{ effective: z.boolean().default(false), at: z.string() },
      ...{ reason: z.string().default(''), message: z.string().default('') },
    })
    .optional()
    .catch(undefined),
});

type Answered = Pick<HubDecisionEnd, 'outcome' | 'message'>;
type Request = Readonly<{ method: 'GET' | 'POST'; path: string; body?: unknown }>;

/** {@link HubDecisions} over HTTPS. The token of a person goes with each request, and is kept nowhere. */
export class HttpHubDecisions extends HubDecisions {
  private constructor(
    private readonly transport: HttpTransport,
    private readonly answerWithinMs: number,
  ) {
    super();
  }

  /** @throws HubApiUnusable */
  static async open({
    server,
    caFile,
    answerWithinMs = ANSWER_WITHIN_MS,
    environment,
  }: Options): Promise<HttpHubDecisions> {
    const url = URL.parse(server);
    if (url === null || (url.protocol !== 'https:' && !isLoopback(url.hostname))) {
      throw new HubApiUnusable(
        `FLOTILLA_CONSOLE_HUB_API is not https: ${url?.origin ?? 'no URL'}; set the https address of the hub API`,
      );
    }
    const ca = caFile === '' ? undefined : await certificatesIn(caFile);
    const tls = ca === undefined ? {} : { ca };
    const transport = new HttpTransport({
      ...{ server: url, credentials: fixedCredentials({ headers: {}, tls }) },
      route: routeTo(url, environment ?? process.env),
      ...{ userAgent: 'flotilla-console', requestTimeoutMs: REQUEST_TIMEOUT_MS, maxResponseBytes: MOST_BYTES },
    });
    return new HttpHubDecisions(transport, answerWithinMs);
  }

  async personOf(token: string): Promise<HubPerson | undefined> {
    const path = '/apis/authentication.k8s.io/v1/selfsubjectreviews';
    const body = { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' };
    const response = await this.#ask(token, { method: 'POST', path, body });
    if (response.status === 401) return undefined;
    const { username, groups } = answerIn(Reviewed, response).status.userInfo;
    return { user: username, groups: groups.slice(0, MOST_GROUPS) };
  }

  async allowed(
    token: string,
    rollout: string,
    actions: readonly DecisionAction[],
  ): Promise<ReadonlySet<DecisionAction>> {
    const answers = await Promise.all(actions.map((action) => this.#mayDecide(token, rollout, action)));
    return new Set(actions.filter((_, at) => answers[at] === true));
  }

  async #mayDecide(token: string, rollout: string, action: DecisionAction): Promise<boolean> {
    const { namespace, name } = partsOf(rollout);
    const resourceAttributes = {
      ...{ group: 'fleet.flotilla.dev', resource: 'fleetrollouts', verb: action.toLowerCase(), namespace, name },
    };
    const path = '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews';
    const body = {
      ...{ apiVersion: 'authorization.k8s.io/v1', kind: 'SelfSubjectAccessReview' },
      spec: { resourceAttributes },
    };
    return answerIn(Access, await this.#ask(token, { method: 'POST', path, body })).status.allowed;
  }

  async decide(token: string, by: HubPerson, decision: HubDecision): Promise<HubDecisionEnd> {
    const { namespace, name } = partsOf(decision.rollout);
    const path = `/apis/${FLEET_API}/namespaces/${encodeURIComponent(namespace)}/fleetdecisions`;
    const made = nameOf(name, decision);
    const response = await this.#ask(token, { method: 'POST', path, body: objectOf({ by, decision, made }) });
    // A FleetDecision of this name is the same decision, sent before.
    if (response.status >= 300 && response.status !== 409) return refused(response);
    const answer = await this.#answered(token, `${path}/${encodeURIComponent(made)}`).catch(unreadAnswer);
    return { ...answer, decision: made };
  }

  close(): Promise<void> {
    return this.transport.close();
  }

  /** Waits a while for the status of a FleetDecision. */
  async #answered(token: string, path: string): Promise<Answered> {
    const until = performance.now() + this.answerWithinMs;
    for (;;) {
      const response = await this.#ask(token, { method: 'GET', path });
      // A person who may decide and not read learns nothing of the answer.
      if (response.status === 403) return NOT_YET;
      const { status } = answerIn(Decided, response);
      if (status !== undefined) {
        if (status.effective) return { outcome: 'effective', message: lineOf(status.message) };
        return { outcome: 'no-effect', message: lineOf(status.message || reasonInWords(status.reason)) };
      }
      if (performance.now() >= until) return NOT_YET;
      await pause(ASK_EVERY_MS);
    }
  }

  async #ask(token: string, { method, path, body }: Request): Promise<ApiResponse> {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const sent = body === undefined ? {} : { body: JSON.stringify(body) };
    try {
      return await this.transport.request({ method, path, headers, ...sent });
    } catch (error) {
      if (!(error instanceof TransportError)) throw error;
      throw new HubNotAsked(`the hub API did not answer: ${lineOf(error.message)}`);
    }
  }
}

const lineOf = (text: string): string => cutText(text.replaceAll(/\p{Cc}+/gu, ' '), LONGEST_TEXT);

const NOT_YET: Answered = { outcome: 'unanswered', message: 'The fleet controller has not answered yet.' };

/** Returns an answer without the text of the hub: the decision was made, and the answer cannot be read. */
function unreadAnswer(error: unknown): Answered {
  if (!(error instanceof HubNotAsked)) throw error;
  return { outcome: 'unanswered', message: `Its answer cannot be read: ${error.message}.` };
}

async function certificatesIn(file: string): Promise<string> {
  const text = await readFile(file, 'utf8').catch((error: unknown) => {
    throw new HubApiUnusable(`FLOTILLA_CONSOLE_HUB_API_CA_FILE: ${file} cannot be read (${fileReason(error)})`);
  });
  if (text.includes('-----BEGIN CERTIFICATE-----')) return text;
  throw new HubApiUnusable(
    `FLOTILLA_CONSOLE_HUB_API_CA_FILE: ${file} has no certificate in PEM; write the authority of the hub API into it`,
  );
}

function partsOf(rollout: string): Readonly<{ namespace: string; name: string }> {
  const [namespace = '', name = ''] = rollout.split('/');
  return { namespace, name };
}

function nameOf(rollout: string, decision: HubDecision): string {
  const { action, class: plans, changes, wave, reason, key } = decision;
  const all = JSON.stringify([rollout, action, plans, changes, wave, reason, key]);
  const hash = createHash('sha256').update(all).digest('hex').slice(0, 16);
  // A part of a name ends with a letter or a digit.
  return `${rollout.slice(0, LONGEST_NAME).replace(/[.-]+$/, '')}-${action.toLowerCase()}-${hash}`;
}

type Made = Readonly<{ by: HubPerson; decision: HubDecision; made: string }>;

function objectOf({ by, decision, made }: Made) {
  const { namespace, name } = partsOf(decision.rollout);
  const { action, class: hash, changes, wave, reason } = decision;
  return {
    ...{ apiVersion: FLEET_API, kind: 'FleetDecision', metadata: { name: made, namespace } },
    spec: {
      ...{ rollout: name, action, reason, by },
      ...(hash === undefined ? {} : { class: hash }),
      ...(changes === undefined ? {} : { changes }),
      ...(wave === undefined ? {} : { wave }),
    },
  };
}

/** @throws HubNotAsked if the answer is another than asked for */
function answerIn<T>(type: z.ZodType<T>, { status, text }: ApiResponse): T {
  const answer = status < 300 ? type.safeParse(parsed(text)).data : undefined;
  if (answer === undefined) throw new HubNotAsked(`the hub API answered ${status}: ${messageIn(text)}`);
  return answer;
}

function refused({ status, text }: ApiResponse): HubDecisionEnd {
  if (status >= 400 && status < 500) return { outcome: 'refused', decision: '', message: messageIn(text) };
  throw new HubNotAsked(`the hub API answered ${status}: ${messageIn(text)}`);
}

const messageIn = (text: string): string => lineOf(Refusal.safeParse(parsed(text)).data?.message ?? 'no Status');

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
