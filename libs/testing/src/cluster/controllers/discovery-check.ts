import { type RequestOptions, request } from 'node:https';
import { isObject, type JsonObject } from '../objects/json.js';

const TIMEOUT_MS = 5_000;

export type DiscoveryAnswer = Readonly<{ served: JsonObject } | { fault: string }>;

/**
 * Asks the backend of an aggregated API for its discovery. Uses TLS with the name of its Service, as the API
 * server does.
 */
export function askBackend(
  url: string,
  { ca, servername }: Readonly<{ servername: string; ca: string | undefined }>,
): Promise<DiscoveryAnswer> {
  const options: RequestOptions = {
    ...{ servername, timeout: TIMEOUT_MS, agent: false },
    ...(ca === undefined ? { rejectUnauthorized: false } : { ca }),
  };
  return new Promise((resolve) => {
    const failed = (why: string) => resolve({ fault: `failing or missing response from ${url}: ${why}` });
    const sent = request(url, options, (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (chunk: string) => {
        text += chunk;
      });
      response.on('end', () => {
        const { statusCode = 0 } = response;
        if (statusCode < 200 || statusCode >= 300) failed(`bad status from ${url}: ${statusCode}`);
        else resolve({ served: listOf(text) });
      });
    });
    sent.on('timeout', () => sent.destroy(new Error('context deadline exceeded')));
    sent.on('error', (error) => failed(`Get "${url}": ${error.message}`));
    sent.end();
  });
}

function listOf(text: string): JsonObject {
  try {
    const body: unknown = JSON.parse(text);
    return isObject(body) ? body : {};
  } catch {
    return {};
  }
}
