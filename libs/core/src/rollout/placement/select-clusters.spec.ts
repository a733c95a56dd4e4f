import { describe, expect, it } from 'vitest';
import { clusterSelector, selectorFailures, selectorProblem } from './select-clusters.js';

const cluster = (zones: unknown) => ({ name: 'north', labels: {}, facts: { zones } });

describe('a selector whose expression walks through facts of unknown type', () => {
  const selector = { expression: "cluster.facts.zones.exists(zone, zone == 'north-1')" };

  it('has no problem, selects by the facts, and fails where they are no list', () => {
    expect(selectorProblem(selector)).toBeUndefined();
    expect(clusterSelector(selector)(cluster(['north-1', 'north-2']))).toBe(true);
    expect(clusterSelector(selector)(cluster(['north-2']))).toBe(false);
    const failure = selectorFailures('spec.clusters', selector);
    expect(failure?.(cluster(['north-2']))).toBeUndefined();
    expect(failure?.(cluster(3))?.field).toBe('spec.clusters');
  });
});

it.each([
  { selector: undefined, problem: undefined },
  { selector: { selector: { matchLabels: { tier: 'lab' } } }, problem: undefined },
  { selector: { expression: 'cluster.name ==' }, problem: /^failed to compile cel rule: / },
  { selector: { expression: 'cluster.name' }, problem: undefined },
  { selector: { expression: 'size(cluster.labels)' }, problem: /must have type Bool/ },
])('selectorProblem of $selector', ({ selector, problem }) => {
  const found = selectorProblem(selector);
  if (problem === undefined) expect(found).toBeUndefined();
  else expect(found).toMatch(problem);
});
