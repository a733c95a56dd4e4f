import { expect, it } from 'vitest';
import type { FleetPlan } from '../../kernel/api/fleet/fleet-plan.js';
import { pathContent } from './path-content.js';

type Content = FleetPlan['spec'];
const definition = (adds: string[], more: object = {}): Content['crds'][number] => ({
  ...{ name: 'mills.example.com', adds, removes: [], breaking: [], owners: [] },
  ...more,
});
const hop = (from: string, to: string, more: Partial<Content> = {}): Content => ({
  ...{ hash: 'h', path: [{ from, to, hopHash: `${from}${to}` }], changes: ['Minor'], deprecations: [] },
  ...{ crds: [], webhooks: [], dependencies: [], neighbours: [] },
  ...more,
});

it('has the hops in their order, and what any of them brings or takes away', () => {
  const content = pathContent([
    hop('v1', 'v2', {
      images: { added: ['a:2'], removed: ['a:1'] },
      rbac: { added: ['get pods'], removed: [] },
      crds: [definition(['v1beta1'])],
    }),
    hop('v2', 'v3', {
      images: { added: ['a:3'], removed: ['a:2'] },
      rbac: { added: ['list secrets'], removed: ['get pods'] },
      crds: [definition(['v1'], { storage: 'v1', breaking: ['field x is required'] })],
    }),
  ]);
  expect(content.path.map(({ from, to }) => `${from} ${to}`)).toEqual(['v1 v2', 'v2 v3']);
  expect(content.images).toEqual({ added: ['a:2', 'a:3'], removed: ['a:1', 'a:2'] });
  expect(content.rbac).toEqual({ added: ['get pods', 'list secrets'], removed: ['get pods'] });
  expect(content.crds).toEqual([definition(['v1beta1', 'v1'], { storage: 'v1', breaking: ['field x is required'] })]);
});

it('keeps as many lines as there is room for, and counts the rest', () => {
  const webhooks = (prefix: string) => Array.from({ length: 150 }, (_, at) => `${prefix}${at}`);
  const content = pathContent([
    hop('v1', 'v2', { webhooks: webhooks('a') }),
    hop('v2', 'v3', { webhooks: webhooks('b') }),
  ]);
  expect(content.webhooks).toHaveLength(201);
  expect(content.webhooks.at(-1)).toBe('and 100 more');
});
