import { connect, type Socket } from 'node:net';
import { AnswerReader } from './answer-reader.js';

const READ_BYTES = 256 * 1024;

/** The received answer; `bytes` of the body. */
export type Received = Readonly<{ status: number; bytes: number }>;

/**
 * One question after the other over one connection, with everything read into the same memory. Node's own
 * client makes a buffer of each 64 KiB that come, and its garbage collector then takes longer than the server
 * that is measured (why: tests.md "Servers are measured without garbage").
 */
export class OneConnection {
  #reader: AnswerReader | undefined;
  #settled: { resolve: (received: Received) => void; reject: (error: Error) => void } | undefined;

  private constructor(
    private readonly socket: Socket,
    private readonly host: string,
  ) {}

  static async open(base: string): Promise<OneConnection> {
    const { hostname, port, host } = new URL(base);
    const buffer = Buffer.allocUnsafe(READ_BYTES);
    let opened: OneConnection | undefined;
    const callback = (length: number) => {
      opened?.read(buffer.subarray(0, length));
      return true;
    };
    const socket = connect({ host: hostname, port: Number(port), noDelay: true, onread: { buffer, callback } });
    await new Promise<void>((resolve, reject) => {
      socket.once('connect', resolve).once('error', reject);
    });
    opened = new OneConnection(socket, host);
    const failed = opened.#failed.bind(opened);
    socket.on('error', failed).on('close', () => failed(new Error(`${base} closed the connection`)));
    return opened;
  }

  /** `take` gets pieces of the body that are valid only until it returns. */
  ask(path: string, gzip = false, take?: (piece: Buffer) => void): Promise<Received> {
    this.#reader = new AnswerReader(take);
    const encoding = gzip ? 'Accept-Encoding: gzip\r\n' : '';
    return new Promise((resolve, reject) => {
      this.#settled = { resolve, reject };
      this.socket.write(`GET ${path} HTTP/1.1\r\nHost: ${this.host}\r\n${encoding}\r\n`);
    });
  }

  close(): void {
    this.socket.removeAllListeners('close');
    this.socket.destroy();
  }

  private read(received: Buffer): void {
    const reader = this.#reader;
    if (reader === undefined) return;
    reader.read(received);
    if (!reader.done) return;
    this.#reader = undefined;
    this.#settled?.resolve({ status: reader.status, bytes: reader.bytes });
  }

  #failed(error: Error): void {
    this.#settled?.reject(error);
  }
}
