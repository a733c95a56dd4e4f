import { hostname } from 'node:os';
import { type BeforeApplicationShutdown, Inject, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import type { HubRow, QueueCounts } from '#core/view/rows/hub-row';
import { projectVersion } from '../files/build-info.js';
import type { Queues } from '../queue/queues.js';
import { HealthIndicator } from '../telemetry/health-indicator.js';
import { inTime } from '../telemetry/in-time.js';
import { HubReporter } from '../view/hub-reporter.js';
import type { Hub } from './hub.js';
import { HUB } from './hub-tokens.js';

/** The service that the console shows this process as. */
export const REPORTS_AS = Symbol('name in reports');

/** The part of a service that keeps FleetClusterSources in step. */
export class SourceReports {
  constructor(readonly list: () => NonNullable<HubRow['sources']>) {}
}

/** The part of a service that follows FleetNotifications. */
export class ReceiverReports {
  constructor(readonly list: () => NonNullable<HubRow['receivers']>) {}
}

const CHECK_WITHIN_MS = 2_000;
const LONGEST_MESSAGE = 200;

/** The queues that each service works on; `flotilla up` is all of them. */
const QUEUES: Readonly<Record<string, readonly (keyof Queues)[]>> = {
  'catalog-poller': ['observe'],
  'resolver-worker': ['resolve'],
  applier: ['apply', 'solved'],
  notifier: ['notify'],
  flotilla: ['observe', 'resolve', 'solved', 'apply', 'notify'],
};

async function countsOf(queues: Queues, name: keyof Queues, now: Date): Promise<QueueCounts> {
  const queue = queues[name];
  const { waiting, active, delayed, failed } = await queue.counts();
  const jobs = waiting === 0 ? [] : await queue.sample(1);
  const oldestMs = Math.min(...jobs.filter(({ state }) => state === 'waiting').map(({ atMs }) => atMs), now.getTime());
  return { queue: name, waiting, active, delayed, failed, oldestSeconds: (now.getTime() - oldestMs) / 1_000 };
}

async function checkOf(indicator: HealthIndicator): Promise<HubRow['checks'][number]> {
  const health = await inTime(CHECK_WITHIN_MS, indicator.check());
  const ok = health?.up === true && health.degraded !== true;
  return { name: indicator.name, ok, message: ok ? '' : (health?.detail ?? 'no answer').slice(0, LONGEST_MESSAGE) };
}

type Provider = ReturnType<DiscoveryService['getProviders']>[number];
const isSources = (provider: Provider): provider is Provider & Readonly<{ instance: SourceReports }> =>
  provider.instance instanceof SourceReports;

const isReceivers = (provider: Provider): provider is Provider & Readonly<{ instance: ReceiverReports }> =>
  provider.instance instanceof ReceiverReports;

/** Reports the service to the console while it runs. The console itself has none: it may not write. */
@Injectable()
export class HubReportLifecycle implements OnApplicationBootstrap, BeforeApplicationShutdown {
  readonly #reporter: HubReporter;

  constructor(@Inject(HUB) hub: Hub, @Inject(REPORTS_AS) service: string, providers: DiscoveryService) {
    const { store, clock, log, queues, metrics } = hub;
    const checks = () =>
      providers.getProviders().flatMap(({ instance }) => (instance instanceof HealthIndicator ? [instance] : []));
    this.#reporter = new HubReporter({
      ...{ reports: store.reports, clock, log, service },
      instance: `${hostname()}:${process.pid}`,
      version: projectVersion(),
      checks: () => Promise.all(checks().map(checkOf)),
      queues: () => Promise.all((QUEUES[service] ?? []).map((name) => countsOf(queues, name, clock.now()))),
      slowest: () => metrics.slowest.list(clock.now()),
      sources: () => providers.getProviders().find(isSources)?.instance.list(),
      receivers: () => providers.getProviders().find(isReceivers)?.instance.list(),
    });
  }

  onApplicationBootstrap(): void {
    this.#reporter.start();
  }

  beforeApplicationShutdown(): Promise<void> {
    return this.#reporter.stop();
  }
}
