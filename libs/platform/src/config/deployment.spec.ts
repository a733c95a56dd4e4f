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
  { service: 'catalog-poller', port: readSettings({}).catalogPollerPort },
  { service: 'resolver-worker', port: readSettings({}).resolverWorkerPort },
  { service: 'applier', port: readSettings({}).applierPort },
];

const Compose = z.looseObject({
  services: z.record(
    z.string(),
    z.looseObject({
      command: z.array(z.string()).optional(),
      environment: z.record(z.string(), z.string()).optional(),
      networks: z.array(z.string()).optional(),
      ports: z.array(z.string()).optional(),
      scale: z.number().optional(),
      healthcheck: z.looseObject({ test: z.array(z.string()) }).optional(),
    }),
  ),
});
const compose = Compose.parse(parse(read('docker-compose.yml'), { merge: true }));

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

const mainOf = (args: readonly string[]) => (args[0] ?? '').replace(/^dist\//, '').replace(/\.js$/, '.ts');

describe.each(services)('$service as it is deployed', ({ service, port }) => {
  it('docker-compose.yml starts a program that exists, with settings that exist and can be read', () => {
    const { command = [], environment = {}, healthcheck } = compose.services[service] ?? {};
    expect(existsSync(join(root, mainOf(command))), command.join(' ')).toBe(true);
    expect(unknownSettings(environment)).toEqual([]);
    const given = Object.entries(environment).map(([name, value]) => [name, value.replace(/\$\{\w+:-(.*)\}/, '$1')]);
    expect(() => readSettings(Object.fromEntries(given))).not.toThrow();
    expect(healthcheck?.test.join(' ')).toContain(`http://127.0.0.1:${port}/livez`);
  });

  it('k8s/base starts a program that exists, with settings that exist and can be read', () => {
    const { terminationGracePeriodSeconds, containers } = deploymentOf(service).spec.template.spec;
    const [container] = containers;
    const given = Object.fromEntries((container?.env ?? []).map(({ name, value }) => [name, value ?? '']));
    expect(existsSync(join(root, mainOf(container?.args ?? [])))).toBe(true);
    expect(unknownSettings(given)).toEqual([]);
    expect(() => readSettings(given)).not.toThrow();
    expect(container?.ports.map(({ containerPort }) => containerPort)).toEqual([port]);
    expect(container?.livenessProbe.httpGet.path).toBe('/livez');
    expect(container?.readinessProbe.httpGet.path).toBe('/readyz');
    expect(terminationGracePeriodSeconds * 1_000).toBeGreaterThan(readSettings({}).shutdownTimeout + 5_000);
  });
});

describe('the resolver, which handles what strangers wrote', () => {
  it('gets no cluster credentials, in neither deployment', () => {
    const { environment = {} } = compose.services['resolver-worker'] ?? {};
    const { automountServiceAccountToken, containers, volumes } = deploymentOf('resolver-worker').spec.template.spec;
    const names = [...Object.keys(environment), ...containers.flatMap(({ env }) => env.map(({ name }) => name))];
    expect(names.filter((name) => /KUBECONFIG|CONTEXTS/.test(name))).toEqual([]);
    expect(automountServiceAccountToken).toBe(false);
    expect(volumes.map(({ name }) => name).toSorted()).toEqual(['content', 'tmp']);
  });

  it('shares no network with anything but the queue in docker-compose.yml, and runs twice', () => {
    const resolver = compose.services['resolver-worker'];
    expect(resolver?.networks).toEqual(['queue']);
    expect(resolver?.ports).toBeUndefined();
    expect(resolver?.scale).toBe(2);
    expect(deploymentOf('resolver-worker').spec.replicas).toBe(2);
  });
});

describe('Dockerfile', () => {
  it('copies only what exists and .dockerignore lets through, and sets settings that exist', () => {
    const text = read('Dockerfile');
    const copied = [...text.matchAll(/^COPY (?!--from)(.+) \S+$/gm)].flatMap(([, sources]) =>
      (sources ?? '').split(' '),
    );
    const allowed = read('.dockerignore').split('\n');
    for (const source of copied) {
      expect(existsSync(join(root, source)), source).toBe(true);
      expect(allowed, source).toContain(`!${source}`);
    }
    const set = [...text.matchAll(/\b(FLOTILLA_\w+)=(\S+)/g)].map(([, name, value]) => [name, value]);
    expect(set.length).toBeGreaterThan(0);
    expect(unknownSettings(Object.fromEntries(set))).toEqual([]);
    expect(() => readSettings(Object.fromEntries(set))).not.toThrow();
  });
});
