import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { z } from 'zod';
import { PROJECT_ROOT } from '../files/project-root.js';
import { parseBytes } from './quantity.js';
import { allSettings, environmentName, readSettings, unknownSettings } from './settings.js';

const read = (path: string) => readFileSync(join(PROJECT_ROOT, path), 'utf8');

const Volume = z.union([
  z.string(),
  z.looseObject({
    type: z.string(),
    source: z.string(),
    target: z.string(),
    read_only: z.boolean(),
    bind: z.looseObject({ create_host_path: z.boolean() }).optional(),
  }),
]);
const Service = z.looseObject({
  command: z.array(z.string()).optional(),
  environment: z.record(z.string(), z.string().nullable()).optional(),
  networks: z.array(z.string()).optional(),
  ports: z.array(z.string()).optional(),
  volumes: z.array(Volume).optional(),
  tmpfs: z.array(z.string()).optional(),
  mem_limit: z.string().optional(),
  pids_limit: z.number().optional(),
  logging: z.looseObject({ driver: z.string(), options: z.record(z.string(), z.string()) }).optional(),
  healthcheck: z.looseObject({ test: z.array(z.string()) }).optional(),
  depends_on: z.record(z.string(), z.looseObject({ condition: z.string() })).optional(),
});
const Compose = z.looseObject({
  services: z.record(z.string(), Service),
  networks: z.record(z.string(), z.looseObject({ internal: z.boolean().optional() })).default({}),
  volumes: z.record(z.string(), z.looseObject({ driver_opts: z.record(z.string(), z.string()).optional() })),
});
const readCompose = (path: string) => Compose.parse(parse(read(path), { merge: true }));
const compose = readCompose('docker-compose.yml');
const withK3s = readCompose('docker-compose.k3s.yml');

const variable = (name: string, fallback: string) => `\${${name}:-${fallback}}`;

const defaults = readSettings({});
const services = [
  { service: 'catalog-poller', user: 'poller', port: defaults.catalogPollerPort, host: 'FLOTILLA_CATALOG_POLLER_PORT' },
  { service: 'resolver-worker', user: 'resolver', port: defaults.resolverWorkerPort, host: undefined },
  { service: 'applier', user: 'applier', port: defaults.applierPort, host: 'FLOTILLA_APPLIER_PORT' },
];
const withCredentials = ['catalog-poller', 'applier'];

/**
 * Set by docker-compose.yml or by the image, so that the user has no say in them; what needs Kubernetes; and
 * what the command alone reads.
 */
const FIXED = [
  'FLOTILLA_KUBECONFIG',
  'FLOTILLA_KUBECONFIG_SECRET',
  'FLOTILLA_CLUSTERS_FILE',
  'FLOTILLA_REDIS_URL',
  'FLOTILLA_REDIS_USER',
  'FLOTILLA_REDIS_PASSWORD_FILE',
  'FLOTILLA_HUB_KEY_FILE',
  'FLOTILLA_BIND_ADDRESS',
  'FLOTILLA_PEER_ADDRESS',
  'FLOTILLA_CATALOG_POLLER_PORT',
  'FLOTILLA_RESOLVER_WORKER_PORT',
  'FLOTILLA_APPLIER_PORT',
  'FLOTILLA_FLEET_CONTROLLER_PORT',
  'FLOTILLA_NOTIFIER_PORT',
  'FLOTILLA_CONTENT_DIR',
  'FLOTILLA_CONTENT_URL',
  'FLOTILLA_HTTP_TOKENS_FILE',
  'FLOTILLA_HTTP_TOKEN_REVIEW',
  'FLOTILLA_HTTP_TLS_CERT_FILE',
  'FLOTILLA_HTTP_TLS_KEY_FILE',
  'FLOTILLA_HUB_TOKEN_FILE',
];
/** What is about clusters, and so is no matter of a resolver. */
const OF_CLUSTERS = [
  'FLOTILLA_CONTEXTS',
  'FLOTILLA_HUB_ID',
  'FLOTILLA_GLOBAL_CATALOG_NAMESPACE',
  'FLOTILLA_SYSTEM_NAMESPACE',
  'FLOTILLA_HELM_RELEASE_NAMESPACE',
  'FLOTILLA_JOIN_INSTALL',
  'FLOTILLA_CLUSTERS_BESIDE_OLM',
  'FLOTILLA_FLEET',
  'FLOTILLA_FLEET_GATE_HOSTS',
  'FLOTILLA_NOTIFICATION_HOSTS',
  'FLOTILLA_FOREIGN_INSTALL_PLANS',
  'FLOTILLA_PROTECTED_COPIED_CSV_NAMESPACES',
  // Poller and applier check themselves who acts and asks in the console.
  'FLOTILLA_CONSOLE_POLICY_FILE',
  'FLOTILLA_CONSOLE_OIDC_ISSUER',
  'FLOTILLA_CONSOLE_OIDC_CLIENT_ID',
  'FLOTILLA_CONSOLE_OIDC_NAME_CLAIM',
  'FLOTILLA_CONSOLE_OIDC_VERIFIED_TEXT',
  'FLOTILLA_CONSOLE_OIDC_GROUPS_CLAIM',
];

