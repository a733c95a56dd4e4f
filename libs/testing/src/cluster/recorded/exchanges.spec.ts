import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BareCluster } from '../bare-cluster.js';
import { type Answer, CONTENT_TYPES } from './exchange.js';
import { exchanges, replay } from './exchanges.js';

/**
 * answers.json is what kube-apiserver v1.34.4 (with its controller manager) answered to the same requests, by
 * `replay` with a sender over HTTPS as an administrator. One line per exchange.
 */
describe('answers as kube-apiserver gave them', () => {
  const bare = new BareCluster();
  let recorded: Answer[];
  let simulated: Answer[];

  beforeAll(async () => {
    recorded = JSON.parse(await readFile(new URL('answers.json', import.meta.url), 'utf8'));
    simulated = await replay(async ({ type, ...request }) => {
      const { warnings, ...answer } = bare.send({ ...request, contentType: CONTENT_TYPES[type ?? 'json'] });
      return { ...answer, warnings: warnings.map((text) => `299 - ${JSON.stringify(text)}`) };
    });
  });
  afterAll(() => bare.stop());

  it('every exchange is recorded', () => {
    expect(recorded).toHaveLength(exchanges.length);
  });

  it.each(exchanges.map((exchange, index) => ({ ...exchange, index })))('$because ($method $path)', ({ index }) => {
    expect(simulated[index]).toEqual(recorded[index]);
  });
});
