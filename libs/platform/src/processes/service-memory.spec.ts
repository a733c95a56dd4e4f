import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { PROJECT_ROOT } from '../files/project-root.js';
import { SERVICE_ALLOCATOR, SERVICE_ARGUMENTS } from './service-memory.js';

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
});
