import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { z } from 'zod';
import { readSettings, unknownSettings } from './settings.js';

const root = fileURLToPath(new URL('../../../../', import.meta.url));
const read = (path: string) => readFileSync(join(root, path), 'utf8');

const services = [
  { service: 'catalog-poller', user: 'poller', port: readSettings({}).catalogPollerPort },
  { service: 'resolver-worker', user: 'resolver', port: readSettings({}).resolverWorkerPort },
  { service: 'applier', user: 'applier', port: readSettings({}).applierPort },
];

const Probe = z.looseObject({ httpGet: z.looseObject({ path: z.string(), port: z.string() }) });
const Deployment = z.looseObject({
  kind: z.literal('Deployment'),
  spec: z.looseObject({
    replicas: z.number(),
    template: z.looseObject({
      spec: z.looseObject({
        terminationGracePeriodSeconds: z.number(),
        automountServiceAccountToken: z.boolean(),
        enableServiceLinks: z.literal(false),
        containers: z.array(
          z.looseObject({
            args: z.array(z.string()),
            env: z.array(z.looseObject({ name: z.string(), value: z.string().optional() })),
            ports: z.array(z.looseObject({ containerPort: z.number() })),
            livenessProbe: Probe,
            readinessProbe: Probe,
          }),
        ),
        volumes: z.array(z.looseObject({ name: z.string() })),
      }),
    }),
  }),
});
const deploymentOf = (service: string) =>
  Deployment.parse(parseAllDocuments(read(`k8s/base/hub/${service}.yaml`), { merge: true })[0]?.toJS());

type Patch = Readonly<{ target?: Readonly<{ name: string }>; patch: string }>;
type Ingress = Readonly<{ from: unknown; ports: readonly Readonly<{ port: string }>[] }>;

describe.each(services)('$service in k8s/base', ({ service, port }) => {
  it('starts a program that exists, with settings that exist and can be read', () => {
    const { terminationGracePeriodSeconds, containers } = deploymentOf(service).spec.template.spec;
    const [container] = containers;
    const given = Object.fromEntries((container?.env ?? []).map(({ name, value }) => [name, value ?? '']));
    expect(container?.args).toEqual([`dist/programs/${service}.js`]);
    expect(existsSync(join(root, 'apps', service, 'src/main.ts'))).toBe(true);
    expect(unknownSettings(given)).toEqual([]);
    expect(() => readSettings(given)).not.toThrow();
    expect(container?.ports.map(({ containerPort }) => containerPort)).toEqual([port, readSettings(given).metricsPort]);
    expect(container?.livenessProbe.httpGet.path).toBe('/livez');
    expect(container?.readinessProbe.httpGet.path).toBe('/readyz');
    expect(terminationGracePeriodSeconds * 1_000).toBeGreaterThan(readSettings({}).shutdownTimeout + 5_000);
  });
});

