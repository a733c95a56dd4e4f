import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { PROJECT_ROOT } from '#platform/files/project-root';

/** Code that waits: specs, and all that only tests use. Nothing in libs/core waits. */
const places = ['test', 'libs/platform', 'libs/lifecycle', 'libs/testing', 'apps', 'vitest.config.ts'];
const files = places
  .flatMap((place) =>
    place.endsWith('.ts')
      ? [place]
      : readdirSync(join(PROJECT_ROOT, place), { recursive: true, encoding: 'utf8' }).map((name) => join(place, name)),
  )
  .filter((name) => /\.spec\.ts$|^test\/.*\.ts$|^libs\/testing\/.*\.ts$|^vitest\.config\.ts$/.test(name))
  .filter((name) => !['libs/testing/src/patience.ts', 'test/rules/patience.spec.ts'].includes(name));

const OWN_PATIENCE: readonly Readonly<{ what: string; pattern: RegExp }>[] = [
  { what: 'a time-out', pattern: /\b(timeout|testTimeout|hookTimeout|patienceMs): *\d/ },
  { what: 'a time-out of a test', pattern: /^ *\}, [\d_]+\);$/m },
  { what: 'a deadline', pattern: /(performance|Date)\.now\(\) \+ [\d_]+[;,)]/ },
  { what: 'a sleep', pattern: /setTimeout\((resolve|done|r), |node:timers\/promises/ },
];

/** Removal of a folder at the first try alone: it fails if a program or a read that ends writes there. */
const REMOVED_AT_ONCE = /\brm(?:Sync)?\([^;{}]*\{(?![^}]*maxRetries)[^}]*\brecursive: true/;

/** Files that test the time itself, or imitate a program with a time of its own. */
const ALLOWED = [
  'libs/platform/src/clock/clock.spec.ts',
  'libs/platform/src/kube/transport/http-transport.spec.ts',
  'test/integration/telemetry-support/service.child.ts',
];

/** True if a call of `vi.waitFor` has one argument alone: by default vitest gives up after a second. */
function waitsOneSecond(text: string): boolean {
  return [...text.matchAll(/\bvi\.wait(?:For|Until)\(/g)].some(({ index, 0: call }) => {
    const rest = text.slice(index + call.length);
    let depth = 0;
    for (const [at, char] of [...rest].entries()) {
      if (depth === 0 && char === ',') return /^,\s*\)/.test(rest.slice(at));
      if ('([{'.includes(char)) depth += 1;
      if (')]}'.includes(char)) depth -= 1;
      if (depth < 0) return true;
    }
    return false;
  });
}

describe('tests take their patience from libs/testing/src/patience.ts', () => {
  it.each(OWN_PATIENCE)('no test has $what of its own', ({ pattern }) => {
    const found = files.filter((name) => pattern.test(readFileSync(join(PROJECT_ROOT, name), 'utf8')));
    expect(found.filter((name) => !ALLOWED.includes(name))).toEqual([]);
  });

  it('no test gives up after a second', () => {
    expect(files.filter((name) => waitsOneSecond(readFileSync(join(PROJECT_ROOT, name), 'utf8')))).toEqual([]);
    expect(waitsOneSecond('await vi.waitFor(() => expect([a, b]).toBe(c));')).toBe(true);
    expect(waitsOneSecond('await vi.waitFor(() => expect([a, b]).toBe(c), PATIENCE);')).toBe(false);
  });

  it('no test fails because a folder that it removes is written to', () => {
    expect(files.filter((name) => REMOVED_AT_ONCE.test(readFileSync(join(PROJECT_ROOT, name), 'utf8')))).toEqual([]);
    expect(REMOVED_AT_ONCE.test('await rm(folder, { recursive: true, force: true });')).toBe(true);
    expect(REMOVED_AT_ONCE.test('await rm(folder, { recursive: true, maxRetries: 5 });')).toBe(false);
  });

  it('sees the files it is about', () => {
    expect(files).toContain('test/integration/joining.extended.spec.ts');
    expect(files.length).toBeGreaterThan(200);
  });
});
