import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { MessageLine, ReceiverType } from '../../kernel/api/fleet/fleet-notification.js';
import { composeMessage } from './compose-message.js';
import { notificationOf } from './notification.fixture.js';
import { receiverRequest } from './receiver-requests.js';
import { webhookHeaders } from './webhook-signature.js';

const NOW = Date.parse('2026-01-05T01:00:10Z');
const URL = 'https://receiver.example/secret-path';
const KEY = Buffer.from('MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', 'base64');
const LONG = `<!channel> & "quotes" ${'x'.repeat(5_000)}`;

const line = (at: number, message: string): MessageLine => ({
  ...{ event: 'Halted', severity: at === 0 ? 'Error' : 'Warning', subject: `FleetOperator/platform/o-${at}` },
  ...{ message, at: '2026-01-05T01:00:00.000Z', path: `/rollouts/platform%2Fo-${at}` },
});
const batch = (lines: readonly MessageLine[], count: number) => ({
  ...{ id: 'f'.repeat(32), since: '2026-01-05T01:00:00.000Z', counts: { Halted: count }, lines: [...lines] },
});
const built = (type: ReceiverType, spec: object, lines: readonly MessageLine[], count: number) => {
  const message = composeMessage(notificationOf(spec), batch(lines, count));
  const request = receiverRequest(type, message, { url: URL, signingKey: KEY, routingKey: 'r'.repeat(32) }, NOW);
  return { ...request, json: JSON.parse(request.body) as unknown };
};
const CONSOLE = { consoleURL: 'https://console.example/' };
const cases = [
  ['one event', CONSOLE, [line(0, 'resume it')], 1],
  ['ten of a thousand, without a console', {}, Array.from({ length: 10 }, (_, at) => line(at, 'x')), 1_000],
  ['texts that are too long and hostile', CONSOLE, Array.from({ length: 10 }, (_, at) => line(at, LONG)), 10],
  ['a title that is too long', { template: { title: `{{summary}} ${'t'.repeat(240)}` } }, [line(0, LONG)], 1],
] as const;

/**
 * The vendors' published formats, with their limits:
 * Slack: https://docs.slack.dev/messaging/sending-messages-using-incoming-webhooks and
 * https://docs.slack.dev/reference/block-kit/blocks;
 * Teams: https://learn.microsoft.com/microsoftteams/platform/webhooks-and-connectors/how-to/connectors-using
 * and https://adaptivecards.io/explorer;
 * PagerDuty: https://developer.pagerduty.com/docs/events-api-v2/trigger-events;
 * CloudEvents: https://github.com/cloudevents/spec/blob/v1.0.2/cloudevents/formats/json-format.md.
 */
const SlackText = (type: string, most: number) =>
  z.strictObject({ type: z.literal(type), text: z.string().min(1).max(most) });
const FORMATS: Readonly<Record<ReceiverType, z.ZodType>> = {
  Slack: z.strictObject({
    text: z.string().min(1).max(40_000),
    blocks: z
      .array(
        z.union([
          z.strictObject({ type: z.literal('header'), text: SlackText('plain_text', 150) }),
          z.strictObject({ type: z.literal('section'), text: SlackText('mrkdwn', 3_000) }),
        ]),
      )
      .min(1)
      .max(50),
  }),
  Teams: z.strictObject({
    type: z.literal('message'),
    attachments: z.tuple([
      z.strictObject({
        contentType: z.literal('application/vnd.microsoft.card.adaptive'),
        contentUrl: z.null(),
        content: z.strictObject({
          $schema: z.literal('http://adaptivecards.io/schemas/adaptive-card.json'),
          type: z.literal('AdaptiveCard'),
          version: z.enum(['1.2', '1.3', '1.4', '1.5']),
          body: z.array(
            z.strictObject({
              type: z.literal('TextBlock'),
              wrap: z.literal(true),
              text: z.string().min(1),
              weight: z.enum(['Default', 'Lighter', 'Bolder']).optional(),
              size: z.enum(['Default', 'Small', 'Medium', 'Large', 'ExtraLarge']).optional(),
            }),
          ),
          actions: z
            .array(z.strictObject({ type: z.literal('Action.OpenUrl'), title: z.string(), url: z.url() }))
            .optional(),
        }),
      }),
    ]),
  }),
  PagerDuty: z.strictObject({
    routing_key: z.string().length(32),
    event_action: z.enum(['trigger', 'acknowledge', 'resolve']),
    dedup_key: z.string().max(255),
    payload: z.strictObject({
      summary: z.string().min(1).max(1_024),
      source: z.string().min(1),
      severity: z.enum(['critical', 'error', 'warning', 'info']),
      timestamp: z.iso.datetime(),
      class: z.string(),
      custom_details: z.record(z.string(), z.unknown()),
    }),
    client: z.string(),
    client_url: z.url().optional(),
    links: z.array(z.strictObject({ href: z.url(), text: z.string() })),
  }),
  Webhook: z.strictObject({
    specversion: z.literal('1.0'),
    id: z.string().min(1),
    source: z.string().min(1),
    type: z.string().min(1),
    time: z.iso.datetime(),
    datacontenttype: z.literal('application/json'),
    data: z.record(z.string(), z.unknown()),
  }),
};
/** Largest bodies: Teams takes 28 KB, PagerDuty 512 KB; the others name none. */
const MOST_BYTES: Readonly<Record<ReceiverType, number>> = {
  Slack: 100_000,
  Teams: 28_672,
  PagerDuty: 524_288,
  Webhook: 100_000,
};