describe('HTTP in k8s/base', () => {
  const settingsOf = (service: string) => {
    const [container] = deploymentOf(service).spec.template.spec.containers;
    return readSettings(Object.fromEntries((container?.env ?? []).map(({ name, value }) => [name, value ?? ''])));
  };

  it.each(services)(
    '$service asks for authentication for all but probes, metrics and ClusterCatalogs',
    ({ service }) => {
      expect(settingsOf(service).httpAuthenticated.toSorted()).toEqual(['content', 'health', 'packages']);
    },
  );

  it('metrics are reached at their own port, from labelled namespaces alone', () => {
    const policies = parseAllDocuments(read('k8s/base/hub/network-policies.yaml')).map((document) => document.toJS());
    const { ingress } = policies.find(({ metadata }) => metadata.name === 'http').spec;
    const reaching = (port: string) => ingress.filter(({ ports }: Ingress) => ports.some((one) => one.port === port));
    expect(reaching('metrics').map(({ from }: Ingress) => from)).toEqual([
      [{ namespaceSelector: { matchLabels: { 'flotilla.dev/scrapes-metrics': 'true' } } }],
    ]);
    expect(JSON.stringify(reaching('http'))).not.toContain('scrapes-metrics');
  });

  it('of a poller is reached by the appliers and by the other pollers, at the address of its pod', () => {
    const policies = parseAllDocuments(read('k8s/base/hub/network-policies.yaml')).map((document) => document.toJS());
    const { ingress } = policies.find(({ metadata }) => metadata.name === 'http').spec;
    const [http] = ingress.filter(({ ports }: Ingress) => ports.some((one) => one.port === 'http'));
    const key = 'app.kubernetes.io/name';
    const values = ['applier', 'catalog-poller'];
    expect(http.from[0]).toEqual({ podSelector: { matchExpressions: [{ key, operator: 'In', values }] } });
    expect(read('k8s/base/hub/catalog-poller.yaml')).toMatch(
      /- name: FLOTILLA_PEER_ADDRESS\n +valueFrom:\n +fieldRef: \{ fieldPath: status\.podIP \}\n/,
    );
  });

  it('takes tokens of a Secret that may be missing, which the resolver does not have', () => {
    for (const service of ['catalog-poller', 'applier']) {
      expect(settingsOf(service).httpTokensFile).toBe('/etc/flotilla/http/tokens');
      expect(read(`k8s/base/hub/${service}.yaml`)).toMatch(/secretName: http-tokens\n +optional: true/);
    }
    expect(read('k8s/base/hub/resolver-worker.yaml')).not.toContain('http-tokens');
  });
});

describe.each([
  { component: 'token-review', deployments: ['catalog-poller|applier'] },
  { component: 'fleet', deployments: ['catalog-poller|applier'] },
  { component: 'http-tls', deployments: ['catalog-poller', 'applier', 'resolver-worker'] },
])('k8s/components/$component', ({ component, deployments }) => {
  const text = read(`k8s/components/${component}/kustomization.yaml`);
  const { kind, patches } = parseAllDocuments(text)[0]?.toJS() ?? {};

  it('patches Deployments that exist, with settings that exist', () => {
    expect(kind).toBe('Component');
    const targets = patches.map(
      ({ target, patch }: Patch) => target?.name ?? parseAllDocuments(patch)[0]?.toJS().metadata.name,
    );
    expect(targets).toEqual(deployments);
    const named = [...text.matchAll(/name: (FLOTILLA_\w+), value: "?([^" ]+)"? }/g)];
    const given = Object.fromEntries(named.map(([, name = '', value = '']) => [name, value]));
    expect(Object.keys(given).length).toBeGreaterThan(0);
    expect(unknownSettings(given)).toEqual([]);
    expect(() => readSettings(given)).not.toThrow();
  });
});

