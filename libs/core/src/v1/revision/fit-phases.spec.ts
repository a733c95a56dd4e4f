import { describe, expect, it } from 'vitest';
import { fitPhases } from './fit-phases.js';

const phase = (name: string, count: number) => ({
  name,
  objects: Array.from({ length: count }, (_, at) => ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: `${name}-${at}` },
  })),
});
const shape = (phases: ReturnType<typeof fitPhases>) =>
  'error' in phases ? phases.error : phases.map(({ name, objects }) => `${name} ${objects.length}`);

describe('phases of a revision', () => {
  it('that fit stay as they are', () => {
    const phases = [phase('crds', 50), phase('deploy', 1)];
    expect(fitPhases(phases)).toEqual(phases);
  });

  it('with too many objects go on in further phases, in the same order', () => {
    const fitted = fitPhases([phase('crds', 101), phase('deploy', 1)]);
    expect(shape(fitted)).toEqual(['crds 50', 'crds-2 50', 'crds-3 1', 'deploy 1']);
    if ('error' in fitted) throw new Error(fitted.error);
    expect(fitted.flatMap(({ objects }) => objects)).toEqual([
      ...phase('crds', 101).objects,
      ...phase('deploy', 1).objects,
    ]);
    expect(fitPhases(fitted)).toEqual(fitted);
  });

  it('that are too many for one revision are refused with their number', () => {
    expect(shape(fitPhases([phase('configuration', 1_001), phase('deploy', 1)]))).toBe(
      'the bundle has 1002 objects, too many for one revision: they fill 22 phases of at most 50 objects, and a revision has at most 20: install another version, or ask the author to split the bundle',
    );
  });
});
