import { connect as connectTcp, type Socket } from 'node:net';
import { type ConnectionOptions, connect as connectTls } from 'node:tls';

const WAIT_MS = 500;
const LONGEST_LINE = 4_096;
const DEFAULT_PORT = 6_379;

/**
 * The error line with which a Redis turns a connection away before any command, such as `DENIED Redis is
 * running in protected mode …`; undefined where it sends none. The client library loses this line when it
 * writes first and its write fails, so this connection only reads.
 */
export function refusalLine(url: URL, tls: ConnectionOptions = {}): Promise<string | undefined> {
  return new Promise((resolve) => {
    const socket = open(url, tls);
    let received = '';
    const end = () => {
      socket.destroy();
      resolve(/^-([^\r\n]+)/.exec(received)?.[1]);
    };
    socket.setTimeout(WAIT_MS, end);
    const timer = setTimeout(end, 2 * WAIT_MS);
    socket.on('data', (chunk: Buffer) => {
      received += chunk.toString('utf8', 0, LONGEST_LINE);
      if (received.includes('\n') || received.length > LONGEST_LINE) end();
    });
    socket.on('error', end);
    socket.on('close', () => {
      clearTimeout(timer);
      end();
    });
  });
}

function open(url: URL, tls: ConnectionOptions): Socket {
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const port = Number(url.port || DEFAULT_PORT);
  return url.protocol === 'rediss:' ? connectTls({ ...tls, host, port }) : connectTcp({ host, port });
}
