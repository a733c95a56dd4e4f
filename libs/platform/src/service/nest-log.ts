import type { LoggerService } from '@nestjs/common';
import type { Log } from '../telemetry/log.port.js';

/** Nest's own lines in our log. Its lines about routes and modules at start go to level debug. */
export class NestLog implements LoggerService {
  constructor(private readonly sink: Log) {}

  log(message: unknown, ...rest: unknown[]): void {
    this.sink.debug(fieldsOf(rest), String(message));
  }
  debug(message: unknown, ...rest: unknown[]): void {
    this.sink.debug(fieldsOf(rest), String(message));
  }
  verbose(message: unknown, ...rest: unknown[]): void {
    this.sink.debug(fieldsOf(rest), String(message));
  }
  warn(message: unknown, ...rest: unknown[]): void {
    this.sink.warn(fieldsOf(rest), String(message));
  }
  error(message: unknown, ...rest: unknown[]): void {
    this.sink.error(fieldsOf(rest), message instanceof Error ? message.message : String(message));
  }
  fatal(message: unknown, ...rest: unknown[]): void {
    this.error(message, ...rest);
  }
}

/** Nest puts the name of the class last, and before it, for errors, a stack. */
function fieldsOf(rest: readonly unknown[]): Record<string, unknown> {
  const context = rest.at(-1);
  const stack = rest.length > 1 ? rest[0] : undefined;
  return { ...(context === undefined ? {} : { context }), ...(stack === undefined ? {} : { stack }) };
}
