import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { z } from 'zod';
import { PROJECT_ROOT } from '#platform/files/project-root';

const read = (path: string) => readFileSync(join(PROJECT_ROOT, path), 'utf8');

const Labels = z.record(z.string(), z.string());
const Deployment = z.looseObject({
  kind: z.literal('Deployment'),
  metadata: z.looseObject({ name: z.string() }),
  spec: z.looseObject({
    template: z.looseObject({
      metadata: z.looseObject({ labels: Labels }),
      spec: z.looseObject({
        containers: z.array(z.looseObject({ ports: z.array(z.looseObject({ name: z.string() })).optional() })),
      }),
    }),
  }),
});
const Service = z.looseObject({
  kind: z.literal('Service'),
  metadata: z.looseObject({ name: z.string(), labels: Labels }),
  spec: z.looseObject({
    selector: Labels,
    ports: z.array(z.looseObject({ name: z.string(), targetPort: z.unknown() })),
  }),
});
const Endpoint = z.looseObject({ port: z.string(), path: z.string(), honorLabels: z.boolean() });
const Selector = z.object({
  matchExpressions: z.array(z.object({ key: z.string(), operator: z.literal('In'), values: z.array(z.string()) })),
});

const objects = ['k8s/base/hub/*.yaml', 'k8s/components/*/*.yaml']
  .flatMap((pattern) => globSync(pattern, { cwd: PROJECT_ROOT }))
  .toSorted()
  .flatMap((path) => parseAllDocuments(read(path), { version: '1.1' }).map((document): unknown => document.toJS()));
const all = <T>(schema: z.ZodType<T>) => objects.flatMap((one) => schema.safeParse(one).data ?? []);
/** Deployments with metrics. */
const deployments = all(Deployment).filter(({ spec }) =>
  spec.template.spec.containers.some(({ ports = [] }) => ports.some(({ name }) => name === 'metrics')),
);
const services = all(Service).filter(({ spec }) => spec.ports.some(({ targetPort }) => targetPort === 'metrics'));

const selects = ({ matchExpressions }: z.infer<typeof Selector>, labels: z.infer<typeof Labels>) =>
  matchExpressions.every(({ key, values }) => values.includes(labels[key] ?? ''));
const namesOf = (found: readonly Readonly<{ metadata: Readonly<{ name: string }> }>[]) =>
  found.map(({ metadata }) => metadata.name).toSorted();

describe('what scrapes the hub', () => {
  const pods = parse(read('k8s/monitoring/pod-monitor.yaml'));
  const behind = parse(read('k8s/monitoring/service-monitor/service-monitor.yaml'));
  const known = ['applier', 'catalog-poller', 'console', 'fleet-controller', 'notifier', 'resolver-worker'];

  it('finds every Deployment that has metrics by the PodMonitor, at a port that it has', () => {
    expect(namesOf(deployments)).toEqual(known);
    const selector = Selector.parse(pods.spec.selector);
    expect(namesOf(deployments.filter(({ spec }) => selects(selector, spec.template.metadata.labels)))).toEqual(known);
    expect(selector.matchExpressions.flatMap(({ values }) => values).toSorted()).toEqual(known);
  });

  it('finds the same by the ServiceMonitor: a Service for each, with the port, that selects its pods', () => {
    const selector = Selector.parse(behind.spec.selector);
    const [endpoint] = z.tuple([Endpoint]).parse(behind.spec.endpoints);
    const found = services.filter(({ metadata }) => selects(selector, metadata.labels));
    const scraped = deployments.filter(({ spec }) =>
      found.some(
        (service) =>
          service.spec.ports.some(({ name }) => name === endpoint.port) &&
          Object.entries(service.spec.selector).every(([key, value]) => spec.template.metadata.labels[key] === value),
      ),
    );
    expect(namesOf(scraped)).toEqual(known);
    expect(namesOf(found)).toEqual(known);
  });

  it('asks the same in the same way', () => {
    expect(behind.spec.endpoints).toEqual(pods.spec.podMetricsEndpoints);
    expect(behind.spec.selector).toEqual(pods.spec.selector);
    expect(behind.metadata).toEqual(pods.metadata);
  });
});
