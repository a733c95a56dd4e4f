import { execFile, execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { globSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { z } from 'zod';
import { PROJECT_ROOT } from '#platform/files/project-root';
import { needing, programs } from '#testing/report/needs';

const CHART = join(PROJECT_ROOT, 'charts/flotilla');
const FILES = globSync('*.yaml', { cwd: join(CHART, 'ci') }).toSorted();
const helm = await programs({ program: 'helm' });

const Labels = z.record(z.string(), z.string()).default({});
const Item = z.looseObject({
  kind: z.string(),
  metadata: z.looseObject({
    name: z.string(),
    namespace: z.string().optional(),
    labels: Labels,
    annotations: Labels,
  }),
  spec: z.unknown().optional(),
});
type Item = z.infer<typeof Item>;

const run = (...args: string[]) =>
  execFileSync('helm', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'], maxBuffer: 1 << 24 });
function rendered(release: string, ...args: string[]): readonly Item[] {
  const all = run('template', release, CHART, '--namespace', 'flotilla', '--kube-version', '1.34.0', ...args);
  const documents = parseAllDocuments(all, { version: '1.1', uniqueKeys: true });
  expect(documents.flatMap(({ errors }) => errors.map(({ message }) => message))).toEqual([]);
  return documents.flatMap((one) => (one.toJS() === null ? [] : [Item.parse(one.toJS())]));
}
const idOf = ({ kind, metadata }: Item) => `${kind} ${metadata.name}`;
const isHook = ({ metadata }: Item) => 'helm.sh/hook' in metadata.annotations;
/** Objects that every release of an API server shares. */
const isShared = ({ metadata }: Item) => 'helm.sh/resource-policy' in metadata.annotations;
const isOfUser = ({ metadata }: Item) => !('helm.sh/chart' in metadata.labels);

const Pod = z.looseObject({
  serviceAccountName: z.string().optional(),
  volumes: z.array(z.looseObject({ name: z.string(), configMap: z.looseObject({ name: z.string() }).optional() })),
  containers: z.tuple([z.looseObject({ volumeMounts: z.array(z.looseObject({ name: z.string() })) })]),
});
const Workload = z.looseObject({
  selector: z.object({ matchLabels: Labels }),
  template: z.object({ metadata: z.looseObject({ labels: Labels }), spec: Pod }),
});
const Selector = z.object({
  matchLabels: Labels,
  matchExpressions: z.array(z.object({ key: z.string(), values: z.array(z.string()) })).default([]),
});
type Selector = z.infer<typeof Selector>;
const isSelected = ({ matchLabels, matchExpressions }: Selector, labels: Readonly<Record<string, string>>) =>
  Object.entries(matchLabels).every(([key, value]) => labels[key] === value) &&
  matchExpressions.every(({ key, values }) => values.includes(labels[key] ?? ''));

/** Faults of a release that an API server would accept, and with which it would not work. */
function faultsOf(items: readonly Item[]): string[] {
  const ids = items.map(idOf);
  const deployments = items
    .filter(({ kind }) => kind === 'Deployment')
    .map((one) => ({ one, ...Workload.parse(one.spec) }));
  const pods = deployments.map(({ template }) => template.metadata.labels);
  const faults = ids.filter((id, index) => ids.indexOf(id) !== index).map((id) => `${id} is there twice`);
  for (const { one, selector, template } of deployments) {
    const { volumes, containers, serviceAccountName = '' } = template.spec;
    const [{ volumeMounts }] = containers;
    const names = volumes.map(({ name }) => name);
    const found = pods.filter((labels) => isSelected({ ...selector, matchExpressions: [] }, labels)).length;
    if (found !== 1) faults.push(`${idOf(one)} selects pods of ${found} Deployments`);
    if (new Set(names).size !== names.length) faults.push(`${idOf(one)} has a volume twice`);
    faults.push(
      ...volumeMounts.filter(({ name }) => !names.includes(name)).map(({ name }) => `${idOf(one)}: no volume ${name}`),
    );
    if (!ids.includes(`ServiceAccount ${serviceAccountName}`))
      faults.push(`${idOf(one)}: account ${serviceAccountName}`);
  }
  const selectors = items.flatMap((one) => {
    const { selector, podSelector } = Object(one.spec);
    if (one.kind === 'Service') return [{ one, selector: { matchLabels: selector } }];
    if (one.kind === 'NetworkPolicy' || one.kind === 'PodDisruptionBudget')
      return [{ one, selector: podSelector ?? selector }];
    return one.kind.endsWith('Monitor') ? [{ one, selector }] : [];
  });
  for (const { one, selector } of selectors) {
    const found = pods.filter((labels) => isSelected(Selector.parse(selector), labels)).length;
    const isOne = one.kind === 'Service' || one.kind === 'PodDisruptionBudget';
    if (isOne ? found !== 1 : found === 0) faults.push(`${idOf(one)} selects pods of ${found} Deployments`);
  }
  return faults;
}

/** Accounts of the user, which no release has. */
const OF_THE_USER = /: account (our-\w+|default)$/;

describe('charts/flotilla with values of ci', needing(helm), () => {
  it('has files for 20 kinds of installs and more', () => {
    expect(FILES.length).toBeGreaterThanOrEqual(20);
  });

  it.each(FILES)('%s: passes lint, and every selector, mount and account leads to something', (file) => {
    const values = ['--values', join(CHART, 'ci', file)];
    expect(run('lint', '--strict', CHART, ...values)).toContain('0 chart(s) failed');
    const items = rendered('hub', ...values);
    expect(faultsOf(items).filter((fault) => !OF_THE_USER.test(fault))).toEqual([]);
    expect(items.filter((one) => isOfUser(one)).map(({ metadata }) => metadata.name)).toEqual(
      file === 'extras-values.yaml' ? ['hub-flotilla-more', 'hub-flotilla-text'] : [],
    );
  });

  it.each(FILES.filter((file) => !/^(plain-names|fullname|own-accounts)/.test(file)))(
    '%s: two releases in one namespace share no object and no pod',
    (file) => {
      const values = ['--values', join(CHART, 'ci', file)];
      const both = ['hub', 'other'].map((release) => rendered(release, ...values).filter((one) => !isShared(one)));
      const [hub = [], other = []] = both;
      const ids = new Set(hub.map(idOf));
      expect(other.map(idOf).filter((id) => ids.has(id))).toEqual([]);
      expect(faultsOf([...hub, ...other])).toEqual([]);
      expect(hub.filter(({ metadata }) => !metadata.name.includes('hub-')).map(idOf)).toEqual([]);
    },
  );

  it('shortens a long name so that Services have at most 63 characters, and others with the same beginning differ', () => {
    const name = (last: string) => `a-name-that-has-more-characters-than-a-service-may-have-${last}`;
    const services = (last: string) =>
      rendered('hub', '--set', `fleet.enabled=true,console.enabled=true,fullnameOverride=${name(last)}`)
        .filter(({ kind }) => kind === 'Service')
        .map(({ metadata }) => metadata.name);
    expect(services('one').filter((one) => one.length > 63)).toEqual([]);
    expect(services('one').filter((one) => services('two').includes(one))).toEqual([]);
  });
});

const named = (items: readonly Item[], id: string): Item => {
  const found = items.find((one) => idOf(one) === id);
  if (found === undefined) throw new Error(`no ${id}: ${items.map(idOf).join(', ')}`);
  return found;
};
const podOf = (items: readonly Item[], id: string) => Object(named(items, id).spec).template;

describe('values of the chart', needing(helm), () => {
  const of = (file: string) => rendered('hub', '--values', join(CHART, 'ci', `${file}-values.yaml`));

  it('open the console by an Ingress or a route, whose address it then has', () => {
    const url = (items: readonly Item[]) =>
      podOf(items, 'Deployment hub-flotilla-console').spec.containers[0].env.find(
        ({ name }: { name: string }) => name === 'FLOTILLA_CONSOLE_EXTERNAL_URL',
      ).value;
    const ingress = of('console-ingress');
    expect(named(ingress, 'Ingress hub-flotilla-console').spec).toEqual({
      ingressClassName: 'nginx',
      tls: [{ hosts: ['flotilla.example.com'], secretName: 'console-web' }],
      rules: [
        {
          host: 'flotilla.example.com',
          http: {
            paths: [
              {
                path: '/',
                pathType: 'Prefix',
                backend: { service: { name: 'hub-flotilla-console', port: { name: 'pages' } } },
              },
            ],
          },
        },
      ],
    });
    expect(url(ingress)).toBe('https://flotilla.example.com');
    const route = of('console-route');
    expect(named(route, 'HTTPRoute hub-flotilla-console').spec).toEqual({
      parentRefs: [{ name: 'web', namespace: 'gateways' }],
      hostnames: ['flotilla.example.com'],
      rules: [{ backendRefs: [{ name: 'hub-flotilla-console', port: 8083 }] }],
    });
    expect(url(route)).toBe('https://flotilla.example.com');
    expect(url(of('no-policies'))).toBe('https://console.example.com');
    const set = 'console.enabled=true,console.httpRoute.enabled=true';
    expect(() => rendered('hub', '--set', set)).toThrow(/parentRefs: name the Gateway/);
  });

  it('keep content in a claim for each pod, or in one of the user for one pod', () => {
    const content = (items: readonly Item[], of: string) =>
      podOf(items, `Deployment hub-flotilla-${of}`).spec.volumes.find(
        ({ name }: { name: string }) => name === 'content',
      );
    expect(content(of('claims'), 'catalog-poller').ephemeral.volumeClaimTemplate.spec).toEqual({
      accessModes: ['ReadWriteOnce'],
      storageClassName: 'fast',
      resources: { requests: { storage: '50Gi' } },
    });
    expect(content(of('claims'), 'resolver-worker')).toEqual({ name: 'content', emptyDir: { sizeLimit: '128Mi' } });
    const own = of('existing-claim');
    expect(content(own, 'catalog-poller')).toEqual({
      name: 'content',
      persistentVolumeClaim: { claimName: 'content' },
    });
    expect(named(own, 'Deployment hub-flotilla-catalog-poller').spec).toMatchObject({ strategy: { type: 'Recreate' } });
    const set = 'applier.persistence.enabled=true,applier.persistence.existingClaim=content';
    expect(() => rendered('hub', '--set', set)).toThrow(
      /applier: persistence.existingClaim is for one pod, and replicas is 2/,
    );
  });

  it('give accounts and pods the identity of a cloud, or take accounts of the user', () => {
    const cloud = of('cloud-identity');
    expect(named(cloud, 'ServiceAccount hub-flotilla-applier').metadata.annotations).toEqual({
      'eks.amazonaws.com/role-arn': 'arn:aws:iam::111122223333:role/flotilla',
    });
    expect(podOf(cloud, 'Deployment hub-flotilla-applier').metadata.labels).toEqual({
      'app.kubernetes.io/instance': 'hub',
      'app.kubernetes.io/name': 'applier',
      'azure.workload.identity/use': 'true',
    });
    const own = of('own-accounts');
    expect(own.filter(({ kind }) => kind === 'ServiceAccount').map(idOf)).toEqual([
      'ServiceAccount hub-flotilla-resolver-worker',
    ]);
    const subjects = own.flatMap((one) => (Object(one).subjects ?? []).map(({ name }: { name: string }) => name));
    expect([...new Set(subjects)].toSorted()).toEqual(['our-applier', 'our-controller', 'our-poller']);
  });

  it('place pods, and label all objects and pods, but not what finds them', () => {
    const placed = of('placement');
    for (const name of ['catalog-poller', 'resolver-worker', 'applier']) {
      expect(podOf(placed, `Deployment hub-flotilla-${name}`).spec).toMatchObject({
        nodeSelector: { disk: 'ssd' },
        tolerations: [{ key: 'hub', operator: 'Exists' }],
        priorityClassName: 'high',
        topologySpreadConstraints: [{ topologyKey: 'rack' }],
      });
    }
    const redis = podOf(placed, 'Deployment hub-flotilla-redis');
    expect(redis.spec.nodeSelector).toEqual({ disk: 'ssd' });
    expect(redis.metadata.annotations).toMatchObject({ 'sidecar.istio.io/inject': 'false' });
    expect(redis.metadata.labels).toMatchObject({ tier: 'cache', team: 'platform', 'app.kubernetes.io/name': 'redis' });
    expect(placed.filter(({ metadata }) => metadata.labels['team'] !== 'platform')).toEqual([]);
    expect(new Set(placed.map(({ metadata }) => metadata.labels['app.kubernetes.io/part-of']))).toEqual(
      new Set(['flotilla']),
    );
  });

  it('add environment, volumes, and objects with templates', () => {
    const items = of('extras');
    const [container] = podOf(items, 'Deployment hub-flotilla-applier').spec.containers;
    expect(container.env).toContainEqual({ name: 'HTTPS_PROXY', value: 'http://proxy.example:3128' });
    expect(container.envFrom).toEqual([
      { configMapRef: { name: 'hub-flotilla-settings', optional: true } },
      { secretRef: { name: 'more' } },
    ]);
    expect(container.volumeMounts).toContainEqual({ name: 'ca', mountPath: '/etc/ca', readOnly: true });
    expect(Object(named(items, 'ConfigMap hub-flotilla-more'))).toMatchObject({ data: { url: 'http://hub' } });
  });
});

/** Objects of a release of chart 0.2.0 with the console and one setting, rendered by Helm. */
const OLD = parseAllDocuments(readFileSync(join(import.meta.dirname, 'chart-0.2.0.yaml'), 'utf8'), { version: '1.1' })
  .filter((one) => one.toJS() !== null)
  .map((one) => Item.parse(one.toJS()));

describe('an upgrade from chart 0.2.0 with its names', needing(helm), () => {
  const set = 'plainNames=true,console.enabled=true,settings.FLOTILLA_LOG_LEVEL=info';

  it('keeps every object, what finds pods, and their accounts, Secrets and volumes', () => {
    const now = rendered('hub', '--set', set);
    const kept = new Map(now.map((one) => [idOf(one), one]));
    expect(OLD.map(idOf).filter((id) => !kept.has(id))).toEqual([]);
    const deployments = OLD.filter(({ kind }) => kind === 'Deployment');
    expect(deployments.length).toBe(5);
    for (const old of deployments) {
      const [before, after] = [Workload.parse(old.spec), Workload.parse(kept.get(idOf(old))?.spec)];
      expect(after.selector, idOf(old)).toEqual(before.selector);
      expect(after.template.metadata.labels, idOf(old)).toEqual(before.template.metadata.labels);
      expect(after.template.spec.volumes, idOf(old)).toEqual(expect.arrayContaining(before.template.spec.volumes));
      expect(after.template.spec.containers[0].volumeMounts, idOf(old)).toEqual(
        expect.arrayContaining(before.template.spec.containers[0].volumeMounts),
      );
      expect(after.template.spec.serviceAccountName, idOf(old)).toBe(before.template.spec.serviceAccountName);
    }
  });
});

describe('helm test', needing(helm), () => {
  const Test = z.looseObject({
    containers: z.tuple([z.object({ command: z.array(z.string()), args: z.array(z.string()) }).loose()]),
  });
  const testOf = (...args: string[]) => {
    const items = rendered('hub', ...args).filter(isHook);
    return Test.parse(named(items, 'Pod hub-flotilla-ready-test').spec).containers[0];
  };

  it('asks every service that has HTTP, by the name of its Service', () => {
    expect(testOf('--set', 'console.enabled=true').args).toEqual([
      'http://hub-flotilla-applier:8082/readyz',
      'http://hub-flotilla-catalog-poller:8080/readyz',
      'http://hub-flotilla-resolver-worker:8081/readyz',
      'http://hub-flotilla-console:8084/readyz',
    ]);
    expect(testOf('--set', 'httpTls.enabled=true').args[0]).toBe('https://hub-flotilla-applier:8082/readyz');
  });

  it.each([
    { answers: [200, 200], exit: 0 },
    { answers: [200, 503], exit: 1 },
  ])('ends with $exit where services answer $answers', async ({ answers, exit }) => {
    const servers = answers.map((status) => createServer((_request, response) => response.writeHead(status).end()));
    try {
      for (const server of servers) await once(server.listen(0, '127.0.0.1'), 'listening');
      const urls = servers.map((server) => `http://127.0.0.1:${(server.address() as AddressInfo).port}/readyz`);
      const [, ...script] = testOf().command;
      const ended = await promisify(execFile)(process.execPath, [...script, ...urls])
        .then(({ stdout }) => ({ code: 0, stdout }))
        .catch((error: { code: number; stdout: string }) => error);
      expect(ended.code).toBe(exit);
      expect(ended.stdout).toBe(urls.map((url, index) => `${url}: ${answers[index]}\n`).join(''));
    } finally {
      for (const server of servers) server.close();
    }
  });
});

it('the settings of ci are settings that there are', () => {
  const { properties } = JSON.parse(readFileSync(join(CHART, 'values.schema.json'), 'utf8')).properties.settings;
  const named = FILES.flatMap((file) =>
    Object.keys(parse(readFileSync(join(CHART, 'ci', file), 'utf8')).settings ?? {}),
  );
  expect(named.filter((name) => !(name in properties))).toEqual([]);
  expect(named.length).toBeGreaterThan(0);
});