const memoryLimitInKubernetes = (service: string): number | undefined => {
  const deployment = parseAllDocuments(read(`k8s/base/hub/${service}.yaml`), { merge: true })[0]?.toJS();
  return parseBytes(String(deployment.spec.template.spec.containers[0].resources.limits.memory));
};

const memoryLimit = (limit = ''): number | undefined => parseBytes(limit.replace('g', 'Gi').replace('m', 'Mi'));

describe.each(services)('$service in docker-compose.yml', ({ service, port, host }) => {
  const { command = [], environment = {}, healthcheck, ports } = compose.services[service] ?? {};
  const takesFromUser = Object.keys(environment).filter((name) => environment[name] === null);

  it('starts a program that exists, with settings that exist and can be read', () => {
    expect(command).toEqual([`dist/programs/${service}.js`]);
    expect(existsSync(join(PROJECT_ROOT, 'apps', service, 'src/main.ts'))).toBe(true);
    expect(unknownSettings(environment as Record<string, string>)).toEqual([]);
    const given = Object.entries(environment).filter((entry): entry is [string, string] => entry[1] !== null);
    expect(() => readSettings(Object.fromEntries(given))).not.toThrow();
  });

  it('takes every setting that is not fixed from the shell or from .env', () => {
    const expected = allSettings()
      .map(([key]) => environmentName(key))
      .filter((name) => !FIXED.includes(name) && (!name.startsWith('FLOTILLA_CONSOLE_') || OF_CLUSTERS.includes(name)))
      .filter((name) => withCredentials.includes(service) || !OF_CLUSTERS.includes(name));
    expect(takesFromUser.toSorted(), 'x-settings and x-cluster-settings list all settings').toEqual(
      expected.toSorted(),
    );
  });

  it('has the key of the hub where it observes clusters or acts on them, and only there', () => {
    const mounts = (compose.services[service]?.volumes ?? []).map((volume) => JSON.stringify(volume));
    const hasKey = withCredentials.includes(service);
    expect(environment['FLOTILLA_HUB_KEY_FILE'] !== undefined).toBe(hasKey);
    expect(mounts.some((volume) => volume.includes('hub-key'))).toBe(hasKey);
  });

  it('is healthy only when it is ready', () => {
    const probe = healthcheck?.test.join(' ') ?? '';
    expect(probe).toBe(`CMD ready ${port}`);
  });

  it('is reached from this machine alone, at a port that can be chosen', () => {
    expect(ports).toEqual(host === undefined ? undefined : [`127.0.0.1:${variable(host, String(port))}:${port}`]);
  });
});

describe('every service of docker-compose.yml', () => {
  it.each(Object.entries(compose.services))('%s has no privileges, and bounds', (name, service) => {
    expect(service).toMatchObject({
      read_only: true,
      cap_drop: ['ALL'],
      security_opt: ['no-new-privileges:true'],
      restart: 'unless-stopped',
      logging: { driver: 'local', options: { 'max-size': expect.any(String), 'max-file': expect.any(String) } },
    });
    for (const key of ['privileged', 'cap_add', 'network_mode', 'pid', 'devices'])
      expect(service).not.toHaveProperty(key);
    expect(service.pids_limit).toBeGreaterThan(0);
    if (name !== 'console') expect(memoryLimit(service.mem_limit)).toBe(memoryLimitInKubernetes(name));
    else expect(memoryLimit(service.mem_limit)).toBe(512 * 2 ** 20);
    expect(JSON.stringify(service.volumes ?? [])).not.toContain('docker.sock');
  });

  it('one of them builds the image that all of them use', () => {
    const building = Object.entries(compose.services).filter(([, service]) => 'build' in service);
    expect(building.map(([name]) => name)).toEqual(['catalog-poller']);
    const images = services.map(({ service }) => compose.services[service]?.['image']);
    expect(new Set(images)).toEqual(new Set([variable('FLOTILLA_IMAGE', 'flotilla:local')]));
  });

  it('publishes ports on loopback alone, that of K3s too', () => {
    const ports = [compose, withK3s].flatMap(({ services }) =>
      Object.values(services).flatMap(({ ports = [] }) => ports),
    );
    expect(ports).toHaveLength(4);
    for (const port of ports) expect(port).toMatch(/^127\.0\.0\.1:/);
  });
});

