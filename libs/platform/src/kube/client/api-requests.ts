import type { KubernetesObject } from '#core/kernel/api/kubernetes-object';
import { KubernetesObject as KubernetesObjectSchema } from '#core/kernel/api/kubernetes-object';
import type { ReadBudget } from '../limits/read-budget.js';
import type { AnswerLease } from '../transport/answer-bytes.js';
import type { ApiRequest, ApiResponse, HttpTransport } from '../transport/http-transport.js';
import { readBody } from '../transport/read-body.js';
import { TransportError } from '../transport/transport.error.js';
import { warningsOf } from '../transport/warnings.js';
import type { Exchange, RequestHeaders } from '../transport/wire.js';
import { KubeApiError, type Written } from './kube-client.port.js';
import { outage, refusal } from './kube-status.js';
import { isWellFormedObject } from './well-formed-object.js';

const LONGEST_REFUSAL_BYTES = 1024 * 1024;

/** Requests of one cluster as one user. Every failure is a {@link KubeApiError} that names the request. */
export class ApiRequests {
  constructor(
    readonly cluster: string,
    private readonly transport: HttpTransport,
    private readonly headers: RequestHeaders,
    readonly budget: ReadBudget,
  ) {}

  actingAs(headers: RequestHeaders): ApiRequests {
    return new ApiRequests(this.cluster, this.transport, { ...this.headers, ...headers }, this.budget);
  }

  /**
   * Sends a request and returns the answer. Throws statuses of 400 and more. `what` names the request in
   * messages. Refuses a request for a while if its answer was too large (reason `TooLarge`).
   */
  async send(what: string, request: ApiRequest): Promise<ApiResponse> {
    const key = `${request.method} ${request.path.split('?', 1)[0]}`;
    return this.budget.run(key, () =>
      this.#send(what, request).catch((error: unknown) => {
        throw KubeApiError.is(error, 'ResponseTooLarge') ? this.budget.exceed(key, what, 'answer') : error;
      }),
    );
  }

  async #send(what: string, request: ApiRequest): Promise<ApiResponse> {
    const response = await this.#guard(what, () => this.transport.request(this.#signed(request)));
    if (response.status >= 300) throw this.#refused(what, response.status, response.text);
    return response;
  }

  /** Sends as {@link send}, but returns undefined for 404. */
  find(what: string, request: ApiRequest): Promise<ApiResponse | undefined> {
    return unlessNotFound(this.send(what, request));
  }

  /**
   * Sends as {@link find}, for one page of a list. A page that is too large fails with `ResponseTooLarge`.
   */
  findPage(what: string, request: ApiRequest): Promise<ApiResponse | undefined> {
    return unlessNotFound(this.#send(what, request));
  }

  /** Returns the part of an answer of {@link stream} in the bytes that are read at a time. */
  lease(): AnswerLease {
    return this.transport.lease();
  }

  /** The body of a long answer as it comes. */
  async stream(what: string, request: ApiRequest): Promise<Exchange> {
    const exchange = await this.#guard(what, () => this.transport.stream(this.#signed(request)));
    if (exchange.status < 300) return exchange;
    const text = await this.#guard(what, () => readBody(exchange, { limit: LONGEST_REFUSAL_BYTES }));
    throw this.#refused(what, exchange.status, text);
  }

  #refused(what: string, status: number, text: string): KubeApiError {
    return refusal(this.cluster, what, status, text, status === 401 ? this.transport.credentialsFault() : undefined);
  }

  json(what: string, response: ApiResponse): unknown {
    return this.parse(what, response.text);
  }

  parse(what: string, text: string): unknown {
    try {
      return JSON.parse(text);
    } catch {
      throw this.failure(what, new TransportError('lost', 'the answer is not JSON'));
    }
  }

  object<T extends KubernetesObject>(what: string, response: ApiResponse): T {
    const parsed = this.json(what, response);
    if (!isWellFormedObject(parsed) && !KubernetesObjectSchema.safeParse(parsed).success) {
      throw this.failure(what, new TransportError('lost', 'the answer is not a Kubernetes object'));
    }
    return parsed as T;
  }

  written<T extends KubernetesObject>(what: string, response: ApiResponse): Written<T> {
    return { object: this.object<T>(what, response), warnings: warningsOf(response.headers['warning']) };
  }

  failure(what: string, error: TransportError): KubeApiError {
    return outage(this.cluster, this.transport.server, what, error, this.transport.credentialsFault());
  }

  #signed(request: ApiRequest): ApiRequest {
    return { ...request, headers: { ...this.headers, ...request.headers } };
  }

  async #guard<T>(what: string, work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      throw error instanceof TransportError ? this.failure(what, error) : error;
    }
  }
}

async function unlessNotFound<T>(answer: Promise<T>): Promise<T | undefined> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof KubeApiError && error.status === 404) return undefined;
    throw error;
  }
}
