import { execFileSync } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv } from 'ajv';
import { describe, expect, it } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { chartSchema, chartSettings } from '#platform/config/chart-schema';
import { PROJECT_ROOT } from '#platform/files/project-root';
import { needing, programs } from '#testing/report/needs';
import { chartReadme } from '../../scripts/distribution/chart-readme.js';
import { kustomizedWith } from './kustomized-with.js';

const CHART = join(PROJECT_ROOT, 'charts/flotilla');
const read = (path: string) => readFileSync(join(PROJECT_ROOT, path), 'utf8');
const run = (program: string, ...args: string[]) =>
  execFileSync(program, args, { encoding: 'utf8', cwd: PROJECT_ROOT, stdio: ['ignore', 'pipe', 'pipe'] });

/** Values with a name that Helm users know. */
const PLAIN_ENOUGH =
  /^image\.|\.(enabled|min|max|className|annotations|host|hostnames|accessModes|image|ports|podMonitor|interval|alerts)$/;
type Manifest = Readonly<{
  kind: string;
  metadata: Readonly<{ name: string; annotations?: Readonly<Record<string, string>> }>;
}>;
/** Helm and kubectl read YAML 1.1: 0440 is octal there. */
const OF_GO = { version: '1.1' } as const;
const OF_HELM = [
  ...['managed-by', 'part-of', 'instance', 'version'].map((label) => `app.kubernetes.io/${label}`),
  'helm.sh/chart',
];