describe.each(Object.keys(FORMATS) as ReceiverType[])('a message for %s', (type) => {
  it.each(cases)('has the published format: %s', (_what, spec, lines, count) => {
    const { json, body, url } = built(type, spec, lines, count);
    expect(FORMATS[type].safeParse(json).error?.issues ?? []).toEqual([]);
    expect(Buffer.byteLength(body)).toBeLessThanOrEqual(MOST_BYTES[type]);
    expect(url).toBe(URL);
    expect(body).not.toContain('secret-path');
  });
});

it('leads to the console, and counts events that it does not show', () => {
  for (const type of ['Slack', 'Teams', 'PagerDuty', 'Webhook'] as const) {
    expect(built(type, CONSOLE, [line(0, 'x')], 1).body).toContain('https://console.example/rollouts/platform%2Fo-0');
    expect(built(type, {}, [line(0, 'x')], 1_000).body).toMatch(/and 999 more|"more":999/);
  }
});

it('cannot mention a channel of Slack by a foreign text', () => {
  const { body } = built('Slack', {}, [line(0, '<!channel> & <https://evil.example|here>')], 1);
  expect(body).not.toMatch(/<!channel>|<https:\/\/evil/);
  expect(body).toContain('&lt;!channel&gt; &amp; ');
});

it('has links that open in Teams, and none of a foreign text', () => {
  const { body } = built('Teams', CONSOLE, [line(0, '[here](https://evil.example) *a_b* c:\\d')], 1);
  const [, text] = JSON.parse(body).attachments[0].content.body.map((one: { text: string }) => one.text);
  expect(text).toBe(
    '🔴 Halted FleetOperator/platform/o-0: \\[here\\](https://evil.example) \\*a\\_b\\* c:\\\\d ' +
      '[Open](https://console.example/rollouts/platform%2Fo-0)',
  );
});

it('has a link to a console below a path, whatever follows in its address', () => {
  const { body } = built('Slack', { consoleURL: 'https://console.example/flotilla/?a=1&b=2#top' }, [line(0, 'x')], 1);
  expect(body).toContain('<https://console.example/flotilla/rollouts/platform%2Fo-0|Open>');
  const ampersand = built('Slack', { consoleURL: 'https://console.example/a&b' }, [line(0, 'x')], 1).body;
  expect(ampersand).toContain('<https://console.example/a&amp;b/rollouts/platform%2Fo-0|Open>');
});

it('is the same bytes after the status was read from an API server, which orders keys', () => {
  const backwards = <T extends object>(of: T): T => Object.fromEntries(Object.entries(of).toReversed()) as T;
  const lines = [line(0, 'x'), line(1, 'y')];
  const counts = { Halted: 2, GateRed: 1, Completed: 1 };
  for (const type of Object.keys(FORMATS) as ReceiverType[]) {
    const of = (one: ReturnType<typeof batch>) =>
      receiverRequest(type, composeMessage(notificationOf(), one), { url: URL, signingKey: KEY }, NOW).body;
    const stored = backwards({ ...batch(lines.map(backwards), 2), counts: backwards(counts) });
    expect(of(stored)).toBe(of({ ...batch(lines, 2), counts }));
  }
});

describe('the signature of a webhook', () => {
  // https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md
  it('is that of the example of Standard Webhooks', () => {
    const of = { id: 'msg_p5jXN8AQM9LWM0D4loKWxJek', body: '{"test": 2432232314}' };
    expect(webhookHeaders(KEY, of, 1_614_265_330_000)).toEqual({
      ...{ 'webhook-id': of.id, 'webhook-timestamp': '1614265330' },
      'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
    });
  });

  it('covers the message, its identity and the time', () => {
    const { headers, body } = built('Webhook', {}, [line(0, 'x')], 1);
    const id = 'f'.repeat(32);
    const signed = webhookHeaders(KEY, { id, body }, NOW);
    expect(headers).toEqual({ 'content-type': 'application/cloudevents+json', ...signed });
    expect(signed['webhook-id']).toBe(id);
  });
});
