import { describe, expect, it } from 'vitest';
import type { PolicyRule } from '../../kernel/api/cluster-service-version.js';
import { permissionDifferences } from './permission-differences.js';

const rule = (verbs: readonly string[], resources: readonly string[], more: Partial<PolicyRule> = {}): PolicyRule => ({
  ...{ apiGroups: [''], resources: [...resources], verbs: [...verbs] },
  ...more,
});
const many = (letter: string) => Array.from({ length: 1_000 }, (_, at) => `${letter}${at}`);
const linesOf = (before: readonly PolicyRule[], after: readonly PolicyRule[]) =>
  permissionDifferences('lamp', before, after).flatMap(({ lines }) => lines);

describe('how permissions change', () => {
  it.each<[string, PolicyRule[], PolicyRule[], string[]]>([
    ['a verb more', [rule(['get'], ['pods'])], [rule(['get', 'list'], ['pods'])], ['+ pods: list']],
    ['a verb that * covers', [rule(['*'], ['pods'])], [rule(['list'], ['pods'])], ['- pods: *']],
    ['a resource that * covers', [rule(['get'], ['*'])], [rule(['get'], ['pods'])], ['- *: get']],
    [
      'one name of what was had of all',
      [rule(['get'], ['secrets'])],
      [rule(['get'], ['secrets'], { resourceNames: ['mine'] })],
      ['- secrets: get'],
    ],
    [
      'all of what was had of one name',
      [rule(['get'], ['secrets'], { resourceNames: ['mine'] })],
      [rule(['get'], ['secrets'])],
      ['+ secrets: get'],
    ],
    [
      'another group',
      [rule(['get'], ['deployments'], { apiGroups: ['apps'] })],
      [rule(['get'], ['deployments'], { apiGroups: ['apps', 'extensions'] })],
      ['+ deployments.extensions: get'],
    ],
    ['a path', [], [{ verbs: ['get'], nonResourceURLs: ['/metrics'] }], ['+ /metrics: get']],
    ['no verbs', [], [rule([], ['pods'])], []],
    [
      'the same in other rules',
      [rule(['get', 'list'], ['pods'])],
      [rule(['list'], ['pods']), rule(['get'], ['pods'])],
      [],
    ],
    [
      'a rule that stands for a billion requests',
      [],
      [rule(['get'], many('r'), { apiGroups: many('g'), resourceNames: many('n') })],
      ['+ *.*: *'],
    ],
    [
      'such a rule that was there',
      [rule(['get'], many('r'), { apiGroups: many('g'), resourceNames: many('n') })],
      [rule(['get'], many('r'), { apiGroups: many('g'), resourceNames: many('n') })],
      [],
    ],
  ])('%s', (_what, before, after, lines) => {
    expect(linesOf(before, after)).toEqual(lines);
  });
});