describe('the kubeconfig in docker-compose.yml', () => {
  it.each(withCredentials)('%s reads a folder of the user, which Docker does not make', (service) => {
    const { environment = {}, volumes = [] } = compose.services[service] ?? {};
    expect(environment['FLOTILLA_KUBECONFIG']).toBe('/etc/flotilla/kubeconfig/config');
    expect(volumes).toContainEqual({
      type: 'bind',
      source: variable('FLOTILLA_KUBECONFIG_DIR', './.flotilla/kubeconfig'),
      target: '/etc/flotilla/kubeconfig',
      read_only: true,
      bind: { create_host_path: false },
    });
  });

  it('the resolver, which handles foreign content, gets none, and shares no network with anything but Redis', () => {
    const { environment = {}, networks, ports, volumes, scale } = compose.services['resolver-worker'] ?? {};
    expect(Object.keys(environment).filter((name) => /KUBECONFIG|CONTEXTS/.test(name))).toEqual([]);
    expect({ networks, ports, volumes, scale }).toEqual({
      networks: ['resolving'],
      volumes: ['redis-resolver:/run/flotilla:ro'],
      scale: 2,
    });
    const members = (network: string) =>
      Object.keys(compose.services).filter((name) => compose.services[name]?.networks?.includes(network));
    expect(members('resolving')).toEqual(['redis', 'resolver-worker']);
    expect(members('queue')).toEqual(['redis', 'catalog-poller', 'applier']);
    expect(members('outside')).toEqual(['catalog-poller', 'applier']);
    expect(members('showing')).toEqual(['redis', 'console']);
    expect(members('pages')).toEqual(['console']);
    const inside = {
      internal: true,
      driver_opts: {
        'com.docker.network.bridge.inhibit_ipv4': 'true',
        'com.docker.network.bridge.gateway_mode_ipv4': 'isolated',
      },
    };
    expect(compose.networks).toEqual({ queue: inside, resolving: inside, showing: inside, outside: {}, pages: {} });
  });
});

describe('the web console in docker-compose.yml', () => {
  const { command = [], environment = {}, ports, healthcheck, volumes } = compose.services['console'] ?? {};

  it('has its settings, those for what is outside from the user, and neither kubeconfig nor key of the hub', () => {
    expect(command).toEqual(['dist/programs/console.js']);
    expect(unknownSettings(environment as Record<string, string>)).toEqual([]);
    const own = allSettings()
      .map(([key]) => environmentName(key))
      .filter((name) => name.startsWith('FLOTILLA_CONSOLE_') && !/_(HEALTH_)?PORT$/.test(name));
    expect(
      Object.keys(environment)
        .filter((name) => name.includes('_CONSOLE_'))
        .toSorted(),
    ).toEqual(own.toSorted());
    expect(Object.keys(environment).filter((name) => /KUBECONFIG|HUB_KEY|TOKENS/.test(name))).toEqual([]);
    expect(volumes).toEqual([
      'console-key:/var/lib/flotilla-console',
      'proof-keys:/var/lib/flotilla-proof-keys:ro',
      'redis-console:/run/flotilla:ro',
    ]);
  });

  it('has public keys that the poller writes, and is checked by poller and applier with its key', () => {
    const at = (service: string) => compose.services[service]?.environment ?? {};
    const file = '/var/lib/flotilla-proof-keys/keys.json';
    expect(at('console')['FLOTILLA_CONSOLE_PROOF_KEYS_FILE']).toBe(file);
    expect(at('catalog-poller')['FLOTILLA_CONSOLE_PROOF_KEYS_FILE']).toBe(file);
    expect(compose.services['catalog-poller']?.volumes).toContain('proof-keys:/var/lib/flotilla-proof-keys');
    for (const service of ['catalog-poller', 'applier']) {
      expect(at(service)['FLOTILLA_CONSOLE_KEY_FILE']).toBe(environment['FLOTILLA_CONSOLE_KEY_FILE']);
      expect(compose.services[service]?.volumes).toContain('console-key:/var/lib/flotilla-console:ro');
    }
    expect(read('Dockerfile'), 'the folder is of the user of the services').toContain(
      'COPY --from=build --chown=1000:1000 /state/flotilla-proof-keys /var/lib/flotilla-proof-keys',
    );
  });

  it('is reached from this machine alone, and healthy only when it is ready', () => {
    const port = variable('FLOTILLA_CONSOLE_PORT', String(defaults.consolePort));
    expect(ports).toEqual([`127.0.0.1:${port}:${defaults.consolePort}`]);
    expect(environment['FLOTILLA_CONSOLE_EXTERNAL_URL']).toBe(
      variable('FLOTILLA_CONSOLE_EXTERNAL_URL', `http://127.0.0.1:${port}`),
    );
    expect(healthcheck?.test).toEqual(['CMD', 'ready', `${defaults.consoleHealthPort}`]);
  });
});

