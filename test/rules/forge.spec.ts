import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { PROJECT_ROOT } from '#platform/files/project-root';

const read = (path: string) => readFileSync(join(PROJECT_ROOT, path), 'utf8');

const Workflow = z.object({
  name: z.string(),
  on: z.record(z.string(), z.unknown()),
  permissions: z.object({ contents: z.literal('read') }),
  concurrency: z.unknown().optional(),
  jobs: z.record(
    z.string(),
    z.object({
      'runs-on': z.string(),
      'timeout-minutes': z.number(),
      steps: z.array(
        z.object({ uses: z.string().optional(), with: z.unknown().optional(), run: z.string().optional() }),
      ),
    }),
  ),
});
const workflows = globSync('.github/workflows/*.yml', { cwd: PROJECT_ROOT }).toSorted();
const stepsOf = (path: string) => Object.values(Workflow.parse(parse(read(path))).jobs).flatMap(({ steps }) => steps);

describe('workflows of the forge', () => {
  it('run .ci/run, with more time than its sections may take', () => {
    const { jobs, on } = Workflow.parse(parse(read('.github/workflows/ci.yml')));
    expect(Object.keys(on)).toEqual(['push', 'pull_request']);
    const runs = stepsOf('.github/workflows/ci.yml').flatMap(({ run }) => run ?? []);
    expect(runs).toHaveLength(1);
    expect(runs[0]).toMatch(/ \.ci\/run$/);
    const limits = [...read('.ci/run').matchAll(/^section (\d+) /gm)].reduce(
      (sum, [, minutes]) => sum + Number(minutes),
      0,
    );
    expect(jobs['ci']?.['timeout-minutes']).toBeGreaterThan(limits);
  });

  it.each(workflows)('%s may only read, keeps no login, and takes actions of the forge alone', (path) => {
    const steps = stepsOf(path);
    for (const { uses } of steps) if (uses !== undefined) expect(uses).toMatch(/^actions\/[a-z-]+@(v\d+|[0-9a-f]{40})/);
    const checkouts = steps.filter(({ uses }) => uses?.startsWith('actions/checkout@'));
    expect(checkouts.map((step) => step.with)).toEqual([{ 'persist-credentials': false }]);
  });

  it.each(workflows)('%s runs targets that there are', (path) => {
    const targets = [...read('Makefile').matchAll(/^([a-z0-9-]+):/gm)].map(([, name]) => name);
    const made = stepsOf(path).flatMap(({ run = '' }) =>
      [...run.matchAll(/^make ([a-z-]+)/gm)].map(([, name]) => name),
    );
    expect(made.filter((name) => !targets.includes(name))).toEqual([]);
  });
});

const Field = z.discriminatedUnion('type', [
  z.object({ type: z.literal('markdown'), attributes: z.object({ value: z.string() }) }),
  z.object({
    type: z.enum(['textarea', 'input']),
    id: z.string(),
    attributes: z.object({ label: z.string(), description: z.string().optional(), render: z.string().optional() }),
    validations: z.object({ required: z.boolean() }).optional(),
  }),
]);
const Form = z.object({
  name: z.string(),
  description: z.string(),
  labels: z.array(z.string()),
  body: z.array(Field).min(2),
});

describe('forms for issues', () => {
  const forms = globSync('.github/ISSUE_TEMPLATE/*.yml', { cwd: PROJECT_ROOT })
    .filter((path) => !path.endsWith('config.yml'))
    .toSorted();

  it.each(forms)('%s is a form, whose fields have ids of their own and whose commands exist', (path) => {
    const { body } = Form.parse(parse(read(path)));
    const ids = body.flatMap((field) => ('id' in field ? [field.id] : []));
    expect(new Set(ids).size).toBe(ids.length);
    const verbs = [...read(path).matchAll(/`flotilla ([a-z]+)/g)].map(([, verb]) => verb);
    expect(verbs.filter((verb) => !['demo', 'version', 'up', 'health', 'explain'].includes(verb ?? ''))).toEqual([]);
  });

  it('are for bugs, for what is missing, and for differences from OLM', () => {
    expect(forms.map((path) => path.split('/').at(-1))).toEqual(['bug.yml', 'differs-from-olm.yml', 'feature.yml']);
  });
});

it('the template of a pull request names targets and files that there are', () => {
  const text = read('.github/pull_request_template.md');
  const files = [...text.matchAll(/`((?:docs|changes)\/[\w./-]*)`/g)].map(([, path = '']) => path);
  expect(files.length).toBeGreaterThan(2);
  for (const file of files) expect(globSync(file.replace(/\/$/, ''), { cwd: PROJECT_ROOT }), file).toHaveLength(1);
});

it('renovate takes versions after some days, pins them, and leaves recordings alone', () => {
  const config = JSON.parse(read('renovate.json'));
  expect(config).toMatchObject({ rangeStrategy: 'pin', minimumReleaseAge: '7 days' });
  expect(config.extends).toContain('helpers:pinGitHubActionDigests');
  expect(config.ignorePaths).toContain('test/vectors/**');
  const patterns = [...config['helm-values'].managerFilePatterns, ...config.kubernetes.managerFilePatterns];
  for (const pattern of patterns) {
    const found = globSync('{charts,k8s}/**/*.yaml', { cwd: PROJECT_ROOT }).filter((path) =>
      new RegExp(pattern.slice(1, -1)).test(path),
    );
    expect(found, pattern).toHaveLength(1);
  }
});

it.each(['GOVERNANCE.md', 'CODE_OF_CONDUCT.md'])('%s names no person and no address', (page) => {
  expect(read(page)).not.toMatch(/@|mailto:/);
  expect(read(page).split(/\s+/).length).toBeLessThan(300);
});
