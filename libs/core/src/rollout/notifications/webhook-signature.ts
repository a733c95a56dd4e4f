import { createHmac } from 'node:crypto';

const MS_IN_SECOND = 1_000;

/**
 * Returns the headers of a webhook as Standard Webhooks define them. The signature is HMAC-SHA256 over
 * `ID.TIMESTAMP.BODY`.
 */
export function webhookHeaders(
  key: Buffer,
  { id, body }: Readonly<{ id: string; body: string }>,
  now: number,
): Readonly<Record<string, string>> {
  const timestamp = String(Math.floor(now / MS_IN_SECOND));
  const signature = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64');
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': `v1,${signature}` };
}