describe('Redis in docker-compose.yml', () => {
  it('leaves no volume behind, evicts no job, and is healthy only when it answers', () => {
    const { command = [], tmpfs, volumes, healthcheck, mem_limit = '' } = compose.services['redis'] ?? {};
    const start = read('k8s/base/hub/start-redis.sh');
    expect(command).toEqual(['sh', '/etc/flotilla/start-redis.sh']);
    expect(start).toContain('maxmemory-policy noeviction');
    const [, maxmemory] = /^maxmemory (\d+)mb$/m.exec(start) ?? [];
    expect(Number(maxmemory) * 2 ** 20).toBeLessThan(parseBytes(mem_limit.replace('g', 'Gi')) ?? 0);
    expect({ tmpfs, volumes }).toEqual({
      tmpfs: ['/data'],
      volumes: [
        './k8s/base/hub/start-redis.sh:/etc/flotilla/start-redis.sh:ro',
        './k8s/base/hub/redis-users.acl:/etc/flotilla/redis-users.acl:ro',
        './k8s/base/hub/redis-health.sh:/etc/flotilla/redis-health.sh:ro',
        'redis-poller:/run/flotilla/poller',
        'redis-resolver:/run/flotilla/resolver',
        'redis-applier:/run/flotilla/applier',
        'redis-console:/run/flotilla/console',
      ],
    });
    expect(healthcheck?.test).toEqual(['CMD', 'sh', '/etc/flotilla/redis-health.sh']);
  });

  it('has a user for each service, with a password that it makes itself, in memory that it shares with that one', () => {
    const { environment, user } = compose.services['redis'] ?? {};
    expect(environment).toEqual({
      REDIS_PASSWORDS: '/run/flotilla',
      REDIS_MAKE_PASSWORDS: 'yes',
      FLOTILLA_REDIS_PREFIX: null,
    });
    expect(user).toBe('999:1000');
    for (const { service, user } of [...services, { service: 'console', user: 'console' }]) {
      const { volumes = [], environment } = compose.services[service] ?? {};
      expect(compose.volumes[`redis-${user}`]?.driver_opts).toEqual({
        type: 'tmpfs',
        device: 'tmpfs',
        o: 'size=64k,uid=999,gid=1000,mode=0750',
      });
      const passwords = volumes.filter((volume) => JSON.stringify(volume).includes('redis-'));
      expect(passwords).toEqual([`redis-${user}:/run/flotilla:ro`]);
      expect(environment?.['FLOTILLA_REDIS_USER']).toBe(`flotilla-${user}`);
      expect(environment?.['FLOTILLA_REDIS_PASSWORD_FILE']).toBe('/run/flotilla/password');
    }
  });
});

describe('docker-compose.k3s.yml', () => {
  it('writes no folder of the user: the kubeconfig of K3s stays in a volume', () => {
    const volumes = Object.values(withK3s.services).flatMap(({ volumes = [] }) => volumes);
    const sources = volumes.map((volume) => (typeof volume === 'string' ? volume.split(':')[0] : volume.source));
    expect(new Set(sources)).toEqual(new Set(['k3s-kubeconfig', 'k3s-output', 'k3s-data']));
    expect(read('docker-compose.k3s.yml')).not.toContain('FLOTILLA_KUBECONFIG_DIR');
  });

  it.each(withCredentials)('%s reads that volume in place of the folder, once it is filled', (service) => {
    const { volumes, depends_on } = withK3s.services[service] ?? {};
    expect(volumes).toEqual([
      { type: 'volume', source: 'k3s-kubeconfig', target: '/etc/flotilla/kubeconfig', read_only: true },
    ]);
    expect(depends_on).toEqual({ 'k3s-kubeconfig': { condition: 'service_completed_successfully' } });
    expect(withK3s.services['k3s-kubeconfig']?.depends_on).toEqual({ k3s: { condition: 'service_healthy' } });
  });
});
