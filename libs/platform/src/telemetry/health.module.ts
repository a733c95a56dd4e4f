import { Controller, type DynamicModule, Get, Header, Inject, Module } from '@nestjs/common';
import { HealthCheckService, HealthIndicatorService, TerminusModule } from '@nestjs/terminus';
import type { Registry } from 'prom-client';
import { buildInfo } from '../files/build-info.js';
import type { HealthCheck } from './health-check.js';

export type HealthOptions = Readonly<{
  checks: readonly HealthCheck[];
  registry: Registry;
  /** A check that takes longer is down. Default 2 s. */
  checkTimeoutMs?: number;
  /** True while the service ends: it is then not ready, but alive. */
  ending?: () => boolean;
}>;

const HEALTH_OPTIONS = Symbol('health options');

/** `/livez`: the process answers. `/readyz` and `/healthz`: what it needs is there, or which of it is not and why. `/version`, `/metrics`. */
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
  readyz() {
    return this.#check();
  }

  @Get('healthz')
  healthz() {
    return this.#check();
  }

  @Get('version')
  version() {
    return buildInfo();
  }

  @Get('metrics')
  @Header('content-type', 'text/plain; version=0.0.4; charset=utf-8')
  metrics(): Promise<string> {
    return this.options.registry.metrics();
  }

  #check() {
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

@Module({})
class HealthModule {}

/** The module with these endpoints, on these checks. */
export const healthModule = (options: HealthOptions): DynamicModule => ({
  module: HealthModule,
  imports: [TerminusModule.forRoot({ logger: false })],
  controllers: [HealthController],
  providers: [{ provide: HEALTH_OPTIONS, useValue: options }],
});
