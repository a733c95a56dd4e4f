import { connect as connectTcp, type Socket } from 'node:net';
import { type ConnectionOptions, connect as connectTls } from 'node:tls';

const WAIT_MS = 500;
const LONGEST_LINE = 4_096;
const DEFAULT_PORT = 6_379;

/**
 * Returns the error line of a Redis that refuses a connection before any command, such as
 * `DENIED Redis is running in protected mode …`. Returns undefined if Redis sends none. The client library
 * loses this line if it writes first and its write fails, so this connection only reads.
 */
export function refusalLine(url: URL, tls: ConnectionOptions = {}): Promise<string | undefined> {
  return new Promise((resolve) => {
    const socket = open(placeOf(url), tls);
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

type Place = Readonly<{ host: string; port: number; speaksTls: boolean }>;

const placeOf = (url: URL): Place => ({
  host: url.hostname.replace(/^\[|\]$/g, ''),
  port: Number(url.port || DEFAULT_PORT),
  speaksTls: url.protocol === 'rediss:',
});

const open = ({ host, port, speaksTls }: Place, tls: ConnectionOptions): Socket =>
  speaksTls ? connectTls({ ...tls, host, port }) : connectTcp({ host, port });

const SENTINEL_CLOSED = /^(failed to connect to sentinel (.+):(\d+) because )Connection is closed/;

/**
 * Returns the error of a Sentinel, with the error that a separate connection meets there. The client library
 * drops the error of its connections to Sentinels, and says that they are closed.
 */
export function sentinelFailure(error: Error, speaksTls: boolean, tls: ConnectionOptions = {}): Promise<Error> {
  const [, begin, host, port] = SENTINEL_CLOSED.exec(error.message) ?? [];
  if (begin === undefined || host === undefined) return Promise.resolve(error);
  return new Promise((resolve) => {
    const socket = open({ host, port: Number(port), speaksTls }, tls);
    const end = (met?: Error) => {
      socket.destroy();
      resolve(met === undefined ? error : Object.assign(new Error(begin + met.message), { code: codeOf(met) }));
    };
    socket.setTimeout(WAIT_MS, () => end());
    socket.once('error', end);
    socket.once(speaksTls ? 'secureConnect' : 'connect', () => end());
  });
}

const codeOf = (error: Error): string => ('code' in error ? String(error.code) : '');
