import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { PATIENCE } from '#testing/patience';
import { ServiceProcess } from '../environment/service-process.js';
import { StillWatch } from './still-watch.js';
import { StoryStuck } from './story-stuck.js';

describe('the watch over a demo that stands still', () => {
  it('gives up soon after a service has ended by itself, however busy the machine is', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'flotilla-still-'));
    const program = join(folder, 'ends.mjs');
    writeFileSync(program, 'process.exit(2);\n');
    const hub = new ServiceProcess('hub', 'flotilla', {}, join(folder, 'hub.log'), program);
    const clock = vi.spyOn(performance, 'now');
    try {
      let now = 0;
      clock.mockImplementation(() => now);
      const watch = new StillWatch(60_000, [hub]);
      const standFor = (seconds: number) => {
        for (let second = 0; second < seconds; second++) {
          now += 1_000;
          watch.look('east: CatalogSource samples', []);
        }
      };
      hub.start();
      expect(() => standFor(30)).not.toThrow();
      await vi.waitFor(() => expect(hub.exitCode).toBe(2), PATIENCE);
      expect(() => standFor(7)).toThrow(StoryStuck);
    } finally {
      clock.mockRestore();
      rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
    }
  });
});
