import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { Worker } from 'node:worker_threads';
import { describe, expect, it } from 'vitest';
import { PROJECT_ROOT } from '../files/project-root.js';
import { SERVICE_ALLOCATOR, SERVICE_ARGUMENTS, threadMemory } from './service-memory.js';

const read = (file: string): string => readFileSync(join(PROJECT_ROOT, file), 'utf8');

describe('the memory settings of services', () => {
  it('are those of the image', () => {
    const image = read('Dockerfile');
    expect(image).toMatch(new RegExp(`NODE_OPTIONS=${SERVICE_ARGUMENTS.join(' ')} `));
    for (const [name, value] of Object.entries(SERVICE_ALLOCATOR)) expect(image).toContain(`${name}=${value} `);
  });

  it('are those of flotilla up', () => {
    const command = read('bin/flotilla');
    for (const [name, value] of Object.entries(SERVICE_ALLOCATOR))
      expect(command).toContain(`${name}=\${${name}:-${value}}`);
  });

  it('leave the young generation of a thread to its own limits', async () => {
    setFlagsFromString('--max-semi-space-size=8');
    const thread = new Worker(GARBAGE, { eval: true, resourceLimits: threadMemory(256, 3) });
    const youngMiB = await new Promise<number>((done, failed) => thread.on('message', done).on('error', failed));
    // V8 rounds up, and not always as far; the argument of the process would allow 16 MiB.
    expect(youngMiB).toBeGreaterThan(0);
    expect(youngMiB).toBeLessThan(12);
  });
});

/** Reports how large a young generation became in which half of everything outlives its first collections. */
const GARBAGE = `
  const { parentPort } = require('node:worker_threads');
  const { getHeapSpaceStatistics } = require('node:v8');
  const size = () => getHeapSpaceStatistics().find((one) => one.space_name === 'new_space').space_size;
  let most = 0;
  const kept = [];
  for (let at = 0; at < 400_000; at += 1) {
    kept[at % 50_000] = { at, text: 'value ' + at };
    if (at % 5_000 === 0) most = Math.max(most, size());
  }
  parentPort.postMessage(most / 1024 / 1024);
`;
