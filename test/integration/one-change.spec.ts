import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { json } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { loadCatalog } from '#core/catalog/load/load-catalog';
import { PROJECT_ROOT } from '#platform/files/project-root';
import { type CatalogServer, serveCatalog } from '#platform/registry/grpc/grpc-catalog-server';
import { serveCrds } from '#testing/cluster/served-crds';
import { type SimulatedFleet, startSimulatedFleet } from '#testing/cluster/simulated-fleet';
import { LONG_PATIENCE, PATIENCE } from '#testing/patience';
import type { ServicesEnvironment } from '../../apps/cli/src/commands/demo/environment/demo-environment.js';
import { startQuickEnvironment } from '../story/quick-environment.js';
import { describeClusterCatalogs } from './catalog-support/describe-cluster-catalogs.js';
import { atVersion, chainCatalogText, csvs, PACKAGE, subscribe, VERSIONS } from './ownership-support/chain-fleet.js';

const run = promisify(execFile);
const CLUSTER = 'ship-1';

const Plan = z.looseObject({
  metadata: z.looseObject({ name: z.string(), annotations: z.looseObject({ 'flotilla.dev/change': z.string() }) }),
  spec: z.looseObject({ clusterServiceVersionNames: z.array(z.string()) }),
});
const Line = z.looseObject({ time: z.string(), service: z.string(), msg: z.string(), change: z.string() });
type Line = z.infer<typeof Line>;

const Span = z.object({
  traceId: z.string(),
  spanId: z.string(),
  parentSpanId: z.string().optional(),
  name: z.string(),
  startTimeUnixNano: z.string(),
  endTimeUnixNano: z.string(),
});
const Attribute = z.object({ key: z.string(), value: z.object({ stringValue: z.string() }) });
const Traces = z.object({
  resourceSpans: z.array(
    z.object({
      resource: z.object({ attributes: z.array(Attribute) }),
      scopeSpans: z.array(z.object({ spans: z.array(Span) })),
    }),
  ),
});

/** An OpenTelemetry collector that keeps the spans that it gets. */
class Collector {
  readonly spans: (z.infer<typeof Span> & Readonly<{ service: string }>)[] = [];
  readonly #server = createServer((request, response) => {
    void json(request).then((body) => {
      this.#keep(Traces.parse(body));
      response.end('{}');
    });
  });

  async start(): Promise<string> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    const address = this.#server.address();
    return `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}`;
  }

  stop(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  #keep({ resourceSpans }: z.infer<typeof Traces>): void {
    for (const { resource, scopeSpans } of resourceSpans) {
      const service = resource.attributes.find(({ key }) => key === 'service.name')?.value.stringValue ?? '';
      for (const { spans } of scopeSpans) this.spans.push(...spans.map((span) => ({ ...span, service })));
    }
  }
}

const collector = new Collector();
let folder: string;
let fleet: SimulatedFleet;
let catalogs: CatalogServer;
let environment: ServicesEnvironment;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'flotilla-change-'));
  fleet = await startSimulatedFleet({ clusters: [CLUSTER, 'ship-2'], deploymentReadyAfterMs: 100 });
  const text = await chainCatalogText(VERSIONS);
  catalogs = await serveCatalog(await loadCatalog([{ path: 'catalog.json', bytes: Buffer.from(text) }]), { port: 0 });
  const kubeconfig = join(folder, 'kubeconfig');
  await writeFile(kubeconfig, fleet.kubeconfig(), { mode: 0o600 });
  const settings = { FLOTILLA_OTLP_ENDPOINT: await collector.start() };
  environment = await startQuickEnvironment({ kubeconfigs: [kubeconfig], settings });
  await Promise.all(environment.clients.map(serveCrds));
  subscribe(fleet, CLUSTER, { address: `127.0.0.1:${catalogs.port}` });
  await vi.waitFor(() => expect(csvs(fleet, CLUSTER)).toEqual(atVersion('v1.2.0')), LONG_PATIENCE);
});
afterAll(async () => {
  await environment?.stop();
  await catalogs?.stop();
  collector.stop();
  await fleet?.stop();
  await rm(folder, { recursive: true, force: true, maxRetries: 5 });
});

/** By the version that the plan installs. */
const changes = (): ReadonlyMap<string, string> =>
  new Map(
    fleet
      .cluster(CLUSTER)
      .list({ apiVersion: 'operators.coreos.com/v1alpha1', kind: 'InstallPlan' })
      .map((plan) => Plan.parse(plan))
      .map(({ metadata, spec }) => [
        spec.clusterServiceVersionNames.join(' '),
        metadata.annotations['flotilla.dev/change'],
      ]),
  );