/** Manifests by kind and name, without labels of the renderer and the hash in names of kustomize. */
function manifests(text: string): Record<string, unknown> {
  const all = parseAllDocuments(text, OF_GO).flatMap((document) => (document.toJS() as Manifest | null) ?? []);
  const named = all
    .filter(({ kind, metadata }) => kind !== 'Namespace' && metadata.annotations?.['helm.sh/hook'] === undefined)
    .map((one) => {
      const plain = JSON.parse(JSON.stringify(one).replaceAll(/"redis-users-[a-z0-9]{10}"/g, '"redis-users"'));
      for (const label of OF_HELM) delete plain.metadata.labels?.[label];
      if (Object.keys(plain.metadata.labels ?? {}).length === 0) delete plain.metadata.labels;
      // kustomize puts what a patch names before the others.
      const byName = (a: { name: string }, b: { name: string }) => (a.name < b.name ? -1 : 1);
      plain.spec?.template?.spec?.volumes?.sort(byName);
      for (const { env = [], volumeMounts = [] } of plain.spec?.template?.spec?.containers ?? []) {
        for (const list of [env, volumeMounts]) list.sort(byName);
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
const RENDER = ['template', 'hub', CHART, '--namespace', 'flotilla', '--kube-version', '1.34.0'];
/** With the names of `k8s`, which are those of chart 0.2.0. */
const rendered = (...args: string[]) => manifests(run('helm', ...RENDER, '--set', 'plainNames=true', ...args));
const kustomized = (folder: string) => manifests(run('kubectl', 'kustomize', folder));

describe('charts/flotilla, rendered', needing(tools), () => {
  it.each([
    { folder: 'k8s/base', set: [] },
    {
      folder: 'k8s/overlays/redis-external',
      set: ['--set', 'redis.enabled=false'],
    },
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

  it.each(['hpa', 'keda'])('is k8s/overlays/%s with autoscaling, but for the namespace of the series', (by) => {
    const all = JSON.stringify(rendered('--set', `resolver.autoscaling.by=${by}`));
    const without = all.replace(
      /,namespace=\\"flotilla\\"|(?<="waiting"),"namespace":"flotilla"|"namespace":"flotilla",(?="queue")/,
      '',
    );
    expect(without).not.toBe(all);
    expect(JSON.parse(without)).toEqual(kustomized(`k8s/overlays/${by}`));
  });

  it('is k8s/overlays/monitoring with k8s/components/service-monitor with a ServiceMonitor', () => {
    const expected = manifests(kustomizedWith(['k8s/overlays/monitoring'], ['k8s/components/service-monitor']));
    const set = 'monitoring.serviceMonitor=true,monitoring.alerts=true,monitoring.dashboards=true';
    expect(rendered('--set', set)).toEqual(expected);
    expect(Object.keys(expected)).toContain('ServiceMonitor flotilla');
    expect(Object.keys(expected)).not.toContain('PodMonitor flotilla');
  });

  it.each([
    { components: ['console'], set: 'console.enabled=true' },
    { components: ['fleet'], set: 'fleet.enabled=true' },
    { components: ['http-tls'], set: 'httpTls.enabled=true' },
    { components: ['notifications'], set: 'notifier.enabled=true' },
    { components: ['token-review'], set: 'tokenReview=true' },
    { components: ['tracing'], set: 'tracing.enabled=true' },
    {
      components: ['console', 'fleet', 'http-tls', 'notifications', 'token-review', 'tracing'],
      set: 'console.enabled=true,fleet.enabled=true,httpTls.enabled=true,notifier.enabled=true,tokenReview=true,tracing.enabled=true',
    },
  ])('is k8s/base with the components $components with $set', ({ components, set }) => {
    const folders = components.map((one) => `k8s/components/${one}`);
    expect(rendered('--set', set)).toEqual(manifests(kustomizedWith(['k8s/base'], folders)));
  });

  it('has the objects of k8s/overlays/fleet with fleet.kinds, which an uninstall keeps', () => {
    const kinds = kustomized('k8s/overlays/fleet');
    const all = rendered('--set', 'fleet.enabled=true,fleet.kinds=true');
    for (const [name, object] of Object.entries(kinds)) {
      const { metadata, ...rest } = Object(all[name]);
      const { annotations, ...others } = metadata;
      expect(annotations, name).toEqual({ 'helm.sh/resource-policy': 'keep' });
      expect({ metadata: others, ...rest }, name).toEqual(object);
    }
    expect(Object.keys(kinds).length).toBeGreaterThanOrEqual(15);
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
      const set = `plainNames=true,settings.${setting}`;
      const documents = parseAllDocuments(run('helm', ...RENDER, '--set', set), OF_GO);
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

  it('has a README of its values (node dist/scripts/write-settings-page.js writes it anew)', () => {
    expect(read('charts/flotilla/README.md')).toBe(chartReadme(read('charts/flotilla/values.yaml')));
  });

  it('explains every value', () => {
    const rows = read('charts/flotilla/README.md')
      .split('\n')
      .filter((line) => line.startsWith('| `'));
    expect(rows.length).toBeGreaterThan(100);
    const unexplained = rows.filter((row) => row.endsWith('|  |')).map((row) => row.split('`')[1]);
    expect(unexplained.filter((path) => !PLAIN_ENOUGH.test(path ?? ''))).toEqual([]);
  });

  it('has a default for every value of its schema', () => {
    type Schema = { properties?: Record<string, Schema> };
    const missing = ({ properties = {} }: Schema, values: unknown, path: string): string[] =>
      Object.entries(properties).flatMap(([name, schema]) => {
        if (path === '' && ['global', 'settings'].includes(name)) return [];
        const value = Object(values)[name];
        return value === undefined ? [`${path}${name}`] : missing(schema, value, `${path}${name}.`);
      });
    expect(missing(JSON.parse(chartSchema()), parse(read('charts/flotilla/values.yaml')), '')).toEqual([]);
  });

  it.each(globSync('*.yaml', { cwd: join(CHART, 'ci') }).toSorted())('has a schema that accepts ci/%s', (file) => {
    const values = parse(read(`charts/flotilla/ci/${file}`));
    const isValid = new Ajv({ allErrors: true, allowUnionTypes: true }).compile(JSON.parse(chartSchema()));
    expect(isValid(values), JSON.stringify(isValid.errors)).toBe(true);
  });

  it.each([
    { values: { poller: { replicas: -1 } }, at: '/poller/replicas' },
    { values: { poller: { replicas: '2' } }, at: '/poller/replicas' },
    { values: { console: { enabled: 'true' } }, at: '/console/enabled' },
    { values: { plainNames: 'yes' }, at: '/plainNames' },
    { values: { fullnameOverride: 'Hub_1' }, at: '/fullnameOverride' },
    { values: { fullnameOverride: '3hub' }, at: '/fullnameOverride' },
    { values: { poller: { podLabels: { 'azure.workload.identity/use': true } } }, at: '/poller/podLabels' },
    { values: { resolver: { autoscaling: { by: 'vpa' } } }, at: '/resolver/autoscaling/by' },
    { values: { fleet: { contentVolume: '1Gi' } }, at: '/fleet' },
  ])('has a schema that refuses $values', ({ values, at }) => {
    const isValid = new Ajv({ allowUnionTypes: true }).compile(JSON.parse(chartSchema()));
    expect(isValid(values)).toBe(false);
    expect(isValid.errors?.[0]?.instancePath).toContain(at);
  });

  it('names the kinds of the fleet for Artifact Hub, and no other', () => {
    const { annotations } = parse(read('charts/flotilla/Chart.yaml'));
    const named = parse(annotations['artifacthub.io/crds']).map(({ name }: { name: string }) => name);
    const files = globSync('*_*.yaml', { cwd: join(PROJECT_ROOT, 'k8s/crds/fleet') });
    expect(named.toSorted()).toEqual(
      files.map((file) => parse(read(`k8s/crds/fleet/${file}`)).metadata.name).toSorted(),
    );
  });

  it('has the version of the package', () => {
    const { version } = JSON.parse(read('package.json'));
    expect(parse(read('charts/flotilla/Chart.yaml'))).toMatchObject({ version, appVersion: version });
  });
});
