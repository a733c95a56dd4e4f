import type { Reporter, TestCase, TestModule, Vitest } from 'vitest/node';
import { notRunLine } from './not-run.js';

/**
 * Closes a run with the plain line `N passed, N failed` that people and CI read, after one line about tests
 * that did not run.
 */
export default class PlainLineReporter implements Reporter {
  /** True if the run asked for tests by a part of their title: the others are not meant to run. */
  #isByTitle = false;

  onInit({ config }: Vitest): void {
    this.#isByTitle = config.testNamePattern !== undefined;
  }

  onTestRunEnd(modules: readonly TestModule[]): void {
    const tests = modules.flatMap((module) => [...module.children.allTests()]);
    const inState = (state: string) => tests.filter((test) => test.result().state === state);
    const broken = modules.filter((module) => module.state() === 'failed' && module.errors().length > 0);
    const skipped = inState('skipped').filter((test) => !this.#isByTitle || test.meta().needs !== undefined);
    const notRun = notRunLine(skipped.map(reasonOf));
    if (notRun !== undefined) process.stdout.write(`${notRun}\n`);
    const failed = inState('failed').length + broken.length;
    const tail = skipped.length > 0 ? `, ${skipped.length} skipped` : '';
    const passed = inState('passed').length;
    process.stdout.write(`${passed} passed, ${failed} failed${tail}\n`);
    if (!this.#isByTitle || passed + failed > 0) return;
    process.stdout.write('no test that ran has that text in its title; no spec file has it in its path\n');
    process.exitCode = 1;
  }
}

function reasonOf(test: TestCase): string | undefined {
  const result = test.result();
  return test.meta().needs ?? (result.state === 'skipped' ? result.note : undefined);
}
