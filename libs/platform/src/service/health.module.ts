import {
  Controller,
  type DynamicModule,
  Get,
  Header,
  Headers,
  HttpException,
  Inject,
  Module,
  NotFoundException,
  type OnModuleInit,
  Res,
} from '@nestjs/common';
import { DiscoveryModule, DiscoveryService } from '@nestjs/core';
import { HealthCheckService, HealthIndicatorService, TerminusModule } from '@nestjs/terminus';
import type { Registry } from 'prom-client';
import { refusalHeaders } from '#core/kernel/http-access/admission';
import { healthWithoutDetails } from '#core/kernel/http-access/health-without-details';
import type { HttpArea } from '#core/kernel/http-access/http-area';
import { buildInfo } from '../files/build-info.js';
import { HttpAccess } from '../http/http-access.js';
import type { Health, HealthCheck } from '../telemetry/health-check.js';
import { HealthIndicator, healthIndicator } from '../telemetry/health-indicator.js';
import { watchHealth } from '../telemetry/metrics/health-metrics.js';
import { Shutdown } from './shutdown.js';

export type HealthOptions = Readonly<{
  registry: Registry;
  /** A check that takes longer is down. Default 2 s. */
  checkTimeoutMs?: number;
  /** Access rules for metrics and the details of checks. Default: every client may read them. */
  access?: HttpAccess;
  /** True if `/metrics` has a port of its own, and so is not here. */
  metricsElsewhere?: boolean;
}>;

const HEALTH_OPTIONS = Symbol('health options');

/** The order of the checks in answers; others come after these. */
const ORDER: readonly string[] = [
  ...[
    'service',
    'redis',
    'store',
    'watches',
    'extensions',
    'statuses',
    'clusters',
    'writes',
    'olm',
    'openshift',
    'values',
    'images',
    'settings',
  ],
  ...['joining', 'budgets', 'fleet-clusters', 'fleet-orders', 'rollouts', 'fleet-folder'],
];
const rank = ({ name }: HealthIndicator): number => (ORDER.includes(name) ? ORDER.indexOf(name) : ORDER.length);

type Reply = Readonly<{ header(name: string, value: string): unknown }>;

/**
 * `/livez`: the process answers. `/readyz` and `/healthz`: the state of its dependencies, with missing ones
 * and reasons for clients that may read details. `/version`, `/metrics`.
 */
@Controller()
class HealthController implements OnModuleInit {
  #checks: readonly HealthIndicator[] = [];

  constructor(
    @Inject(HEALTH_OPTIONS) private readonly options: HealthOptions,
    private readonly health: HealthCheckService,
    private readonly indicators: HealthIndicatorService,
    private readonly providers: DiscoveryService,
  ) {}

  onModuleInit(): void {
    const found = this.providers.getProviders().map(({ instance }): unknown => instance);
    this.#checks = found.filter((one) => one instanceof HealthIndicator).toSorted((a, b) => rank(a) - rank(b));
    watchHealth(this.options.registry, () =>
      Promise.all(this.#checks.map(async (check) => ({ name: check.name, health: await this.#healthOf(check) }))),
    );
  }

  @Get('livez')
  livez() {
    return { status: 'ok' };
  }

  @Get('readyz')
  readyz(@Headers('authorization') authorization: string | undefined) {
    return this.#check('/readyz', authorization);
  }

  @Get('healthz')
  healthz(@Headers('authorization') authorization: string | undefined) {
    return this.#check('/healthz', authorization);
  }

  @Get('version')
  async version(@Headers('authorization') authorization: string | undefined, @Res({ passthrough: true }) reply: Reply) {
    await this.#require('health', '/version', authorization, reply);
    return buildInfo();
  }

  @Get('metrics')
  @Header('content-type', 'text/plain; version=0.0.4; charset=utf-8')
  async metrics(
    @Headers('authorization') authorization: string | undefined,
    @Res({ passthrough: true }) reply: Reply,
  ): Promise<string> {
    if (this.options.metricsElsewhere)
      throw new NotFoundException('metrics have a port of their own: FLOTILLA_METRICS_PORT');
    await this.#require('metrics', '/metrics', authorization, reply);
    return this.options.registry.metrics();
  }

  async #require(area: HttpArea, path: string, authorization: string | undefined, reply: Reply): Promise<void> {
    const { access = HttpAccess.open() } = this.options;
    const admission = await access.admit({ area, path, authorization });
    if (admission.admitted) return;
    for (const [name, value] of Object.entries(refusalHeaders(admission.status))) reply.header(name, value);
    throw new HttpException({ statusCode: admission.status, message: admission.message }, admission.status);
  }

  async #check(path: string, authorization: string | undefined) {
    const { access = HttpAccess.open() } = this.options;
    const { admitted } = await access.admit({ area: 'health', path, authorization });
    if (admitted) return this.#checkAll();
    return this.#checkAll().then(healthWithoutDetails, (error: unknown) => {
      throw error instanceof HttpException ? withoutDetails(error) : error;
    });
  }

  #checkAll() {
    return this.health.check(this.#checks.map((check) => () => this.#indicate(check)));
  }

  async #indicate(indicator: HealthIndicator) {
    const session = this.indicators.check(indicator.name);
    const { up, degraded, detail, clusters, troubles } = await this.#healthOf(indicator);
    const facts: Readonly<Record<string, unknown>> = {
      detail,
      ...(clusters === undefined ? {} : { clusters }),
      ...(troubles === undefined ? {} : { troubles }),
    };
    if (!up) return session.down(facts);
    return degraded ? session.degraded(facts) : session.up(facts);
  }

  /** A check that fails, or takes too long, is down. */
  #healthOf(indicator: HealthIndicator): Promise<Health> {
    return this.#inTime(indicator).catch((error: unknown) => ({
      up: false,
      detail: error instanceof Error ? error.message : String(error),
    }));
  }

  async #inTime(indicator: HealthIndicator) {
    const { checkTimeoutMs = 2_000 } = this.options;
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new Error(`no answer within ${checkTimeoutMs} ms`)), checkTimeoutMs);
    });
    return Promise.race([indicator.check(), late]).finally(() => clearTimeout(timer));
  }
}

/** Returns the answer of a failed check for a client that may not read details. */
function withoutDetails(error: HttpException): HttpException {
  const answer = error.getResponse();
  return typeof answer === 'string' ? error : new HttpException(healthWithoutDetails({ ...answer }), error.getStatus());
}

@Module({})
class HealthModule {}

/** The service itself: it is not ready while it ends, but alive. */
const serviceCheck = (shutdown: Shutdown): HealthCheck => ({
  name: 'service',
  check: async () => (shutdown.hasBegun ? { up: false, detail: 'is ending' } : { up: true, detail: 'runs' }),
});

/** The module with these endpoints, on every {@link HealthIndicator} of the service. */
export const healthModule = (options: HealthOptions): DynamicModule => ({
  module: HealthModule,
  imports: [TerminusModule.forRoot({ logger: false }), DiscoveryModule],
  controllers: [HealthController],
  providers: [{ provide: HEALTH_OPTIONS, useValue: options }, healthIndicator(Shutdown, serviceCheck)],
});
