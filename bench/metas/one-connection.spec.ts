import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { AnswerReader } from './answer-reader.js';
import { OneConnection } from './one-connection.js';

const BODY = Buffer.from('0123456789abcdef'.repeat(100_000));
let server: Server | undefined;
let connection: OneConnection | undefined;

afterEach(() => {
  connection?.close();
  server?.closeAllConnections();
  server?.close();
});

async function connected(answer: (path: string, response: ServerResponse) => void): Promise<OneConnection> {
  server = createServer((request, response) => answer(request.url ?? '', response));
  await new Promise<void>((listening) => server?.listen(0, '127.0.0.1', listening));
  connection = await OneConnection.open(`http://127.0.0.1:${(server.address() as AddressInfo).port}/x`);
  return connection;
}

async function asked(one: OneConnection, path: string) {
  const pieces: Buffer[] = [];
  const { status, bytes } = await one.ask(path, false, (piece) => pieces.push(Buffer.from(piece)));
  return { status, bytes, body: Buffer.concat(pieces) };
}

describe('one connection of the bench', () => {
  it('counts bodies by their length, in chunks and empty ones, one after the other', async () => {
    const one = await connected((path, response) => {
      if (path === '/nothing') response.writeHead(404, { 'content-length': 0 }).end();
      else if (path === '/length') response.writeHead(200, { 'content-length': BODY.length }).end(BODY);
      else {
        for (let at = 0; at < BODY.length; at += 70_001) response.write(BODY.subarray(at, at + 70_001));
        response.end();
      }
    });
    for (const path of ['/length', '/chunks', '/nothing', '/chunks', '/length']) {
      const { status, bytes, body } = await asked(one, path);
      expect({ path, status, bytes }).toEqual(
        path === '/nothing' ? { path, status: 404, bytes: 0 } : { path, status: 200, bytes: BODY.length },
      );
      if (status === 200) expect(body.equals(BODY)).toBe(true);
    }
  });

  it('says so where the server ends the connection in an answer', async () => {
    const one = await connected((_, response) => {
      response.writeHead(200, { 'content-length': BODY.length });
      response.write('begun', () => response.destroy());
    });
    await expect(one.ask('/')).rejects.toThrow();
  });

  it('reads an answer in chunks whatever the pieces in which it comes', () => {
    const text =
      'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\nB\r\n, you there\r\n0\r\nX: y\r\n\r\n';
    for (let length = 1; length <= text.length; length += 1) {
      let body = '';
      const reader = new AnswerReader((piece) => {
        body += piece.toString();
      });
      for (let at = 0; at < text.length; at += length) reader.read(Buffer.from(text.slice(at, at + length)));
      expect({ length, body, done: reader.done }).toEqual({ length, body: 'hello, you there', done: true });
    }
  });
});
