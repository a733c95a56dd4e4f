import { z } from 'zod';
import { splitApiVersion } from '#core/kernel/api/kubernetes-object';
import { KubeApiError } from './kube-client.port.js';

const ApiService = z.looseObject({
  spec: z.looseObject({ service: z.looseObject({ name: z.string(), namespace: z.string() }) }),
  status: z
    .looseObject({
      conditions: z
        .array(z.looseObject({ type: z.string(), status: z.string(), message: z.string().optional() }))
        .nullish(),
    })
    .nullish(),
});

/** True for failures of an API server that could not reach its backend. */
const isFailureOfBackend = (error: KubeApiError): boolean => error.status >= 500 || error.reason === 'Timeout';

/**
 * Returns the error of a failing API that a backend of its own serves (an APIService with a Service). Returns
 * undefined if `error` concerns the API server itself, or if the APIService cannot be read.
 */
export async function unavailableApi(
  error: unknown,
  apiVersion: string,
  read: (path: string) => Promise<string | undefined>,
): Promise<KubeApiError | undefined> {
  const { group, version } = splitApiVersion(apiVersion);
  if (group === '' || !KubeApiError.is(error) || !isFailureOfBackend(error)) return undefined;
  const name = `${version}.${group}`;
  const found = ApiService.safeParse(
    jsonOf(await read(`/apis/apiregistration.k8s.io/v1/apiservices/${name}`).catch(() => undefined)),
  );
  if (!found.success) return undefined;
  const { service } = found.data.spec;
  const condition = found.data.status?.conditions?.find(({ type }) => type === 'Available');
  const why = condition?.status === 'True' ? error.said : (condition?.message ?? error.said);
  const said = `APIService ${name} is not available: ${why}`;
  const advice = `see why Service ${service.namespace}/${service.name} does not answer, or delete the APIService`;
  const message = `cluster "${error.cluster}": ${said}; ${advice}`;
  return new KubeApiError(error.cluster, 503, 'APIUnavailable', message, error.causes, said);
}

function jsonOf(text: string | undefined): unknown {
  try {
    return JSON.parse(text ?? '');
  } catch {
    return undefined;
  }
}