/**
 * Returns the lines that the command of docs/follow-a-change.md finds in the logs of the services, by time.
 */
async function followed(change: string): Promise<readonly Line[]> {
  const page = await readFile(join(PROJECT_ROOT, 'docs/follow-a-change.md'), 'utf8');
  const command = /^grep -h .*\*\.log$/m.exec(page)?.[0] ?? '';
  const logs = dirname(environment.services[0]?.logFile ?? '');
  const { stdout } = await run('bash', ['-c', command], { cwd: logs, env: { ...process.env, CHANGE: change } });
  const lines = stdout.trimEnd().split('\n');
  return lines.map((line) => Line.parse(JSON.parse(line))).toSorted((a, b) => (a.time < b.time ? -1 : 1));
}

describe('an install and two upgrades', () => {
  it.each(VERSIONS)(
    'to %s is one change: its lines in the logs of all services are found by its name',
    async (version) => {
      const change = changes().get(`${PACKAGE}.${version}`) ?? '';
      // A line of the log follows the write.
      await vi.waitFor(async () => {
        const lines = await followed(change);
        const said = [...new Set(lines.map(({ service, msg }) => `${service}: ${msg}`))];
        expect(said.slice(0, 3)).toEqual([
          'catalog-poller: namespace has another problem',
          'resolver-worker: problem solved',
          'applier: InstallPlan made',
        ]);
        // A plan with a conflict in its status is noted as complete a moment after its objects are there.
        expect(said.slice(3).toSorted()).toEqual([
          'applier: ClusterServiceVersion moved',
          'applier: InstallPlan moved',
        ]);
        const ready = { change, name: `${PACKAGE}.${version}`, phase: 'Succeeded' };
        expect(lines).toContainEqual(expect.objectContaining(ready));
      }, PATIENCE);
    },
  );

  it('are different changes, and their Events name them', async () => {
    const named = [...changes().values()];
    expect(new Set(named).size).toBe(VERSIONS.length);
    const ofEvents = () => {
      const events = fleet.cluster(CLUSTER).list({ apiVersion: 'v1', kind: 'Event', namespace: 'lights' });
      const succeeded = events.filter(({ reason }) => reason === 'InstallSucceeded');
      return new Set(succeeded.map(({ metadata }) => metadata.annotations?.['flotilla.dev/change']));
    };
    await expect.poll(ofEvents, PATIENCE).toEqual(new Set(named));
  });

  it.each(VERSIONS)('to %s has one trace over all services, each span below its parent', async (version) => {
    const change = changes().get(`${PACKAGE}.${version}`) ?? '';
    const trace = () => collector.spans.filter(({ traceId }) => traceId === change);
    const parents = () => {
      const names = new Map(trace().map(({ spanId, name }) => [spanId, name]));
      const lines = trace().map(
        ({ service, name, parentSpanId = '' }) => `${service}: ${names.get(parentSpanId)} > ${name}`,
      );
      return [...new Set(lines)].toSorted();
    };
    await expect
      .poll(parents, PATIENCE)
      .toEqual([
        'applier: observe > plan',
        'applier: plan > install',
        'applier: plan > ready',
        'catalog-poller: undefined > observe',
        'resolver-worker: observe > solve',
        'resolver-worker: observe > wait for a resolver',
      ]);
    const times = trace().map(
      ({ startTimeUnixNano, endTimeUnixNano }) => BigInt(endTimeUnixNano) - BigInt(startTimeUnixNano),
    );
    expect(times.every((nanos) => nanos >= 0n && nanos < 300_000_000_000n)).toBe(true);
  });

  it('are measured, each part of the way', async () => {
    const counted = async () => {
      const counts: Record<string, number> = {};
      for (const service of environment.services) {
        const text = await (await fetch(`${await service.url()}/metrics`)).text();
        for (const [, stage = '', count] of text.matchAll(
          /^flotilla_stage_duration_seconds_count\{stage="(\w+)"\} (\d+)/gm,
        ))
          counts[stage] = (counts[stage] ?? 0) + Number(count);
      }
      return counts;
    };
    await expect.poll(async () => (await counted())['ready'], PATIENCE).toBe(VERSIONS.length);
    const { observe, solve, pass } = await counted();
    for (const count of [observe, solve, pass]) expect(count).toBeGreaterThanOrEqual(VERSIONS.length);
  });
});

describeClusterCatalogs(() => environment.clients);
