import { KubeApiError } from './kube-api.error.js';

/** The API server does not accept the login. */
export const isLoginRefused = (error: unknown): boolean => KubeApiError.is(error) && error.status === 401;

/**
 * What to do about an answer that says something about the API server or the login, and not about what was
 * asked; undefined for all others, and for no answer, whose message has an advice already.
 */
export function troubleAdvice({ status }: KubeApiError): string | undefined {
  if (status === 401) return 'its login in the kubeconfig is not accepted or has expired: renew it';
  return status >= 500 ? 'look into the log of its API server and of what stands in front of it' : undefined;
}

/** Why a cluster could not be asked something that every user may ask, and what to do. */
export function troubleOf(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  const advice = KubeApiError.is(error) ? troubleAdvice(error) : undefined;
  return advice === undefined ? message : `${message}; ${advice}`;
}
