import { type RequestOptions, request } from 'node:https';

const TIMEOUT_MS = 5_000;

/**
 * Asks the backend of an aggregated API what it serves, over TLS with the name of its Service, as the API server does.
 * Undefined when it answers well; else what is wrong.
 */
export function discoveryFault(
  url: string,
  tls: Readonly<{ servername: string; ca: string | undefined }>,
): Promise<string | undefined> {
  const { ca, servername } = tls;
  const options: RequestOptions = {
    servername,
    timeout: TIMEOUT_MS,
    agent: false,
    ...(ca === undefined ? {} : { ca }),
  };
  return new Promise((resolve) => {
    const sent = request(url, options, (response) => {
      response.resume();
      const { statusCode = 0 } = response;
      if (statusCode >= 200 && statusCode < 300) resolve(undefined);
      else failed(`bad status from ${url}: ${statusCode}`);
    });
    const failed = (why: string) => resolve(`failing or missing response from ${url}: ${why}`);
    sent.on('timeout', () => sent.destroy(new Error('context deadline exceeded')));
    sent.on('error', (error) => failed(`Get "${url}": ${error.message}`));
    sent.end();
  });
}
