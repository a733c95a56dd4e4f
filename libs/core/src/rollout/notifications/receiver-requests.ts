import type { ReceiverType, Severity } from '../../kernel/api/fleet/fleet-notification.js';
import { canonicalJson } from '../../kernel/canonical/canonical-json.js';
import { cutText } from '../../kernel/text/cut-text.js';
import type { Message } from './compose-message.js';
import type { ReceiverLogin } from './receiver-login.js';
import { webhookHeaders } from './webhook-signature.js';

/** A request that delivers a message. */
export type ReceiverRequest = Readonly<{ url: string; headers: Readonly<Record<string, string>>; body: string }>;

type Builds = (message: Message, login: ReceiverLogin, now: number) => ReceiverRequest;
type Text = Readonly<Record<string, unknown>>;

const JSON_TYPE = { 'content-type': 'application/json' };

const moreText = ({ more }: Message): string => `and ${more} more`;

/** CloudEvents 1.0 in structured mode, signed as Standard Webhooks define it. */
const webhook: Builds = (message, { url, signingKey = Buffer.alloc(0) }, now) => {
  const { id, notification, severity, title, lines, counts, more, since } = message;
  const events = lines.map(({ text, url: link, line: { path: _path, ...rest } }) => ({ ...rest, text, link }));
  const body = canonicalJson({
    ...{ specversion: '1.0', id, source: `/fleetnotifications/${notification}` },
    ...{ type: 'dev.flotilla.fleet.notification.v1', time: since, datacontenttype: 'application/json' },
    data: { notification, severity, title, counts, events, more },
  });
  const signed = webhookHeaders(signingKey, { id, body }, now);
  const headers = { 'content-type': 'application/cloudevents+json', ...signed };
  return { url, headers, body };
};

const MOST_HEADER = 150;
const MOST_SECTION = 3_000;
const ICONS: Readonly<Record<Severity, string>> = { Info: '🟢', Warning: '🟠', Error: '🔴' };

/** Escapes the special characters of Slack, so that a text cannot mention users or channels. */
const escaped = (text: string): string => text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;');

/**
 * Cuts escaped text so that it fits. The text is cut before it is escaped: no escape is cut in two.
 */
function fitting(text: string, most: number): string {
  let length = most;
  while (escaped(cutText(text, length)).length > most) length -= Math.max(1, Math.floor(length / 10));
  return escaped(cutText(text, length));
}

/** An incoming webhook of Slack, with blocks of Block Kit. */
const slack: Builds = (message, { url }) => {
  const { severity, title, lines, more } = message;
  const section = (text: string): Text => ({ type: 'section', text: { type: 'mrkdwn', text } });
  const blocks = [
    { type: 'header', text: { type: 'plain_text', text: cutText(`${ICONS[severity]} ${title}`, MOST_HEADER - 2) } },
    ...lines.map(({ text, url: link, line }) => {
      const open = link === undefined ? '' : ` <${escaped(link).replaceAll('|', '%7C')}|Open>`;
      return section(`${ICONS[line.severity]} ${fitting(text, MOST_SECTION - open.length - 8)}${open}`);
    }),
    ...(more > 0 ? [section(moreText(message))] : []),
  ];
  return { url, headers: JSON_TYPE, body: canonicalJson({ text: escaped(title), blocks }) };
};

/** Characters of a line of a card. A message to Teams has at most 28 KB. */
const MOST_CARD_LINE = 500;

/** Escapes the Markdown of Adaptive Cards, so that a text cannot have a link of its own. */
const plainMarkdown = (text: string): string => text.replace(/[\\*_[\]]/g, '\\$&');
const inMarkdownLink = (url: string): string => url.replace(/[()\\\s]/g, (one) => `%${hexOf(one)}`);
const hexOf = (one: string): string => one.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0');

/**
 * A webhook of a workflow of Microsoft Teams, with an Adaptive Card. Teams opens links of Markdown; those of
 * text runs it often does not open.
 */
const teams: Builds = (message, { url }) => {
  const { severity, title, lines, more, consoleURL } = message;
  const block = (text: string, style: Text = {}): Text => ({ type: 'TextBlock', wrap: true, text, ...style });
  const open = (link: string | undefined): string => (link === undefined ? '' : ` [Open](${inMarkdownLink(link)})`);
  const content = {
    ...{ $schema: 'http://adaptivecards.io/schemas/adaptive-card.json', type: 'AdaptiveCard', version: '1.4' },
    body: [
      block(`${ICONS[severity]} ${plainMarkdown(title)}`, { weight: 'Bolder', size: 'Medium' }),
      ...lines.map(({ text, url: link, line }) =>
        block(`${ICONS[line.severity]} ${plainMarkdown(cutText(text, MOST_CARD_LINE))}${open(link)}`),
      ),
      ...(more > 0 ? [block(moreText(message))] : []),
    ],
    ...(consoleURL === undefined
      ? {}
      : { actions: [{ type: 'Action.OpenUrl', title: 'Open Flotilla', url: consoleURL }] }),
  };
  const attachment = { contentType: 'application/vnd.microsoft.card.adaptive', contentUrl: null, content };
  return { url, headers: JSON_TYPE, body: canonicalJson({ type: 'message', attachments: [attachment] }) };
};

const MOST_SUMMARY = 1_024;
const PAGERDUTY_SEVERITY: Readonly<Record<Severity, string>> = { Info: 'info', Warning: 'warning', Error: 'error' };

/** An alert of PagerDuty's Events API v2. A repeated message has the same key, and opens no second alert. */
const pagerDuty: Builds = (message, { url, routingKey = '' }) => {
  const { id, notification, severity, title, lines, counts, more, since, consoleURL } = message;
  const body = canonicalJson({
    ...{ routing_key: routingKey, event_action: 'trigger', dedup_key: `flotilla-${id}` },
    payload: {
      summary: cutText(title, MOST_SUMMARY - 1),
      source: `flotilla/${notification}`,
      severity: PAGERDUTY_SEVERITY[severity],
      timestamp: since,
      class: lines[0]?.line.event ?? '',
      custom_details: { counts, events: lines.map(({ text }) => text), more },
    },
    client: 'Flotilla',
    ...(consoleURL === undefined ? {} : { client_url: consoleURL }),
    links: lines.flatMap(({ url: href, line }) => (href === undefined ? [] : [{ href, text: line.subject }])),
  });
  return { url, headers: JSON_TYPE, body };
};

const BUILDS: Readonly<Record<ReceiverType, Builds>> = {
  Webhook: webhook,
  Slack: slack,
  Teams: teams,
  PagerDuty: pagerDuty,
};

/** Returns the request that delivers a message to a receiver of this type. */
export const receiverRequest = (type: ReceiverType, ...of: Parameters<Builds>): ReceiverRequest => BUILDS[type](...of);
