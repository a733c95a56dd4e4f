import { FlotillaError, type Retry } from '#core/kernel/errors/flotilla.error';
import { cutText } from '#core/kernel/text/cut-text';
import type { IssuerConnections, IssuerRequest } from '#platform/console/issuer-connections';

/** The issuer sends more than any answer of one has. */
class IssuerAnswerTooLarge extends FlotillaError {
  readonly code = 'IssuerAnswerTooLarge';
  readonly retry: Retry = 'when-input-changes';
  constructor(address: string) {
    super(`${cutText(address, 150)} answers with more than ${MOST_BYTES} bytes`);
  }
}

/** Metadata, keys, tokens and claims of a person with many groups are far smaller. */
const MOST_BYTES = 1_048_576;

/**
 * Asks the issuer, or an address that it names: follows no redirect, and reads an answer up to its bound. The
 * signal bounds its time.
 */
export async function issuerFetch(
  connections: IssuerConnections,
  address: string,
  request: IssuerRequest,
): Promise<Response> {
  const response = await connections.fetch(address, request);
  const pieces: Uint8Array[] = [];
  let length = 0;
  for await (const piece of response.body ?? []) {
    length += piece.length;
    // Leaving the loop closes the connection.
    if (length > MOST_BYTES) throw new IssuerAnswerTooLarge(address);
    pieces.push(piece);
  }
  const { status, statusText } = response;
  const headers = new Headers();
  response.headers.forEach((value, name) => {
    headers.append(name, value);
  });
  return new Response(length === 0 ? null : Buffer.concat(pieces), { status, statusText, headers });
}
