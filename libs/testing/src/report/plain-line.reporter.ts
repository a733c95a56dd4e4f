import type { Reporter, TestCase, TestModule } from 'vitest/node';

/** Closes a run with the plain line `N passed, N failed` that people and CI read, and names each skipped test. */
export default class PlainLineReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const tests = modules.flatMap((module) => [...module.children.allTests()]);
    const inState = (state: string) => tests.filter((test) => test.result().state === state);
    const broken = modules.filter((module) => module.state() === 'failed' && module.errors().length > 0);
    const skipped = inState('skipped');
    for (const test of skipped) process.stdout.write(`not run: ${nameOf(test)}\n`);
    const failed = inState('failed').length + broken.length;
    const tail = skipped.length > 0 ? `, ${skipped.length} skipped` : '';
    process.stdout.write(`${inState('passed').length} passed, ${failed} failed${tail}\n`);
  }
}

function nameOf(test: TestCase): string {
  const reason = test.result().state === 'skipped' ? (test.result() as { note?: string }).note : undefined;
  return `${test.fullName}${reason ? ` (${reason})` : ''}`;
}
