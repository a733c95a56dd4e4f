import { z } from 'zod';
import type { AwsKeys } from './eks-login.js';

/** A token that a cloud gave; milliseconds since 1970. */
export type CloudToken = Readonly<{ token: string; until: number }>;

/** A token that goes into a header: RFC 6750, and no longer than any cloud makes it. */
const TOKEN = /^[\w.~+/=-]{1,32768}$/;
/** The last second of the year 9999. */
const MOST_SECONDS = 253_402_300_800;

const seconds = z.union([
  z.number(),
  z
    .string()
    .regex(/^\d{1,12}$/)
    .transform(Number),
]);
const AccessToken = z.object({ access_token: z.string().regex(TOKEN), expires_in: seconds });
const Impersonated = z.object({ accessToken: z.string().regex(TOKEN), expireTime: z.string() });
const ContainerKeys = z.object({
  AccessKeyId: z.string().regex(/^\w{1,128}$/),
  SecretAccessKey: z.string().min(1).max(1_024),
  Token: z.string().min(1).max(32_768),
  Expiration: z.string(),
});

/** Reads the answer of a token endpoint of OAuth 2.0. Returns undefined if it has no token and no end. */
export function readAccessToken(text: string, nowMs: number): CloudToken | undefined {
  const { data } = AccessToken.safeParse(jsonOf(text));
  if (data === undefined || !(data.expires_in > 0 && data.expires_in < MOST_SECONDS)) return undefined;
  return { token: data.access_token, until: nowMs + data.expires_in * 1_000 };
}

/** Reads the answer of `generateAccessToken` of Google's IAM. Returns undefined if it has no token. */
export function readImpersonatedToken(text: string): CloudToken | undefined {
  const { data } = Impersonated.safeParse(jsonOf(text));
  const until = timeOf(data?.expireTime);
  return data === undefined || until === undefined ? undefined : { token: data.accessToken, until };
}

/** Reads the credentials that the agent of EKS pod identity gives. Returns undefined if there are none. */
export function readContainerKeys(text: string): AwsKeys | undefined {
  const { data } = ContainerKeys.safeParse(jsonOf(text));
  const until = timeOf(data?.Expiration);
  if (data === undefined || until === undefined) return undefined;
  return { id: data.AccessKeyId, secret: data.SecretAccessKey, token: data.Token, until };
}

/** Reads the credentials of a role in an answer of AWS STS. Returns undefined if there are none. */
export function readStsKeys(text: string): AwsKeys | undefined {
  const [id, secret, token] = ['AccessKeyId', 'SecretAccessKey', 'SessionToken'].map((name) => elementOf(text, name));
  const until = timeOf(elementOf(text, 'Expiration'));
  if (!id || !secret || !token || until === undefined) return undefined;
  return { id, secret, token, until };
}

/** Returns the reason that a cloud gives for a refusal: a code and a message, if the answer has them. */
export function refusalIn(text: string): string {
  if (text.trimStart().startsWith('<'))
    return [elementOf(text, 'Code'), elementOf(text, 'Message')].filter(Boolean).join(': ');
  const { data } = Refusal.safeParse(jsonOf(text));
  if (data === undefined) return '';
  const { error, error_description: description = '', code, message } = data;
  const inner = typeof error === 'object' ? [error.status, error.message] : [error, description];
  return [...inner, code, message].filter(Boolean).join(': ');
}

const said = z.string().optional();
const Refusal = z.object({
  error: z.union([z.string(), z.object({ status: said, message: said })]).optional(),
  error_description: said,
  code: said,
  message: said,
});

/** Returns the text of the first element of that name; AWS writes each of these once. */
function elementOf(text: string, name: string): string | undefined {
  const open = `<${name}>`;
  const at = text.indexOf(open);
  const end = at < 0 ? -1 : text.indexOf(`</${name}>`, at);
  return end < 0 ? undefined : unescaped(text.slice(at + open.length, end).trim());
}

const ENTITIES: Readonly<Record<string, string>> = { lt: '<', gt: '>', quot: '"', apos: "'", amp: '&' };
const unescaped = (text: string): string =>
  text.replaceAll(/&(lt|gt|quot|apos|amp);/g, (_whole, name: string) => ENTITIES[name] ?? '');

function timeOf(text: string | undefined): number | undefined {
  if (text === undefined || !/^\d{4}-\d\d-\d\dT/.test(text)) return undefined;
  const time = Date.parse(text);
  return Number.isNaN(time) ? undefined : time;
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
