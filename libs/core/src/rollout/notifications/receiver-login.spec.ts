import { describe, expect, it } from 'vitest';
import type { ReceiverType } from '../../kernel/api/fleet/fleet-notification.js';
import type { KubernetesObject } from '../../kernel/api/kubernetes-object.js';
import { RECEIVER_SECRET, receiverLogin } from './receiver-login.js';

const HUSH = 'https://hush.example/hush-path';
const KEY = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
const secret = (data: Readonly<Record<string, unknown>>, type: string = RECEIVER_SECRET): KubernetesObject =>
  ({
    ...{ apiVersion: 'v1', kind: 'Secret', type, metadata: { name: 's' } },
    data: Object.fromEntries(
      Object.entries(data).map(([key, value]) => [
        key,
        typeof value === 'string' ? Buffer.from(value).toString('base64') : value,
      ]),
    ),
  }) as KubernetesObject;
const ROUTING_KEY = 'r'.repeat(32);
const read = (type: ReceiverType, object: KubernetesObject | undefined) => receiverLogin(type, 'r/s', object);

describe('the Secret of a receiver', () => {
  it.each([
    ['Slack', { url: `${HUSH}\n` }, { url: HUSH }],
    ['Webhook', { url: HUSH, signingKey: KEY }, { url: HUSH, signingKey: Buffer.alloc(32, 7) }],
    [
      'PagerDuty',
      { routingKey: ROUTING_KEY },
      { url: 'https://events.pagerduty.com/v2/enqueue', routingKey: ROUTING_KEY },
    ],
    [
      'PagerDuty',
      { routingKey: ROUTING_KEY, url: 'https://events.eu.pagerduty.com/v2/enqueue' },
      { routingKey: ROUTING_KEY, url: 'https://events.eu.pagerduty.com/v2/enqueue' },
    ],
  ] as const)('gives the login of %s', (type, data, login) => {
    expect(read(type, secret(data))).toEqual({ login });
  });

  it.each([
    ['is absent', undefined, 'there is no Secret r/s: create it'],
    [
      'has another type',
      secret({ url: HUSH }, 'Opaque'),
      `Secret r/s is not used: its type must be ${RECEIVER_SECRET}`,
    ],
    ['has no keys', secret({}), 'Secret r/s lacks url and signingKey: add it'],
    ['has values that are no text', secret({ url: 7, signingKey: KEY }), 'Secret r/s lacks url: add it'],
    [
      'has no URL',
      secret({ url: 'hush-no-url', signingKey: KEY }),
      'key url of Secret r/s is no URL with http or https: correct it',
    ],
    [
      'has another scheme',
      secret({ url: 'file:///hush', signingKey: KEY }),
      'key url of Secret r/s is no URL with http or https: correct it',
    ],
    [
      'has a user and a password',
      secret({ url: 'https://hush:hush@chat.example/', signingKey: KEY }),
      'key url of Secret r/s has a user name or a password: remove them',
    ],
    [
      'has a short key',
      secret({ url: HUSH, signingKey: 'whsec_aHVzaA==' }),
      'key signingKey of Secret r/s must be whsec_ and base64 of 24 to 64 bytes: correct it',
    ],
  ])('is named without its values if it %s', (_what, object, problem) => {
    expect(read('Webhook', object)).toEqual({ problem });
    expect(problem).not.toContain('hush');
  });

  it('is named if PagerDuty would refuse its key for ever', () => {
    const problem = 'key routingKey of Secret r/s must have 32 characters: correct it';
    expect(read('PagerDuty', secret({ routingKey: 'hush' }))).toEqual({ problem });
  });
});
