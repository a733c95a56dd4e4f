import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { PROJECT_ROOT } from '#platform/files/project-root';
import { needing, programs } from '#testing/report/needs';

const CHART = join(PROJECT_ROOT, 'charts/flotilla');
const helm = await programs({ program: 'helm' });

type Fields = Readonly<Record<string, unknown>>;
type Item = Readonly<{ kind: string; metadata: Readonly<{ name: string }>; spec?: Fields }>;

/** Objects that Helm renders from values of a file, which it reads from its input. */
function rendered(values: Fields, release = 'hub', namespace = 'flotilla', chart = CHART): readonly Item[] {
  const of = ['--namespace', namespace, '--kube-version', '1.34.0', '--values', '-'];
  const text = execFileSync('helm', ['template', release, chart, ...of], {
    input: JSON.stringify(values),
    encoding: 'utf8',
    stdio: 'pipe',
    maxBuffer: 1 << 24,
  });
  return parseAllDocuments(text, { version: '1.1' }).flatMap((one) => (one.toJS() as Item | null) ?? []);
}

/** Values of labels, selectors and namespaces that are not texts. */
function notTexts(value: unknown, path: string): string[] {
  if (typeof value !== 'object' || value === null) {
    return /\.(labels|matchLabels|selector)\.[^.]*|\.(name|namespace)$/.test(path) && typeof value !== 'string'
      ? [path]
      : [];
  }
  return Object.entries(value).flatMap(([key, one]) => notTexts(one, `${path}.${key.replaceAll('.', '_')}`));
}

const EVERYTHING = {
  console: { enabled: true },
  fleet: { enabled: true },
  notifier: { enabled: true },
  tokenReview: true,
  monitoring: { podMonitor: true, alerts: true, dashboards: true },
};

describe('names of a release', needing(helm), () => {
  it.each([
    { release: 'hub.east', begins: 'hub-east-flotilla-' },
    { release: '3hub', begins: 'r-3hub-flotilla-' },
    { release: '2026', begins: 'r-2026-flotilla-' },
    { release: '3.flotilla', begins: 'r-3-flotilla-' },
  ])('of $release begin with $begins, and API servers accept them', ({ release, begins }) => {
    const items = rendered(EVERYTHING, release, '2026');
    const services = items.filter(({ kind }) => kind === 'Service').map(({ metadata }) => metadata.name);
    expect(services.length).toBe(7);
    expect(services.filter((name) => !/^[a-z]([-a-z0-9]{0,61}[a-z0-9])?$/.test(name))).toEqual([]);
    expect(services.filter((name) => !name.startsWith(begins))).toEqual([]);
    expect(items.flatMap((one) => notTexts(one, one.kind))).toEqual([]);
  });

  it('of chart 0.2.0 go on with any release', () => {
    const services = rendered({ plainNames: true }, '2026').filter(({ kind }) => kind === 'Service');
    expect(services.map(({ metadata }) => metadata.name).toSorted()).toEqual([
      'applier',
      'catalog-poller',
      'redis',
      'resolver-worker',
    ]);
  });
});

/** The fields of a pod that tests read. */
type Pod = Readonly<{
  containers: readonly [Readonly<{ image: string; env: readonly Readonly<{ name: string; value?: string }>[] }>];
  volumes: readonly Fields[];
}>;

function podOf(items: readonly Item[], name: string): Pod {
  const found = items.find(({ kind, metadata }) => kind === 'Deployment' && metadata.name === name);
  return Object(found?.spec)['template'].spec;
}

describe('whole numbers of a values file', needing(helm), () => {
  const ofContent = { contentMaxBytes: 4294967296, contentVolume: 5368709120 };
  const content = (values: Fields) => {
    const items = rendered({ image: { tag: 20261130 }, applier: { ...ofContent, ...values } });
    const { containers, volumes } = podOf(items, 'hub-flotilla-applier');
    const [{ image, env }] = containers;
    const [volume] = volumes.filter(({ name }) => name === 'content');
    return { image, bytes: env.find(({ name }) => name === 'FLOTILLA_CONTENT_MAX_BYTES')?.value, volume };
  };

  it('keep their digits as sizes and as a tag', () => {
    expect(content({})).toEqual({
      image: 'flotilla:20261130',
      bytes: '4294967296',
      volume: { name: 'content', emptyDir: { sizeLimit: '5368709120' } },
    });
    expect(JSON.stringify(content({ persistence: { enabled: true } }).volume)).toContain('"storage":"5368709120"');
  });

  it('keep their digits as the work of a resolver', () => {
    const autoscaling = { by: 'hpa', waitingPerResolver: 2000000 };
    const scaled = rendered({ resolver: { autoscaling } }).filter(({ kind }) => kind === 'HorizontalPodAutoscaler');
    expect(JSON.stringify(scaled)).toContain('"averageValue":"2000000"');
  });
});

