import { pause } from '../../patience.js';
import { configMapExchanges } from './config-map-exchanges.js';
import { customResourceExchanges } from './custom-resource-exchanges.js';
import { type Answer, NAMESPACE, type RecordedExchange, type Send } from './exchange.js';
import { workloadExchanges } from './workload-exchanges.js';

/** Every exchange, in the order that they must be sent in. */
export const exchanges: readonly RecordedExchange[] = [
  {
    because: 'a namespace is Active at once',
    method: 'POST',
    path: '/api/v1/namespaces?fieldManager=m',
    body: { metadata: { name: NAMESPACE } },
  },
  { because: 'a group lists its versions', method: 'GET', path: '/apis/apps' },
  { because: 'outside every group there is no Status', method: 'GET', path: '/apis/none/v1/foos' },
  { because: 'inside a served group there is one', method: 'GET', path: '/api/v1/foos' },
  ...configMapExchanges,
  ...workloadExchanges,
  ...customResourceExchanges,
  { because: 'a namespace goes through Terminating', method: 'DELETE', path: `/api/v1/namespaces/${NAMESPACE}` },
  { because: 'and is gone once it is empty', method: 'GET', path: `/api/v1/namespaces/${NAMESPACE}`, until: 404 },
];

const PAUSE_MS = 50;
const MAX_TRIES = 200;

/** Returns all answers of an API server, with the differences between runs made equal. */
export async function replay(send: Send): Promise<Answer[]> {
  const answers: Answer[] = [];
  for (const exchange of exchanges) answers.push(await settled(send, exchange));
  return answers.map(({ code, body, warnings }) => ({ code, body: comparable(body), warnings }));
}

async function settled(send: Send, exchange: RecordedExchange): Promise<Answer> {
  for (let tries = 1; ; tries += 1) {
    const answer = await send(exchange);
    if (exchange.until === undefined || answer.code === exchange.until) return answer;
    if (tries === MAX_TRIES) throw new Error(`${exchange.method} ${exchange.path} never answered ${exchange.until}`);
    await pause(PAUSE_MS);
  }
}

const VARIABLE = new Set([
  'uid',
  'resourceVersion',
  'creationTimestamp',
  'deletionTimestamp',
  'lastTransitionTime',
  'time',
  'storageVersionHash',
  'clusterIP',
  'clusterIPs',
]);
const PER_RUN = /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|in record \(\d+\)/g;

/** Go's maps have no order, so neither have the faults found in one: they are compared sorted. */
function comparable(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(comparable);
  if (typeof value === 'string') return value.replace(PER_RUN, '*');
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([name, inner]) => [name, comparableField(name, inner)]));
}

function comparableField(name: string, inner: unknown): unknown {
  if (VARIABLE.has(name)) return '*';
  const equal = comparable(inner);
  if (name === 'causes' && Array.isArray(equal)) return equal.map((cause) => JSON.stringify(cause)).sort();
  const several = name === 'message' ? /^(.* is invalid: )\[(.*)\]$/.exec(String(equal)) : null;
  return several === null ? equal : `${several[1]}${(several[2] ?? '').split(', ').sort().join(', ')}`;
}
