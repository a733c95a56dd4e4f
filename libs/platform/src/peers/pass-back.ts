import type { ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';
import type { PeerAnswer } from './peer-requests.js';

/** Gives the client the answer of another poller, byte by byte. Rejects if one of the two is gone. */
export async function passBack({ status, headers, body }: PeerAnswer, response: ServerResponse): Promise<void> {
  response.writeHead(status, headers);
  await pipeline(body, response);
}