describe('a claim of the user', needing(helm), () => {
  const persistence = { enabled: true, existingClaim: 'content' };
  const resolver = (by: string, max: number) => ({
    resolver: { replicas: 1, persistence, autoscaling: { by, min: 1, max } },
  });

  it.each(['hpa', 'keda'])('is refused with autoscaling by %s, and is taken for one pod', (by) => {
    expect(() => rendered(resolver(by, 8))).toThrow(
      /resolver-worker: persistence.existingClaim is for one pod, and autoscaling.max is 8/,
    );
    expect(JSON.stringify(podOf(rendered(resolver(by, 1)), 'hub-flotilla-resolver-worker').volumes)).toContain(
      '"claimName":"content"',
    );
    expect(() => rendered(resolver('', 8))).not.toThrow();
  });
});

describe('an upgrade from chart 0.2.0 with --reuse-values', needing(helm), () => {
  it('is refused in one line, which names what to do', () => {
    const folder = mkdtempSync(join(tmpdir(), 'flotilla-chart-'));
    try {
      cpSync(CHART, folder, { recursive: true, dereference: true });
      // Helm takes the defaults of the old release for those of the new chart.
      cpSync(join(import.meta.dirname, 'chart-0.2.0-values.yaml'), join(folder, 'values.yaml'));
      expect(() => rendered({}, 'hub', 'flotilla', folder)).toThrow(
        /values are missing that this chart has: fleet, httpTls, notifier, tracing\. .* --reset-then-reuse-values\n/,
      );
    } finally {
      rmSync(folder, { recursive: true, maxRetries: 5 });
    }
  });

  it('needs no answer about names', () => {
    expect(rendered({ plainNames: null }).map(({ metadata }) => metadata.name)).toContain('hub-flotilla-applier');
    expect(rendered({ plainNames: false }).map(({ metadata }) => metadata.name)).toContain('hub-flotilla-applier');
  });
});

describe('autoscaling', needing(helm), () => {
  const scaler = (by: string, values: Fields = {}, more: Fields = {}) =>
    JSON.stringify(
      rendered({ resolver: { autoscaling: { by, ...values } }, ...more }).find(({ kind }) =>
        ['HorizontalPodAutoscaler', 'ScaledObject'].includes(kind),
      )?.spec,
    );

  it('counts the jobs of its own release, by labels that the monitors give', () => {
    expect(scaler('keda')).toContain(
      JSON.stringify(
        'max(bullmq_job_count{queue="resolve",state="waiting",app_kubernetes_io_instance="hub",namespace="flotilla"})',
      ),
    );
    expect(scaler('hpa')).toContain(
      '{"queue":"resolve","state":"waiting","app_kubernetes_io_instance":"hub","namespace":"flotilla"}',
    );
    const monitors = rendered({ monitoring: { podMonitor: true, serviceMonitor: true } }).filter(({ kind }) =>
      kind.endsWith('Monitor'),
    );
    expect(monitors.map(({ spec }) => spec?.['podTargetLabels'])).toEqual([
      ['app.kubernetes.io/instance'],
      ['app.kubernetes.io/instance'],
    ]);
  });

  it('takes other labels of the user, and no label of the release with plain names', () => {
    const labels = { job: 'hub' };
    expect(scaler('keda', { labels })).toContain(
      JSON.stringify('max(bullmq_job_count{queue="resolve",state="waiting",job="hub"})'),
    );
    expect(scaler('hpa', { labels })).toContain('{"queue":"resolve","state":"waiting","job":"hub"}');
    expect(scaler('hpa', {}, { plainNames: true })).toContain(
      '{"queue":"resolve","state":"waiting","namespace":"flotilla"}',
    );
  });
});
