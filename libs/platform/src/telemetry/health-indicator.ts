import type { FactoryProvider, InjectionToken } from '@nestjs/common';
import type { Health, HealthCheck } from './health-check.js';

/**
 * One line of a service's health. Every provider that is one is found in the container, in
 * whatever module it stands.
 */
export class HealthIndicator {
  readonly name: string;
  readonly #check: HealthCheck['check'];

  constructor({ name, check }: HealthCheck) {
    this.name = name;
    this.#check = check;
  }

  check(): Promise<Health> {
    return this.#check();
  }
}

/** A provider of the health check that `checkOf` takes from an injected part of the service. */
export const healthIndicator = <T>(
  token: InjectionToken<T>,
  checkOf: (part: T) => HealthCheck,
): FactoryProvider<HealthIndicator> => ({
  provide: Symbol('health indicator'),
  inject: [token],
  useFactory: (part: T) => new HealthIndicator(checkOf(part)),
});
