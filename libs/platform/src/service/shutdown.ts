import { type DynamicModule, Module } from '@nestjs/common';
import type { Log } from '../telemetry/log.port.js';

/** The end of a service: when it began, and how much time is left for the work that has begun. */
export class Shutdown {
  #endsAt: number | undefined;

  constructor(
    /** Time for everything that drains, together. */
    private readonly timeoutMs: number,
    private readonly log: Pick<Log, 'error'>,
    private readonly now = () => performance.now(),
  ) {}

  get hasBegun(): boolean {
    return this.#endsAt !== undefined;
  }

  begin(): void {
    this.#endsAt ??= this.now() + this.timeoutMs;
  }

  /** Drains one part of the service in the time that is left. An error is logged: all other parts end too. */
  async drain(part: (deadlineMs: number) => Promise<unknown>): Promise<void> {
    this.begin();
    const leftMs = Math.max((this.#endsAt ?? 0) - this.now(), 0);
    await part(leftMs).catch((error: unknown) => this.log.error({ error }, 'could not drain the work'));
  }
}

@Module({})
class ShutdownModule {}

/** Gives the service's {@link Shutdown} to every module. */
export const shutdownModule = (shutdown: Shutdown): DynamicModule => ({
  module: ShutdownModule,
  global: true,
  providers: [{ provide: Shutdown, useValue: shutdown }],
  exports: [Shutdown],
});
