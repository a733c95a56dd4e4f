import type { ReceiverType } from '../../kernel/api/fleet/fleet-notification.js';
import type { KubernetesObject } from '../../kernel/api/kubernetes-object.js';

/** The type of the Secrets that receivers may refer to: no Secret of another purpose is read. */
export const RECEIVER_SECRET = 'fleet.flotilla.dev/receiver';

/** Address of a receiver, and the keys that it needs. */
export type ReceiverLogin = Readonly<{
  url: string;
  signingKey?: Buffer | undefined;
  routingKey?: string | undefined;
}>;

const NEEDED: Readonly<Record<ReceiverType, readonly string[]>> = {
  Webhook: ['url', 'signingKey'],
  Slack: ['url'],
  Teams: ['url'],
  PagerDuty: ['routingKey'],
};
const PAGERDUTY_URL = 'https://events.pagerduty.com/v2/enqueue';
const ROUTING_KEY = /^\S{32}$/;
const LONGEST_VALUE = 4_096;
const KEY_BYTES = { least: 24, most: 64 } as const;

/** Reads the Secret of a receiver. No value of the Secret is in the problem. */
export function receiverLogin(
  type: ReceiverType,
  place: string,
  secret: KubernetesObject | undefined,
): Readonly<{ login: ReceiverLogin } | { problem: string }> {
  if (secret === undefined) return { problem: `there is no Secret ${place}: create it` };
  if (secret['type'] !== RECEIVER_SECRET) {
    return { problem: `Secret ${place} is not used: its type must be ${RECEIVER_SECRET}` };
  }
  const values = valuesOf(secret);
  const missing = NEEDED[type].filter((key) => (values[key] ?? '') === '');
  if (missing.length > 0) return { problem: `Secret ${place} lacks ${missing.join(' and ')}: add it` };
  const address = addressOf(values['url'] ?? PAGERDUTY_URL);
  if ('fault' in address) return { problem: `key url of Secret ${place} ${address.fault}` };
  const { url } = address;
  const { routingKey } = values;
  if (type === 'PagerDuty' && !ROUTING_KEY.test(routingKey ?? '')) {
    return { problem: `key routingKey of Secret ${place} must have 32 characters: correct it` };
  }
  if (type !== 'Webhook') return { login: { url, routingKey } };
  const signingKey = signingKeyOf(values['signingKey'] ?? '');
  if (signingKey !== undefined) return { login: { url, signingKey } };
  const form = `whsec_ and base64 of ${KEY_BYTES.least} to ${KEY_BYTES.most} bytes`;
  return { problem: `key signingKey of Secret ${place} must be ${form}: correct it` };
}

function valuesOf(secret: KubernetesObject): Readonly<Record<string, string>> {
  const data = secret['data'];
  if (typeof data !== 'object' || data === null) return {};
  return Object.fromEntries(
    Object.entries(data).flatMap(([key, value]) => {
      if (typeof value !== 'string' || value.length > 2 * LONGEST_VALUE) return [];
      return [[key, Buffer.from(value, 'base64').toString('utf8').trim()]];
    }),
  );
}

function addressOf(text: string): Readonly<{ url: string } | { fault: string }> {
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol)) return { fault: 'is no URL with http or https: correct it' };
  // Errors of programs on the way quote them.
  if (url.username !== '' || url.password !== '') return { fault: 'has a user name or a password: remove them' };
  return { url: url.href };
}

function signingKeyOf(text: string): Buffer | undefined {
  const [, encoded = ''] = /^whsec_([A-Za-z0-9+/]+={0,2})$/.exec(text) ?? [];
  const key = Buffer.from(encoded, 'base64');
  return key.length >= KEY_BYTES.least && key.length <= KEY_BYTES.most ? key : undefined;
}