describe('the web console in k8s/components/console', () => {
  const documents = parseAllDocuments(read('k8s/components/console/console.yaml'), { merge: true });
  const [deployment] = documents.map((one) => one.toJS());
  const { spec } = Deployment.parse(deployment).spec.template;
  const [container] = spec.containers;

  it('starts a program that exists, with settings that can be read, and no access to a cluster in them', () => {
    const given = Object.fromEntries((container?.env ?? []).map(({ name, value }) => [name, value ?? '']));
    expect(container?.args).toEqual(['dist/programs/console.js']);
    expect(existsSync(join(root, 'apps/console/src/main.ts'))).toBe(true);
    expect(unknownSettings(given)).toEqual([]);
    const settings = readSettings(given);
    expect(settings.consoleExternalUrl).toBe(`http://127.0.0.1:${settings.consolePort}`);
    expect(container?.ports.map(({ containerPort }) => containerPort)).toEqual([
      settings.consolePort,
      settings.consoleHealthPort,
      settings.metricsPort,
    ]);
    expect(Object.keys(given).filter((name) => /KUBECONFIG|CONTEXTS|HUB_KEY|TOKENS/.test(name))).toEqual([]);
    expect(spec.automountServiceAccountToken).toBe(false);
    expect(spec.volumes.map(({ name }) => name)).toEqual(['redis-password', 'console', 'tmp', 'content']);
  });

  it('lets Redis in, and has the password of its user there', () => {
    const { patches } = parse(read('k8s/components/console/kustomization.yaml')) as { patches: Patch[] };
    expect(patches.map(({ target }) => target)).toEqual([
      { kind: 'Deployment', name: 'redis' },
      { kind: 'NetworkPolicy', name: 'redis' },
      { kind: 'Deployment', name: 'catalog-poller' },
      { kind: 'Deployment', name: 'applier' },
    ]);
    expect(patches[0]?.patch).toContain('{ key: console, path: console/password }');
  });

  it('is checked by poller and applier, which get its key and policy and nothing else of its Secret', () => {
    const { patches } = parse(read('k8s/components/console/kustomization.yaml')) as { patches: Patch[] };
    const files = 'items: [{ key: key, path: key }, { key: policy.yaml, path: policy.yaml }]';
    for (const { patch } of patches.slice(2)) {
      expect(patch).toContain('{ name: FLOTILLA_CONSOLE_KEY_FILE, value: /etc/flotilla/console/key }');
      expect(patch).toContain(files);
    }
    const keys = container?.env.find(({ name }) => name === 'FLOTILLA_CONSOLE_PROOF_KEYS_FILE');
    expect(keys?.value).toBe('/etc/flotilla/console/proof-keys');
  });
});

