import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { chartSchema, chartSettings } from '#platform/config/chart-schema';
import { PROJECT_ROOT } from '#platform/files/project-root';
import { needing, programs } from '#testing/report/needs';
import { kustomizedWith } from './kustomized-with.js';

const CHART = join(PROJECT_ROOT, 'charts/flotilla');
const read = (path: string) => readFileSync(join(PROJECT_ROOT, path), 'utf8');
const run = (program: string, ...args: string[]) =>
  execFileSync(program, args, { encoding: 'utf8', cwd: PROJECT_ROOT, stdio: ['ignore', 'pipe', 'pipe'] });

type Manifest = Readonly<{ kind: string; metadata: Readonly<{ name: string }> }>;
/** Helm and kubectl read YAML 1.1: 0440 is octal there. */
const OF_GO = { version: '1.1' } as const;
const OF_HELM = ['app.kubernetes.io/managed-by', 'helm.sh/chart', 'app.kubernetes.io/part-of'];

/** Manifests by kind and name, without labels of the renderer and the hash in names of kustomize. */
function manifests(text: string): Record<string, unknown> {
  const all = parseAllDocuments(text, OF_GO).flatMap((document) => (document.toJS() as Manifest | null) ?? []);
  const named = all
    .filter(({ kind }) => kind !== 'Namespace')
    .map((one) => {
      const plain = JSON.parse(JSON.stringify(one).replaceAll(/"redis-users-[a-z0-9]{10}"/g, '"redis-users"'));
      for (const label of OF_HELM) delete plain.metadata.labels?.[label];
      if (Object.keys(plain.metadata.labels ?? {}).length === 0) delete plain.metadata.labels;
      // kustomize puts a variable that a patch names before the others.
      for (const { env = [] } of plain.spec?.template?.spec?.containers ?? []) {
        env.sort((a: { name: string }, b: { name: string }) => (a.name < b.name ? -1 : 1));
      }
      delete plain.spec?.template?.metadata?.annotations?.['flotilla.dev/users'];
      if (Object.keys(plain.spec?.template?.metadata?.annotations ?? { kept: true }).length === 0) {
        delete plain.spec.template.metadata.annotations;
      }
      return [`${plain.kind} ${plain.metadata.name}`, plain] as const;
    });
  return Object.fromEntries(named.toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

const tools = await programs({ program: 'helm' }, { program: 'kubectl' });
const helm = await programs({ program: 'helm' });
const rendered = (...args: string[]) =>
  manifests(run('helm', 'template', 'hub', CHART, '--namespace', 'flotilla', '--kube-version', '1.34.0', ...args));
const kustomized = (folder: string) => manifests(run('kubectl', 'kustomize', folder));

describe('charts/flotilla, rendered', needing(tools), () => {
  it.each([
    { folder: 'k8s/base', set: [] },
    {
      folder: 'k8s/overlays/redis-external',
      set: ['--set', 'redis.enabled=false'],
    },
    { folder: 'k8s/overlays/hpa', set: ['--set', 'resolver.autoscaling.by=hpa'] },
    { folder: 'k8s/overlays/keda', set: ['--set', 'resolver.autoscaling.by=keda'] },
    {
      folder: 'k8s/overlays/monitoring',
      set: ['--set', 'monitoring.podMonitor=true,monitoring.alerts=true,monitoring.dashboards=true'],
    },
    {
      folder: 'k8s/overlays/hub-kind',
      set: [
        '--set',
        'poller.replicas=1,resolver.replicas=1,applier.replicas=1,disruptionBudgets=false,image.pullPolicy=Never',
      ],
    },
  ])('is $folder with $set', ({ folder, set }) => {
    expect(rendered(...set)).toEqual(kustomized(folder));
  });

  it('is k8s/overlays/monitoring with k8s/components/service-monitor with a ServiceMonitor', () => {
    const expected = manifests(kustomizedWith(['k8s/overlays/monitoring'], ['k8s/components/service-monitor']));
    const set = 'monitoring.serviceMonitor=true,monitoring.alerts=true,monitoring.dashboards=true';
    expect(rendered('--set', set)).toEqual(expected);
    expect(Object.keys(expected)).toContain('ServiceMonitor flotilla');
    expect(Object.keys(expected)).not.toContain('PodMonitor flotilla');
  });

  it('is k8s/base with k8s/components/console with console.enabled', () => {
    const expected = kustomizedWith(['k8s/base'], ['k8s/components/console']);
    expect(rendered('--set', 'console.enabled=true')).toEqual(manifests(expected));
  });

  it('is k8s/overlays/self-managed with selfManaged, but for the roles of managed clusters', () => {
    const expected = Object.entries(kustomized('k8s/overlays/self-managed')).filter(
      ([name]) => !name.startsWith('ClusterRole '),
    );
    expect(rendered('--set', 'selfManaged=true')).toEqual(Object.fromEntries(expected));
  });
});

describe('charts/flotilla, with helm', needing(helm), () => {
  it('passes helm lint', () => {
    expect(run('helm', 'lint', '--strict', CHART)).toContain('0 chart(s) failed');
  });

  it('passes every setting on, and refuses one that does not exist', () => {
    const all = chartSettings();
    const set = all.map((name) => `settings.${name}=1`).join(',');
    const { data } = rendered('--set', set)['ConfigMap flotilla-settings'] as { data: Record<string, string> };
    expect(Object.keys(data).toSorted()).toEqual(all.toSorted());
    expect(new Set(Object.values(data))).toEqual(new Set(['1']));
    expect(() => rendered('--set', 'settings.FLOTILLA_NO_SUCH=1')).toThrow(/FLOTILLA_NO_SUCH/);
    expect(() => rendered('--set', 'poller.replica=3')).toThrow(/replica/);
  });

  it('starts pods anew when a setting has changed, and Redis when the prefix of its keys has', () => {
    const annotations = (setting: string) => {
      const args = ['--kube-version', '1.34.0', '--set', `settings.${setting}`];
      const documents = parseAllDocuments(run('helm', 'template', 'hub', CHART, ...args), OF_GO);
      const deployments = documents.map((one) => Object(one.toJS())).filter(({ kind }) => kind === 'Deployment');
      return Object.fromEntries(deployments.map((one) => [one.metadata.name, one.spec.template.metadata.annotations]));
    };
    const before = annotations('FLOTILLA_LOG_LEVEL=info');
    const level = annotations('FLOTILLA_LOG_LEVEL=debug');
    const prefix = annotations('FLOTILLA_REDIS_PREFIX=hub');
    for (const name of ['catalog-poller', 'resolver-worker', 'applier']) expect(level[name]).not.toEqual(before[name]);
    expect(level['redis']).toEqual(before['redis']);
    expect(prefix['redis']).not.toEqual(before['redis']);
  });

  it('has the console behind an address, and lets it reach a Redis of your own', () => {
    const set = 'console.enabled=true,console.externalUrl=https://flotilla.example.com,redis.enabled=false';
    const console = rendered('--set', set);
    expect(Object(console['Deployment console']).spec.template.spec.containers[0].env).toContainEqual({
      name: 'FLOTILLA_CONSOLE_EXTERNAL_URL',
      value: 'https://flotilla.example.com',
    });
    expect(Object(console['NetworkPolicy console']).spec.egress).toContainEqual({
      to: [{ ipBlock: { cidr: '10.0.0.0/8' } }],
      ports: [{ port: 6379 }, { port: 6380 }, { port: 26379 }],
    });
    expect(Object.keys(rendered('--set', `${set},networkPolicies=false`))).not.toContain('NetworkPolicy console');
  });

  it('keeps no pod where none is wanted', () => {
    expect(rendered('--set', 'resolver.replicas=0')['Deployment resolver-worker']).toMatchObject({
      spec: { replicas: 0 },
    });
  });

  it('has no disruption budget where there is one pod, so that its node can be drained', () => {
    const budgets = (...args: string[]) => Object.keys(rendered(...args)).filter((name) => name.startsWith('PodDis'));
    expect(budgets('--set', 'applier.replicas=1')).toEqual([
      'PodDisruptionBudget catalog-poller',
      'PodDisruptionBudget resolver-worker',
    ]);
    const scaled = 'resolver.autoscaling.by=hpa,resolver.replicas=1';
    expect(budgets('--set', scaled)).toContain('PodDisruptionBudget resolver-worker');
  });

  it('takes what pods are placed by, further volumes, and an image by its digest', () => {
    const digest = `sha256:${'a'.repeat(64)}`;
    const set = `poller.nodeSelector.disk=ssd,poller.priorityClassName=high,image.digest=${digest},image.pullSecrets[0].name=login,poller.volumes[0].name=ca,poller.volumeMounts[0].name=ca`;
    const { spec } = Object(rendered('--set', set)['Deployment catalog-poller']).spec.template;
    expect(spec).toMatchObject({
      nodeSelector: { disk: 'ssd' },
      priorityClassName: 'high',
      imagePullSecrets: [{ name: 'login' }],
      containers: [{ image: `flotilla@${digest}` }],
    });
    expect(spec.volumes).toContainEqual({ name: 'ca' });
    expect(spec.containers[0].volumeMounts).toContainEqual({ name: 'ca' });
  });
});

describe('charts/flotilla', () => {
  it.each([
    { name: 'redis-users.acl', of: 'k8s/base/hub/redis-users.acl' },
    { name: 'start-redis.sh', of: 'k8s/base/hub/start-redis.sh' },
    { name: 'monitoring/alerts.yaml', of: 'k8s/monitoring/alerts.yaml' },
  ])('gives $name as it is in k8s', ({ name, of }) => {
    expect(read(`charts/flotilla/files/${name}`)).toBe(read(of));
  });

  it('has a schema of the settings as they are (node dist/scripts/write-settings-page.js writes it anew)', () => {
    expect(read('charts/flotilla/values.schema.json')).toBe(chartSchema());
  });

  it('has a default for every value of its schema', () => {
    const { properties } = JSON.parse(chartSchema());
    const values = parse(read('charts/flotilla/values.yaml'));
    for (const [name, { properties: fields = {} }] of Object.entries<{ properties?: object }>(properties)) {
      if (['global', 'settings'].includes(name)) continue;
      const value = values[name];
      if (typeof value === 'object')
        expect(Object.keys(value).toSorted(), name).toEqual(Object.keys(fields).toSorted());
      else expect(value, name).toBeTypeOf('boolean');
    }
  });

  it('has the version of the package', () => {
    const { version } = JSON.parse(read('package.json'));
    expect(parse(read('charts/flotilla/Chart.yaml'))).toMatchObject({ version, appVersion: version });
  });
});
