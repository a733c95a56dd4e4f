import { Registry } from 'prom-client';
import { afterEach, expect, it } from 'vitest';
import type { HealthCheck } from '../telemetry/health-check.js';
import { HealthIndicator, healthIndicator } from '../telemetry/health-indicator.js';
import { silentLog } from '../telemetry/log.port.js';
import { type RunningService, startService } from './run-service.js';

let service: RunningService | undefined;
afterEach(() => service?.stop());

const PART = Symbol('part');
const indicator = (name: string) => ({
  provide: name,
  useValue: new HealthIndicator({ name, check: async () => ({ up: true, detail: name }) }),
});
const check = async () => ({ up: true, detail: 'is taken from a part' });

it('finds the indicators of all modules, and answers in a fixed order, whatever order modules have', async () => {
  const imports = [
    { module: class {}, providers: [indicator('things'), indicator('budgets'), indicator('olm')] },
    {
      module: class {},
      providers: [
        { provide: PART, useValue: { check: { name: 'clusters', check } } },
        healthIndicator<{ check: HealthCheck }>(PART, (part) => part.check),
        indicator('redis'),
      ],
    },
  ];
  service = await startService({
    name: 'things',
    imports,
    health: { registry: new Registry() },
    bindAddress: '127.0.0.1',
    port: 0,
    log: silentLog,
    shutdownTimeoutMs: 1_000,
  });
  const answer: unknown = await (await fetch(`${service.url}/healthz`)).json();
  const line = (detail: string) => ({ status: 'up', detail });
  expect(JSON.stringify(answer)).toContain('"details":{"service":');
  expect(Object.entries((answer as { details: object }).details)).toEqual([
    ['service', line('runs')],
    ['redis', line('redis')],
    ['clusters', line('is taken from a part')],
    ['olm', line('olm')],
    ['budgets', line('budgets')],
    ['things', line('things')],
  ]);
});
