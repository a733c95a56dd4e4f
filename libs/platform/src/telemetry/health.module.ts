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
  Res,
} from '@nestjs/common';
import { HealthCheckService, HealthIndicatorService, TerminusModule } from '@nestjs/terminus';
import type { Registry } from 'prom-client';
import { refusalHeaders } from '#core/kernel/http-access/admission';
import { healthWithoutDetails } from '#core/kernel/http-access/health-without-details';
import type { HttpArea } from '#core/kernel/http-access/http-area';
import { buildInfo } from '../files/build-info.js';
import { HttpAccess } from '../http-access/http-access.js';
import type { HealthCheck } from './health-check.js';

export type HealthOptions = Readonly<{
  checks: readonly HealthCheck[];
  registry: Registry;
  /** A check that takes longer is down. Default 2 s. */
  checkTimeoutMs?: number;
  /** True while the service ends: it is then not ready, but alive. */
  ending?: () => boolean;
  /** Which clients may read metrics and the details of checks. Default: every client. */
  access?: HttpAccess;
  /** Whether `/metrics` has a port of its own, and so is not here. */
  metricsElsewhere?: boolean;
}>;

const HEALTH_OPTIONS = Symbol('health options');

type Reply = Readonly<{ header(name: string, value: string): unknown }>;

/**
 * `/livez`: the process answers. `/readyz` and `/healthz`: whether what it needs is there; what of it is not,
 * and why, for clients that may read details. `/version`, `/metrics`.
 */
@Controller()
export class HealthController {
  constructor(
    @Inject(HEALTH_OPTIONS) private readonly options: HealthOptions,
    @Inject(HealthCheckService) private readonly health: HealthCheckService,
    @Inject(HealthIndicatorService) private readonly indicators: HealthIndicatorService,
  ) {}

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
    const ending: HealthCheck = {
      name: 'service',
      check: async () => (this.options.ending?.() ? { up: false, detail: 'is ending' } : { up: true, detail: 'runs' }),
    };
    return this.health.check([ending, ...this.options.checks].map((check) => () => this.#indicate(check)));
  }

  async #indicate({ name, check }: HealthCheck) {
    const session = this.indicators.check(name);
    const { up, degraded, detail, clusters } = await this.#inTime(check).catch((error: unknown) => ({
      up: false,
      degraded: false,
      clusters: undefined,
      detail: error instanceof Error ? error.message : String(error),
    }));
    const facts: Readonly<Record<string, unknown>> = clusters === undefined ? { detail } : { detail, clusters };
    if (!up) return session.down(facts);
    return degraded ? session.degraded(facts) : session.up(facts);
  }

  async #inTime(check: HealthCheck['check']) {
    const { checkTimeoutMs = 2_000 } = this.options;
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new Error(`no answer within ${checkTimeoutMs} ms`)), checkTimeoutMs);
    });
    return Promise.race([check(), late]).finally(() => clearTimeout(timer));
  }
}

/** What a failed check answers, for a client that may not read details. */
function withoutDetails(error: HttpException): HttpException {
  const answer = error.getResponse();
  return typeof answer === 'string' ? error : new HttpException(healthWithoutDetails({ ...answer }), error.getStatus());
}

@Module({})
class HealthModule {}

/** The module with these endpoints, on these checks. */
export const healthModule = (options: HealthOptions): DynamicModule => ({
  module: HealthModule,
  imports: [TerminusModule.forRoot({ logger: false })],
  controllers: [HealthController],
  providers: [{ provide: HEALTH_OPTIONS, useValue: options }],
});
