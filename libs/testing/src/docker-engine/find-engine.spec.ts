import { describe, expect, it } from 'vitest';
import { findEngine } from './find-engine.js';

describe('looking for a Docker engine', () => {
  it('passes one on another machine over, since its containers do not reach this one', async () => {
    const lines: string[] = [];
    const environment = { PATH: '', DOCKER_HOST: 'tcp://engine.example:2375' };
    const expected = process.platform === 'linux' ? 'DOCKER_HOST names an engine on another machine' : /^not Linux/;
    expect(await findEngine({ environment, log: (line) => lines.push(line) })).toMatch(expected);
    expect(lines).toEqual([]);
  });
});
