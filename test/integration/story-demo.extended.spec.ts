import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'vitest';
import { PROJECT_ROOT } from '#platform/files/project-root';
import { readGuide } from '../guide/read-guide.js';
import { startDemo } from '../story/running-demo.js';

/** Lines of README.md about `make demo` that are the same in each run. */
const shown = readGuide(readFileSync(join(PROJECT_ROOT, 'README.md'), 'utf8')).find(
  ({ command }) => command === 'make demo',
);
const promised = (shown?.expected ?? []).filter((line) => /^(The|Then| {2}AFTER|CLUSTER)/.test(line));

describe('flotilla demo', () => {
  it.for([
    { form: 'one process', args: [], processes: 1 },
    { form: 'services of their own', args: ['--distributed'], processes: 6 },
  ])(
    'prints what happens, in $form, and the result; left running it ends at Ctrl-C with everything',
    async ({ args, processes }, { expect, onTestFinished }) => {
      const running = startDemo(onTestFinished, '--keep', ...args);
      await running.prints('End it with Ctrl-C.');
      expect(running.err).toBe('');
      expect(promised).toHaveLength(4);
      for (const line of promised) expect(running.out).toContain(line);
      const [first, second] = running.out.split('\n');
      expect(first).toContain('harbor-operator v1.0.0');
      expect(second).toContain('upgraded over two hops');
      expect(running.out).toMatch(/^ +AFTER {2}WHERE {5}WHAT$/m);
      expect(running.out).toMatch(
        /^ +\d+\.\d s {2}east {6}CatalogSource flotilla-samples +READY with content sha256:/m,
      );
      expect(running.out).toMatch(/^ +\d+\.\d s {2}west {6}InstallPlan install-\S+ +approved by the script$/m);
      for (const [cluster, approval] of [
        ['east', 'Automatic'],
        ['west', 'Manual'],
      ]) {
        const row = new RegExp(
          `^${cluster} +harbor-operator\\.v1\\.2\\.0 +Succeeded +harbor-operator AtLatestKnown +${approval} +3 `,
          'm',
        );
        expect(running.out).toMatch(row);
      }
      expect(running.addresses).toHaveLength(processes);
      const [, origin = '', key = ''] = /web console: (\S+)\/#key=(\S+)/.exec(running.out) ?? [];
      const authorization = `Bearer ${key}`;
      const answer = await fetch(`${origin}/api/v1/operators`, { headers: { authorization } });
      expect(await answer.json()).toMatchObject({ total: 4 });
      expect(await running.answering()).toEqual(running.addresses);
      running.kill('SIGINT');
      expect(await running.ended).toEqual({ code: 0, signal: null });
      expect(await running.answering()).toEqual([]);
    },
  );
});
