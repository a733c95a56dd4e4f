import { describe, expect, it } from 'vitest';
import { PROJECT_ROOT } from '#platform/files/project-root';
import { suiteOf, testsNamed, testsOfChange, testsWithRedis } from '../../scripts/tests/choose-tests.js';
import { readImportGraph } from '../../scripts/tests/import-graph.js';

const sources = readImportGraph(PROJECT_ROOT);
const ofChange = (path: string) => testsOfChange([path], sources);

describe('the tests that depend on a change', () => {
  it('are those that import it, however far', () => {
    const tests = ofChange('libs/core/src/kernel/text/cut-text.ts');
    expect(tests).toContain('libs/core/src/kernel/text/cut-text.spec.ts');
    expect(tests).toContain('libs/core/src/rollout/review/class-approval.spec.ts');
    expect(tests).not.toContain('libs/core/src/kernel/durations/left-of.spec.ts');
  });

  it('are those that start a program or a thread with it', () => {
    expect(ofChange('apps/applier/src/main.ts')).toContain('test/integration/one-change.spec.ts');
    expect(ofChange('apps/cli/src/commands/up/all-services.ts')).toContain('test/integration/up.spec.ts');
    expect(ofChange('libs/lifecycle/src/solve/solve.thread.ts')).toContain(
      'test/integration/solver-pool.extended.spec.ts',
    );
  });

  it('are those that name a page or its folder, and the rules of the house', () => {
    const tests = ofChange('docs/install.md');
    expect(tests).toContain('test/integration/distribution.extended.spec.ts');
    expect(tests).toContain('test/rules/links.spec.ts');
    expect(tests).not.toContain('libs/core/src/kernel/text/cut-text.spec.ts');
  });

  it('are all of them for what every test stands on', () => {
    const all = [...sources.graph.keys()].filter((path) => suiteOf(path) !== undefined);
    expect(ofChange('package-lock.json')).toEqual(all.toSorted());
  });

  it('are none for a module that nothing reaches', () => expect(ofChange('apps/nowhere/gone.ts')).toEqual([]));
});

describe('the tests that ONLY names', () => {
  it('are files by a part of their path', () =>
    expect(testsNamed('text/cut-text', sources)).toEqual({ files: ['libs/core/src/kernel/text/cut-text.spec.ts'] }));

  it('are tests by a part of their title, in the files that hold it', () =>
    expect(testsNamed('has no half of a character', sources)).toEqual({
      files: expect.arrayContaining(['libs/core/src/kernel/text/cut-text.spec.ts']),
      title: 'has no half of a character',
    }));
});

it('knows which tests need Redis', () => {
  const tests = testsWithRedis(sources);
  expect(tests).toEqual(expect.arrayContaining(['test/integration/queue.spec.ts', 'test/integration/up.spec.ts']));
  expect(tests).not.toContain('test/integration/registry-layers.extended.spec.ts');
});

it.each([
  ['libs/core/src/a.spec.ts', 'unit'],
  ['test/rules/a.spec.ts', 'unit'],
  ['test/integration/a.spec.ts', 'integration'],
  ['test/integration/a.extended.spec.ts', 'extended'],
  ['libs/core/src/a.extended.spec.ts', 'extended'],
  ['test/e2e/a.spec.ts', undefined],
  ['test/integration/a.ts', undefined],
])('%s belongs to %s', (path, suite) => expect(suiteOf(path)).toBe(suite));
