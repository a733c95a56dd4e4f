export type LogFields = Readonly<Record<string, unknown>>;

/** Structured log: facts as fields, one short sentence as message. pino's logger is one. */
export type Log = {
  debug(fields: LogFields, message: string): void;
  info(fields: LogFields, message: string): void;
  warn(fields: LogFields, message: string): void;
  error(fields: LogFields, message: string): void;
};

const nothing = (): void => undefined;

/** A log for tests, and for commands that print for people instead. */
export const silentLog: Log = { debug: nothing, info: nothing, warn: nothing, error: nothing };
