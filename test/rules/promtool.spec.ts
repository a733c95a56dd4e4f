import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { copyFile, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { dump, load } from 'js-yaml';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { PROJECT_ROOT } from '#platform/files/project-root';
import { needing, programs } from '#testing/report/needs';

const run = promisify(execFile);
const promtool = await programs({ program: 'promtool' });
const ALERTS = 'k8s/monitoring/alerts.yaml';
const TESTS = 'k8s/monitoring/tests/alerts.test.yaml';
const read = (path: string): unknown => load(readFileSync(join(PROJECT_ROOT, path), 'utf8'));

const Rules = z.looseObject({
  spec: z.looseObject({ groups: z.array(z.looseObject({ rules: z.array(z.looseObject({ alert: z.string() })) })) }),
});
const Tests = z.looseObject({
  tests: z.array(
    z.looseObject({
      name: z.string(),
      promql_expr_test: z
        .array(z.looseObject({ expr: z.string(), exp_samples: z.array(z.looseObject({ labels: z.string() })) }))
        .optional(),
    }),
  ),
});
const rules = Rules.parse(read(ALERTS)).spec;
const { tests } = Tests.parse(read(TESTS));

describe('the unit tests of alerts', () => {
  const alerts = rules.groups.flatMap((group) => group.rules.map(({ alert }) => alert));

  it.each(alerts)('say when %s fires, and when it does not', (alert) => {
    const own = tests.find(({ name }) => name === alert)?.promql_expr_test ?? [];
    expect(own.every(({ expr }) => expr === `ALERTS{alertname="${alert}",alertstate="firing"}`)).toBe(true);
    expect(own.some((one) => one.exp_samples.length > 0)).toBe(true);
    expect(own.some((one) => one.exp_samples.length === 0)).toBe(true);
  });

  it('are about no alert that is not there', () => {
    expect(tests.map(({ name }) => name).filter((name) => name !== 'texts')).toEqual(alerts);
  });
});

describe('promtool', needing(promtool), () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'flotilla-promtool-'));
    await writeFile(join(folder, 'rules.yaml'), dump(rules));
    await copyFile(join(PROJECT_ROOT, TESTS), join(folder, 'alerts.test.yaml'));
  });
  afterAll(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));

  it('accepts the rules', async () => {
    const { stdout } = await run('promtool', ['check', 'rules', 'rules.yaml'], { cwd: folder });
    expect(stdout).toContain('SUCCESS');
  });

  it('finds that each alert fires when it should, and only then', async () => {
    const { stdout } = await run('promtool', ['test', 'rules', 'alerts.test.yaml'], { cwd: folder });
    expect(stdout).toContain('SUCCESS');
  });
});
