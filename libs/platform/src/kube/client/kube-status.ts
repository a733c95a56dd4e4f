import { z } from 'zod';
import { TransportError } from '../transport/transport.error.js';
import { KubeApiError } from './kube-client.port.js';

const LONGEST_MESSAGE = 4096;

/** The API server's answer in place of an object (meta/v1 Status). */
export const KubeStatus = z.looseObject({
  kind: z.literal('Status'),
  status: z.string().optional(),
  message: z.string().optional(),
  reason: z.string().optional(),
  code: z.number().optional(),
  details: z
    .looseObject({
      causes: z
        .array(
          z.looseObject({
            reason: z.string().optional(),
            message: z.string().optional(),
            field: z.string().optional(),
          }),
        )
        .nullable()
        .optional(),
      retryAfterSeconds: z.number().optional(),
    })
    .nullable()
    .optional(),
});
export type KubeStatus = z.infer<typeof KubeStatus>;

/** apimachinery's words for a status without a reason of its own (proxies and load balancers answer such). */
const REASONS: Readonly<Record<number, string>> = {
  400: 'BadRequest',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'NotFound',
  405: 'MethodNotAllowed',
  406: 'NotAcceptable',
  409: 'Conflict',
  410: 'Expired',
  413: 'RequestEntityTooLarge',
  415: 'UnsupportedMediaType',
  422: 'Invalid',
  429: 'TooManyRequests',
  500: 'InternalError',
  503: 'ServiceUnavailable',
  504: 'Timeout',
};

function parseStatus(text: string): KubeStatus | undefined {
  try {
    return KubeStatus.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}

/**
 * Returns the refusal as an error with the server's own reason, message and causes. `fault`: a known fault of
 * the credentials.
 */
export function refusal(cluster: string, what: string, code: number, body: string, fault?: string): KubeApiError {
  const status = parseStatus(body);
  const said = clip((status?.message ?? body.trim().replaceAll(/\s+/g, ' ')) || saidBy(code));
  const message = `cluster "${cluster}": ${what}: ${withFault(said, fault)}`;
  return new KubeApiError(cluster, code, reasonOf(code, status?.reason), message, causesOf(status), said);
}

/** An API server never redirects: a login proxy in front of it does. */
const saidBy = (code: number): string =>
  code >= 300 && code < 400
    ? `HTTP ${code}: an API server never redirects, but a login proxy in front of it may: set the address of the API server itself in the kubeconfig`
    : `HTTP ${code}`;

const withFault = (said: string, fault: string | undefined): string =>
  fault === undefined ? said : `${said} (${fault})`;

/** 410 has two names in Kubernetes, `Gone` and `Expired`; one is enough for everybody behind the port. */
function reasonOf(code: number, reason: string | undefined): string {
  if (code === 410) return 'Expired';
  return reason === undefined || reason === '' ? (REASONS[code] ?? 'Unknown') : reason;
}

function causesOf(status: KubeStatus | undefined): string[] {
  return (status?.details?.causes ?? []).map(({ field, message, reason }) => {
    const text = message ?? reason ?? '';
    return clip(field === undefined || field === '' ? text : `${field}: ${text}`);
  });
}

const clip = (text: string): string => (text.length <= LONGEST_MESSAGE ? text : `${text.slice(0, LONGEST_MESSAGE)}…`);

const ADVICE: Readonly<Record<TransportError['failure'], string>> = {
  unreachable: 'check that the API server runs, and the server address, CA and proxy of its kubeconfig',
  'not-processed': 'the server is shutting down or overloaded; the request is retried',
  lost: 'the request may or may not have been carried out; the state is read again before the next try',
  timeout: 'check the load of the API server and the network to it',
  'too-large': 'read less at once, or raise the limit of answers',
  credentials: 'check the cluster and the user of its context in the kubeconfig',
  closed: 'Flotilla is shutting down or has dropped this cluster',
};

/** Errors of the validity of certificates, in the words of OpenSSL. */
const OF_TIME = /certificate (has expired|is not yet valid)/;
const NO_API_SERVER = /^the answer is (not JSON|no list of resources)/;

/** Reads are named by their verb; after one nothing can have been carried out. */
const READ = /^(?:get|list|watch|read)\b/;
const READ_AGAIN = 'nothing was changed; the read is retried';

function adviceOf({ failure, message }: TransportError, what: string): string {
  if (failure === 'unreachable' && OF_TIME.test(message)) return `${ADVICE.unreachable}, and the clock of this machine`;
  if (failure !== 'lost') return ADVICE[failure];
  const lost = READ.test(what) ? READ_AGAIN : ADVICE.lost;
  if (!NO_API_SERVER.test(message)) return lost;
  return `the answer is not from a Kubernetes API server: check the server address; ${lost}`;
}

const OUTAGE_REASONS: Readonly<Partial<Record<TransportError['failure'], string>>> = {
  timeout: 'Timeout',
  'too-large': 'ResponseTooLarge',
};

/**
 * Returns a failure of the network, of the credentials or of time as the port's error of status 0. `fault`: a
 * known fault of the credentials; some servers end the connection for it.
 */
export function outage(
  cluster: string,
  server: URL,
  what: string,
  error: TransportError,
  fault?: string,
): KubeApiError {
  const reason = OUTAGE_REASONS[error.failure] ?? 'Unreachable';
  const place = `${server.protocol}//${server.host}${server.pathname === '/' ? '' : server.pathname}`;
  const message = `cluster "${cluster}" at ${place}: ${what}: ${withFault(clip(error.message), fault)}; ${adviceOf(error, what)}`;
  return new KubeApiError(cluster, 0, reason, message);
}
