import { createHash, createHmac } from 'node:crypto';
import type { AwsKeys } from './eks-login.js';

/** A request to a service of AWS that is signed: version 4, algorithm AWS4-HMAC-SHA256. */
export type AwsRequest = Readonly<{
  method: 'GET' | 'POST';
  host: string;
  region: string;
  service: string;
  /** Further headers that the signature covers, with names in small letters. */
  headers: Readonly<Record<string, string>>;
  query: Readonly<Record<string, string>>;
  body: string;
}>;

const ALGORITHM = 'AWS4-HMAC-SHA256';

/**
 * Returns the URL of a request with its signature in the query, valid for `seconds`
 * (https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html).
 */
export function presignedUrl(request: AwsRequest, keys: AwsKeys, seconds: number, now: Date): string {
  const scope = scopeOf(request, now);
  const headers = { ...request.headers, host: request.host };
  const query = {
    ...request.query,
    'X-Amz-Algorithm': ALGORITHM,
    'X-Amz-Credential': `${keys.id}/${scope}`,
    'X-Amz-Date': timeOf(now),
    'X-Amz-Expires': String(seconds),
    'X-Amz-SignedHeaders': namesOf(headers),
    ...(keys.token === undefined ? {} : { 'X-Amz-Security-Token': keys.token }),
  };
  const signature = sign({ ...request, headers, query }, keys, now);
  return `https://${request.host}/?${queryText(query)}&X-Amz-Signature=${signature}`;
}

/** Returns the headers of a request, with its signature among them. */
export function signedHeaders(request: AwsRequest, keys: AwsKeys, now: Date): Readonly<Record<string, string>> {
  const headers = {
    ...request.headers,
    host: request.host,
    'x-amz-date': timeOf(now),
    ...(keys.token === undefined ? {} : { 'x-amz-security-token': keys.token }),
  };
  const signature = sign({ ...request, headers }, keys, now);
  const credential = `Credential=${keys.id}/${scopeOf(request, now)}`;
  const authorization = `${ALGORITHM} ${credential}, SignedHeaders=${namesOf(headers)}, Signature=${signature}`;
  return { ...headers, authorization };
}

function sign(request: AwsRequest, { secret }: AwsKeys, now: Date): string {
  const { method, headers, query, body, region, service } = request;
  const lines = sorted(headers).map(([name, value]) => `${name}:${value.trim().replaceAll(/\s+/g, ' ')}\n`);
  const canonical = [method, '/', queryText(query), lines.join(''), namesOf(headers), hash(body)].join('\n');
  const text = [ALGORITHM, timeOf(now), scopeOf(request, now), hash(canonical)].join('\n');
  const steps = [timeOf(now).slice(0, 8), region, service, 'aws4_request'];
  const key = steps.reduce<Buffer>((held, step) => keyed(held, step), Buffer.from(`AWS4${secret}`));
  return keyed(key, text).toString('hex');
}

const scopeOf = ({ region, service }: AwsRequest, now: Date): string =>
  `${timeOf(now).slice(0, 8)}/${region}/${service}/aws4_request`;

/** Writes a time as `20260102T150405Z`. */
const timeOf = (now: Date): string => now.toISOString().replaceAll(/[:-]|\.\d{3}/g, '');
const hash = (text: string): string => createHash('sha256').update(text).digest('hex');
const keyed = (key: Buffer, text: string): Buffer => createHmac('sha256', key).update(text).digest();

const sorted = (entries: Readonly<Record<string, string>>): (readonly [name: string, value: string])[] =>
  Object.entries(entries).sort(([one], [other]) => (one < other ? -1 : 1));
const namesOf = (headers: Readonly<Record<string, string>>): string =>
  sorted(headers)
    .map(([name]) => name)
    .join(';');
const queryText = (query: Readonly<Record<string, string>>): string =>
  sorted(query)
    .map(([name, value]) => `${encoded(name)}=${encoded(value)}`)
    .join('&');
/** Encodes all but the unreserved characters of RFC 3986. */
const encoded = (text: string): string =>
  encodeURIComponent(text).replaceAll(/[!'()*]/g, (one) => `%${one.charCodeAt(0).toString(16).toUpperCase()}`);
