import { describe, expect, it } from 'vitest';
import { Subject, subjectKey, subjectKind, subjectName } from './subject.js';

describe('a subject', () => {
  it('has a key that no other subject has, also where clusters are named with slashes and colons', () => {
    const clusters = [
      'east',
      'east/apps',
      'east/extension:apps',
      'arn:aws:eks:eu-west-1:1:cluster/east',
      'east/objectSet:',
    ];
    const subjects = clusters.flatMap((cluster): Subject[] =>
      ['apps', 'extension', 'objectSet', 'x'].flatMap((name): Subject[] => [
        { cluster, namespace: name },
        { cluster, extension: name },
        { cluster, objectSet: name },
      ]),
    );
    expect(new Set(subjects.map(subjectKey)).size).toBe(subjects.length);
  });

  it.each([
    [{ cluster: 'east', namespace: 'apps' }, 'namespace', 'east/apps'],
    [{ cluster: 'east', extension: 'apps' }, 'extension', 'east/extension:apps'],
    [{ cluster: 'east', objectSet: 'apps' }, 'objectSet', 'east/objectSet:apps'],
  ] as const)('%j is of kind %s and has key %s', (subject, kind, key) => {
    expect([subjectKind(subject), subjectKey(subject)]).toEqual([kind, key]);
    expect(`${subject.cluster}/${subjectName(subject)}`).toBe(key);
    expect(Subject.parse(subject)).toEqual(subject);
  });

  it.each<[string, unknown]>([
    ['no name', { cluster: 'east' }],
    ['names of two kinds', { cluster: 'east', namespace: 'a', extension: 'a' }],
    ['no cluster', { namespace: 'a' }],
    ['an empty name', { cluster: 'east', extension: '' }],
    ['a path for a name', { cluster: 'east', namespace: '../../kube-system' }],
    ['a kind within a name', { cluster: 'east', namespace: 'extension:a' }],
    ['a name that is too long', { cluster: 'east', objectSet: 'x'.repeat(254) }],
    ['a cluster that is too long', { cluster: 'x'.repeat(1_001), objectSet: 'x' }],
  ])('is refused with %s', (_, value) => {
    expect(Subject.safeParse(value).success).toBe(false);
  });
});
