import { describe, expect, it } from 'vitest';
import type { InstallPlanStep } from '../../../kernel/api/install-plan.js';
import { fitSteps, MAX_PLAN_BYTES } from './fit-steps.js';

const step = (kind: string, name: string, manifest: string): InstallPlanStep => ({
  resolving: 'tug.v1',
  status: 'Unknown',
  resource: { sourceName: 's', sourceNamespace: 'olm', group: '', version: 'v1', kind, name, manifest },
});
const CSV = 'ClusterServiceVersion';
const part = (share: number): string => 'x'.repeat(Math.floor(MAX_PLAN_BYTES * share));
const short = (one: InstallPlanStep): InstallPlanStep => ({ ...one, resource: { ...one.resource, manifest: 'ref' } });
const inlineIn = (steps: readonly InstallPlanStep[]): string[] =>
  steps.filter(({ resource }) => resource.manifest !== 'ref').map(({ resource }) => resource.name);

describe('steps that a plan can hold', () => {
  it.each<[why: string, steps: InstallPlanStep[], inline: string[]]>([
    ['what fits stays as it is', [step(CSV, 'csv', part(0.5)), step('Role', 'a', part(0.4))], ['csv', 'a']],
    [
      'the largest gives way, and no more than must',
      [step('Role', 'a', part(0.3)), step('Role', 'b', part(0.6)), step('Role', 'c', part(0.3))],
      ['a', 'c'],
    ],
    [
      'a CSV is read by people: it goes last, however large',
      [step(CSV, 'csv', part(0.9)), step('Role', 'a', part(0.2))],
      ['csv'],
    ],
    ['two large CSVs do not both fit', [step(CSV, 'csv-1', part(0.6)), step(CSV, 'csv-2', part(0.7))], ['csv-1']],
    ['of two equal ones the first', [step('Role', 'a', part(0.6)), step('Role', 'b', part(0.6))], ['b']],
  ])('%s', (_why, steps, inline) => {
    const fitted = fitSteps(steps, short);
    expect(inlineIn(fitted)).toEqual(inline);
    expect(fitted.map(({ resource }) => resource.name)).toEqual(steps.map(({ resource }) => resource.name));
  });

  it('counts bytes as they are stored: quotes are escaped in JSON text', () => {
    expect(inlineIn(fitSteps([step('Role', 'a', '"'.repeat(MAX_PLAN_BYTES * 0.6))], short))).toEqual([]);
  });

  it('counts what is held beside the steps', () => {
    expect(inlineIn(fitSteps([step('Role', 'a', part(0.6))], short, [part(0.5)]))).toEqual([]);
  });

  it.each([
    ['a step that can only be held as it is', () => undefined],
    ['a reference that is no shorter', (one: InstallPlanStep) => one],
  ])('%s: refused, with the sizes', (_why, byReference) => {
    const steps = [step(CSV, 'tug.v1', part(0.2)), step('Role', 'a', part(1))];
    expect(() => fitSteps(steps, byReference)).toThrow(
      /the 2 steps of tug\.v1 need 16\d{5} bytes even if they only refer to their bundles; an InstallPlan has room for 1400000/,
    );
  });
});
