import { describe, expect, it } from 'vitest';
import { type ContextReading, type FileReading, heldReading, isLabelValue } from './kubeconfig-readings.js';

const NOTHING = { members: [], problems: [] };
const contexts = (...names: string[]): ContextReading<string>[] =>
  names.map((context) => ({ context, access: `access of ${context}` }));
const file = (...names: string[]): FileReading<string> => ({ file: 'a', contexts: contexts(...names) });
const held = heldReading(NOTHING, [file('east', 'west')]);

const read = (files: readonly FileReading<string>[], before = held) => {
  const { members, problems } = heldReading(before, files);
  return {
    members: members.map(({ cluster, access }) => `${cluster}: ${access}`),
    problems: problems.map(({ text }) => text),
  };
};

describe('what holds of the kubeconfigs', () => {
  it('is all contexts of all files, each under a name of its own', () => {
    const files: FileReading<string>[] = [file('east'), { file: 'b', contexts: contexts('east', 'north') }];
    expect(read(files, NOTHING)).toEqual({
      members: ['east: access of east', 'east-2: access of east', 'north: access of north'],
      problems: [],
    });
  });

  it('does not change where a file cannot be read, which is reported', () => {
    expect(read([{ file: 'a', problem: 'a is not a kubeconfig' }])).toEqual({
      members: ['east: access of east', 'west: access of west'],
      problems: ['a is not a kubeconfig; its clusters do not change'],
    });
  });

  it('is nothing of a file that was never read', () => {
    expect(read([{ file: 'a', problem: 'a is not a kubeconfig' }], NOTHING)).toEqual({
      members: [],
      problems: ['a is not a kubeconfig'],
    });
  });

  it('keeps a context that is broken now, and takes up all others', () => {
    const broken = { context: 'east', problem: 'its user "eve" is not defined' };
    expect(read([{ file: 'a', contexts: [broken, ...contexts('north')] }])).toEqual({
      members: ['east: access of east', 'north: access of north'],
      problems: ['its user "eve" is not defined; the cluster does not change'],
    });
  });

  it('leaves out a context that was broken from the first', () => {
    const broken = { context: 'south', problem: 'its user "eve" is not defined' };
    expect(read([{ file: 'a', contexts: [broken, ...contexts('east')] }], NOTHING)).toEqual({
      members: ['east: access of east'],
      problems: ['its user "eve" is not defined'],
    });
  });

  it.each(['two words', 'line\nbreak', '', 'a'.repeat(254), '-edge'])(
    'leaves out a context with the name %j',
    (name) => {
      const { members, problems } = read([file('east', name)], NOTHING);
      expect(members).toEqual(['east: access of east']);
      expect(problems).toHaveLength(1);
      expect(problems[0]).toContain('cannot be the name of a cluster: take letters');
      expect(problems[0]).not.toContain('\n');
    },
  );

  it('is the same for a file that is there again with the same contexts', () => {
    const broken = heldReading(held, [{ file: 'a', problem: 'half of it' }]);
    expect(heldReading(broken, [file('east', 'west')])).toEqual(held);
  });
});

it.each([
  ['east', true],
  ['gke_project_zone_name', true],
  ['arn:aws:eks:eu-west-1:1:cluster/prod', false],
  ['a'.repeat(64), false],
])('the name %s can be the value of a label: %s', (name, can) => {
  expect(isLabelValue(name)).toBe(can);
});
