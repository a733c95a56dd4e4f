import { readdirSync, readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { PATIENCE } from '#testing/patience';
import { ManualClock } from '../../clock/manual-clock.js';
import { SystemClock } from '../../clock/system-clock.js';
import { readSettings } from '../../config/settings.js';
import { PROJECT_ROOT } from '../../files/project-root.js';
import { silentLog } from '../log.port.js';
import { openTracer } from './open-tracer.js';
import { OtlpTracer } from './otlp-tracer.js';
import type { EndedSpan } from './tracer.port.js';

const CHANGE = 'c'.repeat(32);
const Attribute = z.object({ key: z.string(), value: z.object({ stringValue: z.string() }) });
const Body = z.object({
  resourceSpans: z.array(
    z.object({
      resource: z.object({ attributes: z.array(Attribute) }),
      scopeSpans: z.array(z.object({ spans: z.array(z.looseObject({ name: z.string() })) })),
    }),
  ),
});

let server: Server | undefined;
let tracer: OtlpTracer | undefined;
afterEach(async () => {
  await tracer?.stop();
  server?.closeAllConnections();
  server?.close();
  [server, tracer] = [undefined, undefined];
});

/** A collector that answers as `answer` does; the requests that came. */
async function collector(answer: (response: ServerResponse) => void) {
  const requests: Readonly<{ path: string; type: string; key: unknown; body: string }>[] = [];
  const listener = async (request: IncomingMessage, response: ServerResponse) => {
    const { url = '', headers } = request;
    requests.push({ path: url, type: headers['content-type'] ?? '', key: headers['x-key'], body: await text(request) });
    answer(response);
  };
  server = createServer((request, response) => void listener(request, response));
  const { promise, resolve } = Promise.withResolvers<void>();
  server.listen(0, '127.0.0.1', resolve);
  await promise;
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return { requests, endpoint: `http://127.0.0.1:${port}/` };
}

function sending(endpoint: string, timeoutMs = 10_000) {
  const counts = { sent: 0, dropped: 0 };
  const logged: string[] = [];
  const note = (_: unknown, message: string) => void logged.push(message);
  tracer = new OtlpTracer({
    endpoint,
    clock: new SystemClock(),
    log: { info: note, warn: note },
    onSpans: (outcome, count) => {
      counts[outcome] += count;
    },
    gatherMs: 10,
    timeoutMs,
  });
  return { counts, logged, tracer };
}

const span = (more: Partial<EndedSpan> = {}): EndedSpan => ({
  name: 'solve',
  change: CHANGE,
  startMs: 1_000,
  endMs: 1_500,
  attributes: { problem: 'p', nothing: undefined },
  ...more,
});

describe('spans', () => {
  it('are sent in OTLP’s form, with the service whose work each is', async () => {
    const { requests, endpoint } = await collector((response) => response.end('{}'));
    const { counts, tracer } = sending(endpoint);
    tracer.ended(span({ name: 'observe' }));
    tracer.ended(span());
    tracer.ended(span({ name: 'install', error: 'a step failed' }));
    await expect.poll(() => counts, PATIENCE).toEqual({ sent: 3, dropped: 0 });
    expect(requests.map(({ path, type }) => [path, type])).toEqual([['/v1/traces', 'application/json']]);
    const { resourceSpans } = Body.parse(JSON.parse(requests[0]?.body ?? ''));
    const services = resourceSpans.map(({ resource }) => resource.attributes.at(-1)?.value.stringValue);
    expect(services).toEqual(['catalog-poller', 'resolver-worker', 'applier']);
    const [observe, solve, install] = resourceSpans.flatMap((one) => one.scopeSpans.flatMap(({ spans }) => spans));
    const times = { startTimeUnixNano: '1000000000', endTimeUnixNano: '1500000000' };
    const attributes = [{ key: 'problem', value: { stringValue: 'p' } }];
    expect(solve).toMatchObject({ traceId: CHANGE, name: 'solve', kind: 1, ...times, attributes });
    expect(observe?.['spanId']).toMatch(/^[0-9a-f]{16}$/);
    expect(observe?.['parentSpanId']).toBeUndefined();
    expect(solve?.['parentSpanId']).toBe(observe?.['spanId']);
    expect(install).toMatchObject({ status: { code: 2, message: 'a step failed' } });
  });

  it('are sent with the headers and attributes of the settings, which take no name from a service', async () => {
    const { requests, endpoint } = await collector((response) => response.end('{}'));
    const { otlpHeaders, otlpResourceAttributes } = readSettings({
      OTEL_EXPORTER_OTLP_HEADERS: 'x-key=a%20b%3D, content-type=text/plain',
      OTEL_RESOURCE_ATTRIBUTES: 'service.namespace=ours,service.name=other,region=north%2C%20west',
    });
    const sent = new OtlpTracer({
      ...{ endpoint, headers: otlpHeaders, resourceAttributes: otlpResourceAttributes },
      ...{ clock: new ManualClock(), log: silentLog, onSpans: () => undefined },
    });
    sent.ended(span());
    await sent.stop();
    expect(requests.map(({ key, type }) => [key, type])).toEqual([['a b=', 'application/json']]);
    const { resourceSpans } = Body.parse(JSON.parse(requests[0]?.body ?? ''));
    const pairs = resourceSpans[0]?.resource.attributes.map(({ key, value }) => `${key}=${value.stringValue}`);
    expect(pairs).toEqual(['service.namespace=ours', 'service.name=resolver-worker', 'region=north, west']);
  });

  it('of several ClusterServiceVersions have ids of their own', async () => {
    const { requests, endpoint } = await collector((response) => response.end('{}'));
    const { counts, tracer } = sending(endpoint);
    for (const csv of ['lamp.v1', 'gear.v1']) tracer.ended(span({ name: 'ready', of: csv }));
    await expect.poll(() => counts.sent, PATIENCE).toBe(2);
    expect(new Set(requests[0]?.body.match(/"spanId":"\w+"/g)).size).toBe(2);
  });

  it('that were not sent yet are sent when the service ends', async () => {
    const { requests, endpoint } = await collector((response) => response.end('{}'));
    const never = new ManualClock();
    const ending = new OtlpTracer({ endpoint, clock: never, log: silentLog, onSpans: () => undefined });
    ending.ended(span());
    await ending.stop();
    expect(requests).toHaveLength(1);
  });
});

describe('a collector that takes no spans', () => {
  it.each([
    ['is away', 'http://127.0.0.1:9'],
    ['has a name that nothing answers to', 'http://collector.invalid:4318'],
  ])('and %s: they are dropped and counted, and it is logged once', async (_, endpoint) => {
    const { counts, logged, tracer } = sending(endpoint);
    tracer.ended(span());
    await expect.poll(() => counts, PATIENCE).toEqual({ sent: 0, dropped: 1 });
    tracer.ended(span());
    await expect.poll(() => counts, PATIENCE).toEqual({ sent: 0, dropped: 2 });
    expect(logged).toEqual(['dropped spans: the collector does not accept them']);
  });

  it('and refuses them, and then takes them: both are logged', async () => {
    const statuses = [503, 200];
    const { endpoint } = await collector((response) => response.writeHead(statuses.shift() ?? 200).end());
    const { counts, logged, tracer } = sending(endpoint);
    tracer.ended(span());
    await expect.poll(() => counts, PATIENCE).toEqual({ sent: 0, dropped: 1 });
    tracer.ended(span());
    await expect.poll(() => counts, PATIENCE).toEqual({ sent: 1, dropped: 1 });
    expect(logged).toEqual(['dropped spans: the collector does not accept them', 'the collector accepts spans again']);
  });

  it('and hangs: one request is under way, 2,048 spans wait, the others are dropped at once', async () => {
    const { requests, endpoint } = await collector(() => undefined);
    const { counts, tracer } = sending(endpoint, 600_000);
    tracer.ended(span());
    await expect.poll(() => requests.length, PATIENCE).toBe(1);
    for (let count = 0; count < 3_000; count += 1) tracer.ended(span());
    expect(counts).toEqual({ sent: 0, dropped: 3_000 - 2_048 });
    expect(requests).toHaveLength(1);
  });

  it('and hangs: its request is given up, and the spans count as dropped', async () => {
    const { endpoint } = await collector(() => undefined);
    const { counts, tracer } = sending(endpoint, 50);
    tracer.ended(span());
    await expect.poll(() => counts, PATIENCE).toEqual({ sent: 0, dropped: 1 });
  });
});

it('is loaded late alone: no module of a service imports it from its start', () => {
  const importers = ['libs', 'apps'].flatMap((folder) =>
    readdirSync(join(PROJECT_ROOT, folder), { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.ts') && !file.endsWith('.spec.ts'))
      .filter((file) =>
        /from '[^']*\/(otlp-tracer|otlp-body)/.test(readFileSync(join(PROJECT_ROOT, folder, file), 'utf8')),
      ),
  );
  expect(importers).toEqual(['platform/src/telemetry/tracing/otlp-tracer.ts']);
});

it('without an endpoint there is no tracer', async () => {
  const metrics = { spans: () => undefined };
  const common = { clock: new SystemClock(), log: silentLog, metrics };
  expect(await openTracer({ ...common, endpoint: '' })).toBeUndefined();
  expect(await openTracer({ ...common, endpoint: 'http://127.0.0.1:9' })).toBeInstanceOf(OtlpTracer);
});