describe('the fleet controller in k8s/components/fleet', () => {
  const [deployment] = parseAllDocuments(read('k8s/components/fleet/controller.yaml'), { merge: true });
  const { spec } = Deployment.parse(deployment?.toJS()).spec.template;
  const [container] = spec.containers;

  it('starts a program that exists, with settings that can be read, and Redis in none of them', () => {
    const given = Object.fromEntries((container?.env ?? []).map(({ name, value }) => [name, value ?? '']));
    expect(container?.args).toEqual(['dist/programs/fleet-controller.js']);
    expect(existsSync(join(root, 'apps/fleet-controller/src/main.ts'))).toBe(true);
    expect(unknownSettings(given)).toEqual([]);
    const settings = readSettings(given);
    expect(settings.fleet).toBe('in-cluster');
    expect(container?.ports.map(({ containerPort }) => containerPort)).toEqual([
      readSettings({}).fleetControllerPort,
      settings.metricsPort,
    ]);
    expect(Object.keys(given).filter((name) => /KUBECONFIG|CONTEXTS|HUB_KEY|REDIS/.test(name))).toEqual([]);
  });

  it('has no Secret, and no service may read one in the cluster of the hub', () => {
    expect(spec.volumes.map(({ name }) => name)).toEqual(['tmp']);
    const rights = read('k8s/components/fleet/rights.yaml');
    expect(rights).not.toMatch(/secrets|resources: \["\*"\]\n +verbs: \[.*(create|update|delete)/);
  });
});

describe('the notifier in k8s/components/notifications', () => {
  const [deployment] = parseAllDocuments(read('k8s/components/notifications/notifier.yaml'), { merge: true });
  const { spec } = Deployment.parse(deployment?.toJS()).spec.template;
  const [container] = spec.containers;

  it('starts a program that exists, with settings that can be read, and no access to a cluster in them', () => {
    const given = Object.fromEntries((container?.env ?? []).map(({ name, value }) => [name, value ?? '']));
    expect(container?.args).toEqual(['dist/programs/notifier.js']);
    expect(existsSync(join(root, 'apps/notifier/src/main.ts'))).toBe(true);
    expect(unknownSettings(given)).toEqual([]);
    const settings = readSettings(given);
    expect(settings.fleet).toBe('in-cluster');
    expect(container?.ports.map(({ containerPort }) => containerPort)).toEqual([
      readSettings({}).notifierPort,
      settings.metricsPort,
    ]);
    expect(Object.keys(given).filter((name) => /KUBECONFIG|CONTEXTS|HUB_KEY/.test(name))).toEqual([]);
  });

  it('may read Secrets in no namespace until a binding is made, and has a user of its own in Redis', () => {
    expect(spec.volumes.map(({ name }) => name)).toEqual(['redis-password', 'tmp', 'content']);
    const rights = parseAllDocuments(read('k8s/components/notifications/rights.yaml')).map((one) => one.toJS());
    const bound = rights.filter(({ kind }) => /Binding$/.test(kind)).map(({ roleRef }) => roleRef.name);
    expect(bound).toEqual(['flotilla:notifier']);
    const role = rights.find(({ kind, metadata }) => kind === 'ClusterRole' && metadata.name === 'flotilla:notifier');
    expect(JSON.stringify(role)).not.toContain('secrets');
    const { patches } = parse(read('k8s/components/notifications/kustomization.yaml')) as { patches: Patch[] };
    expect(patches.map(({ target }) => target?.name)).toEqual(['redis', 'redis']);
    expect(patches[0]?.patch).toContain('{ key: notifier, path: notifier/password }');
    expect(read('k8s/base/hub/redis-users.acl')).toMatch(/^user flotilla-notifier on /m);
  });
});

describe('the Redis of k8s/base', () => {
  const text = read('k8s/base/hub/redis.yaml');

  it('has a user for each service, and its probes one that may do nothing', () => {
    expect(text).toContain('command: [sh, /etc/flotilla/users/start-redis.sh]');
    expect(text.match(/redis-cli --user flotilla-probe /g)).toHaveLength(1);
    expect(text).not.toContain('REDISCLI_AUTH');
    expect(read('k8s/base/kustomization.yaml')).toMatch(/hub\/redis-users\.acl\n +- hub\/start-redis\.sh/);
  });

  it('refuses writes before the kernel would end it, and evicts nothing', () => {
    const limit = /limits: \{ memory: (\d+)Gi \}/.exec(text)?.[1];
    const start = read('k8s/base/hub/start-redis.sh');
    const maxmemory = /^maxmemory (\d+)mb$/m.exec(start)?.[1];
    expect(Number(maxmemory)).toBeLessThan(Number(limit) * 1_024);
    expect(start).toContain('maxmemory-policy noeviction');
  });

  it('lets poller and applier alone end a script that keeps it busy for two seconds', () => {
    expect(read('k8s/base/hub/start-redis.sh')).toMatch(/^busy-reply-threshold 2000$/m);
    const users = read('k8s/base/hub/redis-users.acl').matchAll(/^user (\S+) .*\+script\|kill /gm);
    expect([...users].map(([, user]) => user)).toEqual(['flotilla-poller', 'flotilla-applier']);
  });

  it.each(services)('is asked by $service as its own user, with its password alone', ({ service, user }) => {
    const deployment = read(`k8s/base/hub/${service}.yaml`);
    expect(deployment).toContain(`- name: FLOTILLA_REDIS_USER\n              value: flotilla-${user}\n`);
    expect(deployment).toMatch(
      new RegExp(
        `secretName: redis-passwords\\n +defaultMode: 0440\\n +items: \\[\\{ key: ${user}, path: password \\}\\]`,
      ),
    );
    expect(read('k8s/base/hub/redis-users.acl')).toMatch(new RegExp(`^user flotilla-${user} on `, 'm'));
  });
});

describe('the resolver, which handles what strangers wrote', () => {
  it('gets no cluster credentials, and not the key of the hub', () => {
    const { automountServiceAccountToken, containers, volumes } = deploymentOf('resolver-worker').spec.template.spec;
    const names = containers.flatMap(({ env }) => env.map(({ name }) => name));
    expect(names.filter((name) => /KUBECONFIG|CONTEXTS|HUB_KEY/.test(name))).toEqual([]);
    expect(automountServiceAccountToken).toBe(false);
    expect(volumes.map(({ name }) => name).toSorted()).toEqual(['content', 'redis-password', 'tmp']);
  });
});
