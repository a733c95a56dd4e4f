import 'reflect-metadata';
import { type DynamicModule, type INestApplication, Module, type Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import { serveMetrics } from '../http-access/serve-metrics.js';
import type { ServingTls } from '../http-access/serving-tls.js';
import { type HealthOptions, healthModule } from './health.module.js';
import type { Log } from './log.port.js';
import { NestLog } from './nest-log.js';

export type ServiceOptions = Readonly<{
  name: string;
  /** The service's own Nest modules; health and metrics are added. */
  imports: readonly (DynamicModule | Type)[];
  health: Omit<HealthOptions, 'ending' | 'metricsElsewhere'>;
  bindAddress: string;
  /** 0: any free one. */
  port: number;
  /** `same`: metrics are at `port`. Default `same`; 0: any free one. */
  metricsPort?: number | 'same';
  /** The certificate for HTTPS; absent: plain HTTP. */
  tls?: ServingTls;
  log: Log;
  /**
   * Stops taking work and waits for what has begun, no longer than the deadline.
   * Called once, before HTTP ends.
   */
  drain: (app: INestApplication, deadlineMs: number) => Promise<void>;
  shutdownTimeoutMs: number;
}>;

export type RunningService = Readonly<{
  /** Where health and metrics are, such as `http://127.0.0.1:8080`. */
  url: string;
  /** Where metrics are. */
  metricsUrl: string;
  app: INestApplication;
  /** Drains and ends. Safe to call more than once. */
  stop(): Promise<void>;
}>;

@Module({})
class ServiceRoot {}

/** Starts a service: its modules, health and metrics over HTTP. */
export async function startService(options: ServiceOptions): Promise<RunningService> {
  const { name, log, drain, shutdownTimeoutMs, health, metricsPort = 'same', bindAddress, tls } = options;
  let stopping: Promise<void> | undefined;
  const root: DynamicModule = {
    module: ServiceRoot,
    imports: [
      ...options.imports,
      healthModule({ ...health, metricsElsewhere: metricsPort !== 'same', ending: () => stopping !== undefined }),
    ],
  };
  const adapter = new FastifyAdapter({ forceCloseConnections: true, ...(tls && { https: tls.options }) });
  const app = await NestFactory.create(root, adapter, { logger: new NestLog(log), abortOnError: false });
  await app.listen(options.port, bindAddress);
  const url = (await app.getUrl()).replace('[::1]', 'localhost');
  tls?.renew(app.getHttpServer());
  const metrics =
    metricsPort === 'same'
      ? undefined
      : await serveMetrics({ ...health, bindAddress, port: metricsPort, ...(tls && { tls }) });
  log.info({ url: listeningUrl(url, bindAddress), ...(metrics && { metrics: metrics.url }) }, `${name} is running`);
  const end = async () => {
    log.info({}, `${name} is ending; waiting for the work it has begun`);
    await drain(app, shutdownTimeoutMs).catch((error: unknown) =>
      log.error({ error }, 'ending: the work could not be drained'),
    );
    await Promise.all([app.close(), metrics?.close()]);
    log.info({}, `${name} has ended`);
  };
  const stop = () => {
    stopping ??= end();
    return stopping;
  };
  return { url, metricsUrl: `${metrics?.url ?? url}/metrics`, app, stop };
}

/**
 * Where the service listens: its URL names one address of this machine even where it listens on all of them.
 */
function listeningUrl(url: string, bindAddress: string): string {
  const host = bindAddress.includes(':') ? `[${bindAddress}]` : bindAddress;
  const { protocol, port } = new URL(url);
  return `${protocol}//${host}:${port}`;
}

/**
 * {@link startService} for a process of its own: SIGTERM or SIGINT ends it in order with exit
 * 0, a second one at once.
 */
export async function runService(options: ServiceOptions): Promise<RunningService> {
  const starting = startService(options);
  // Before the start is over and logged: a service that is ended right then must end in order, too.
  endOnSignal(starting, options.log, options.shutdownTimeoutMs);
  return starting;
}

const GRACE_MS = 5_000;

function endOnSignal(starting: Promise<RunningService>, log: Log, shutdownTimeoutMs: number): void {
  let signals = 0;
  const onSignal = (signal: NodeJS.Signals) => {
    signals += 1;
    if (signals > 1) process.exit(signal === 'SIGINT' ? 130 : 143);
    log.info({ signal }, 'asked to end');
    setTimeout(() => {
      log.error({ afterMs: shutdownTimeoutMs + GRACE_MS }, 'did not end in time');
      process.exit(1);
    }, shutdownTimeoutMs + GRACE_MS).unref();
    starting
      .then((service) => service.stop())
      .then(
        () => process.exit(0),
        (error: unknown) => {
          log.error({ error }, 'could not end in order');
          process.exit(1);
        },
      );
  };
  process.on('SIGTERM', onSignal);
  process.on('SIGINT', onSignal);
}
