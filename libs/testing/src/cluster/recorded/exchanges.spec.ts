import { readFile } from 'node:fs/promises';
import { beforeAll, describe, expect, it } from 'vitest';
import { Refusal } from '../refusal.js';
import { SimulatedCluster } from '../simulated-cluster.js';
import { type Answer, CONTENT_TYPES, type Exchange } from './exchange.js';
import { exchanges, replay } from './exchanges.js';

/**
 * answers.json is what kube-apiserver v1.34.4 (with its controller manager) answered to the same requests, by `replay`
 * with a sender over HTTPS as an administrator. One line per exchange.
 */
describe('answers as kube-apiserver gave them', () => {
  let recorded: Answer[];
  let simulated: Answer[];

  beforeAll(async () => {
    recorded = JSON.parse(await readFile(new URL('answers.json', import.meta.url), 'utf8'));
    const settings = { version: 'v1.34.4', deploymentReadyAfterMs: 10, authorityPem: 'ca' };
    const cluster = new SimulatedCluster('sim', 'https://localhost', 'token', settings, () => undefined);
    simulated = await replay(async (exchange) => sent(cluster, exchange));
    cluster.stop();
  });

  it('every exchange is recorded', () => {
    expect(recorded).toHaveLength(exchanges.length);
  });

  it.each(exchanges.map((exchange, index) => ({ ...exchange, index })))('$because ($method $path)', ({ index }) => {
    expect(simulated[index]).toEqual(recorded[index]);
  });
});

function sent(cluster: SimulatedCluster, exchange: Exchange): Answer {
  const url = new URL(exchange.path, 'https://localhost');
  const headers = {
    authorization: 'Bearer token',
    'content-type': CONTENT_TYPES[exchange.type ?? 'json'],
    'user-agent': 'exchange/1',
  };
  const body = Buffer.from(exchange.body === undefined ? '' : JSON.stringify(exchange.body));
  const request = { method: exchange.method, path: url.pathname, query: url.searchParams, headers, body };
  try {
    const answer = cluster.handle(request);
    if ('watch' in answer) throw new Error('no exchange is a watch');
    const warnings = (answer.warnings ?? []).map((text) => `299 - ${JSON.stringify(text)}`);
    return { code: answer.code, body: JSON.parse(JSON.stringify(answer.body)), warnings };
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return { code: error.body.code, body: JSON.parse(JSON.stringify(error.body)), warnings: [] };
  }
}
