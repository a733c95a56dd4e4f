import { expect, it } from 'vitest';
import type { ClusterAssessment } from './assessment.js';
import { assessmentPage } from './assessment-page.js';
import { HOSTILE_TEXTS, hostileAssessment } from './hostile-assessment.fixture.js';

const hostile = '<script>alert("x")</script>';
const cluster: ClusterAssessment = {
  cluster: hostile,
  version: 'v1.34.4',
  olm: ['Deployment olm/olm-operator'],
  memory: { pods: 4, bytes: 512 * 1024 * 1024, measured: true, catalogPods: 2 },
  operators: [
    {
      api: 'classic',
      namespace: 'team',
      name: 'mill',
      package: hostile,
      channel: 'stable',
      catalog: 'olm/samples',
      approval: 'Automatic',
      installed: 'mill.v1',
      version: '1.0.0',
      newest: 'mill.v3',
      hops: ['mill.v2', 'mill.v3'],
      noWay: '',
      deprecations: [],
      move: [{ kind: 'refusal', text: hostile, todo: hostile }],
    },
  ],
  findings: [
    {
      ...{ kind: 'Subscription', namespace: 'team', name: 'mill', code: 'resolution-failed' },
      standing: 'failed',
      because: [hostile],
      todo: [],
    },
  ],
  conflicts: [{ namespace: 'team', text: hostile }],
  handover: [{ kind: 'refusal', text: hostile }],
  unread: [hostile],
};
const page = (clusters: readonly ClusterAssessment[]) =>
  assessmentPage({
    clusters,
    away: [{ cluster: 'gone', because: hostile }],
    at: '2026-01-01T10:00:00.000Z',
    version: '1.0.0',
  });

it('shows what clusters call things as text', () => {
  const html = page([cluster]);
  expect(html).not.toContain('<script');
  expect(html).toContain('&lt;script&gt;');
  expect(html).toContain('512 MiB');
  expect(html).toContain('2 behind');
});

it('is the same for the same clusters, and says so where there are none', () => {
  expect(page([cluster])).toBe(page([cluster]));
  expect(page([])).toContain('Operators in 0 clusters');
});

it.each(HOSTILE_TEXTS)('has the elements that it has of harmless names, whatever clusters write: %j', (text) => {
  const tags = (html: string) => [...html.matchAll(/<\/?([a-z!]+)(?=[\s>/])/gi)].map(([, tag]) => tag);
  const html = hostileAssessment(text);
  expect(tags(html)).toEqual(tags(hostileAssessment('lamp')));
  expect(html).not.toMatch(/[\u202A-\u202E\u2066-\u2069\u200B]/);
  expect(html).toContain(`content="default-src 'none'; style-src 'unsafe-inline'"`);
});
