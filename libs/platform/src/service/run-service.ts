import 'reflect-metadata';
import { type DynamicModule, type INestApplication, Module, type Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import { HOST_REFUSAL, isHostAnswered } from '#core/kernel/http-access/host-rule';
import { serveMetrics } from '../http/serve-metrics.js';
import type { ServingTls } from '../http/serving-tls.js';
import type { Log } from '../telemetry/log.port.js';
import { type HealthOptions, healthModule } from './health.module.js';
import { NestLog } from './nest-log.js';
import { Shutdown, shutdownModule } from './shutdown.js';

export type ServiceOptions = Readonly<{
  name: string;
  /**
   * The service's own Nest modules; health and metrics are added. A module drains in
   * `beforeApplicationShutdown`, with the injected {@link Shutdown}: HTTP ends after it. Modules shut down in
   * the reverse of this order.
   */
  imports: readonly (DynamicModule | Type)[];
  health: Omit<HealthOptions, 'metricsElsewhere'>;
  bindAddress: string;
  /** Names of the service if it listens on loopback, in addition to `localhost`. */
  hosts?: readonly string[];
  /** 0: any free one. */
  port: number;
  /** `same`: metrics are at `port`. Default `same`; 0: any free one. */
  metricsPort?: number | 'same';
  /** The certificate for HTTPS; absent: plain HTTP. */
  tls?: ServingTls;
  log: Log;
  /** How long the end waits for the work that has begun. */
  shutdownTimeoutMs: number;
  /** Called when the work and HTTP have ended. */
  onEnd?: (() => Promise<void>) | undefined;
}>;

export type RunningService = Readonly<{
  /** URL of health and metrics, such as `http://127.0.0.1:8080`. */
  url: string;
  /** URL of the metrics. */
  metricsUrl: string;
  app: INestApplication;
  /** Drains and ends. Safe to call more than once. */
  stop(): Promise<void>;
}>;

@Module({})
class ServiceRoot {}

/** Starts a service: its modules, health and metrics over HTTP. */
export async function startService(options: ServiceOptions): Promise<RunningService> {
  const { name, log, shutdownTimeoutMs, health, metricsPort = 'same', bindAddress, hosts = [], tls } = options;
  const shutdown = new Shutdown(shutdownTimeoutMs, log);
  let stopping: Promise<void> | undefined;
  const root: DynamicModule = {
    module: ServiceRoot,
    imports: [
      shutdownModule(shutdown),
      ...options.imports,
      healthModule({ ...health, metricsElsewhere: metricsPort !== 'same' }),
    ],
  };
  const adapter = new FastifyAdapter({ forceCloseConnections: true, ...(tls && { https: tls.options }) });
  adapter.getInstance().addHook('onRequest', (request, reply, next) => {
    if (isHostAnswered(request.headers.host, bindAddress, hosts)) next();
    else reply.code(421).send({ statusCode: 421, message: HOST_REFUSAL });
  });
  const app = await NestFactory.create(root, adapter, { logger: new NestLog(log), abortOnError: false });
  await app.listen(options.port, bindAddress);
  const url = (await app.getUrl()).replace('[::1]', 'localhost');
  tls?.renew(app.getHttpServer());
  const metrics =
    metricsPort === 'same'
      ? undefined
      : await serveMetrics({ ...health, bindAddress, hosts, port: metricsPort, ...(tls && { tls }) });
  log.info({ url: listeningUrl(url, bindAddress), ...(metrics && { metrics: metrics.url }) }, `${name} is running`);
  const end = async () => {
    shutdown.begin();
    log.info({}, `${name} is ending; waiting for the work it has begun`);
    await app.close();
    await metrics?.close();
    await options.onEnd?.();
    log.info({}, `${name} has ended`);
  };
  const stop = () => {
    stopping ??= end();
    return stopping;
  };
  return { url, metricsUrl: `${metrics?.url ?? url}/metrics`, app, stop };
}

/**
 * Returns the URL of the service. It names one address of this machine even if the service listens on all of
 * them.
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
          log.error({ error }, 'could not stop cleanly');
          process.exit(1);
        },
      );
  };
  process.on('SIGTERM', onSignal);
  process.on('SIGINT', onSignal);
}
