import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { PROJECT_ROOT } from '#platform/files/project-root';

/** Code that waits: specs, and all that only tests use. Nothing in libs/core waits. */
const places = ['test', 'libs/platform', 'libs/testing', 'apps', 'vitest.config.ts'];
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

/** Where the time is what is tested, or belongs to a program that is imitated. */
const ALLOWED = [
  'libs/platform/src/clock/clock.spec.ts',
  'libs/platform/src/kube/transport/http-transport.spec.ts',
  'test/integration/telemetry-support/service.child.ts',
];

describe('tests take their patience from libs/testing/src/patience.ts', () => {
  it.each(OWN_PATIENCE)('no test has $what of its own', ({ pattern }) => {
    const found = files.filter((name) => pattern.test(readFileSync(join(PROJECT_ROOT, name), 'utf8')));
    expect(found.filter((name) => !ALLOWED.includes(name))).toEqual([]);
  });

  it('sees the files it is about', () => {
    expect(files).toContain('test/integration/joining.extended.spec.ts');
    expect(files.length).toBeGreaterThan(200);
  });
});
