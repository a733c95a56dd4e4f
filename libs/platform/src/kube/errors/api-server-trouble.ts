import { KubeApiError } from './kube-api.error.js';

/** The API server does not accept the login. */
export const isLoginRefused = (error: unknown): boolean => KubeApiError.is(error) && error.status === 401;

/**
 * Returns advice about an answer that concerns the API server or the login, and not the request. Undefined
 * for all others. Undefined also without an answer: that message has advice already.
 */
export function troubleAdvice({ status }: KubeApiError): string | undefined {
  if (status === 401) return 'its login in the kubeconfig is not accepted or has expired: renew it';
  return status >= 500 ? 'check the log of its API server and of any proxy in front of it' : undefined;
}

/** Answers of what stands in front of an API server that is away. */
const OF_GATEWAYS: ReadonlySet<number> = new Set([502, 503, 504]);

/** True if the failure concerns the whole cluster: no answer, or none for this login. */
export const isOutage = (error: unknown): error is KubeApiError =>
  KubeApiError.is(error) &&
  error.reason !== 'APIUnavailable' &&
  (!error.answered || error.status === 401 || OF_GATEWAYS.has(error.status));

/** Returns the reason a cluster could not be asked something that every user may ask, with advice. */
export function troubleOf(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  const advice = KubeApiError.is(error) ? troubleAdvice(error) : undefined;
  return advice === undefined ? message : `${message}; ${advice}`;
}
