import { type DestinationStream, destination as fileDestination, type Logger, pino, stdTimeFunctions } from 'pino';
import { FlotillaError } from '#core/kernel/errors/flotilla.error';
import { visibleText } from '#core/kernel/text/visible-text';
import { timedLine } from './plain-log.js';

type LogLevel = 'debug' | 'info' | 'warn' | 'error' | 'silent';
type LogOptions = Readonly<{ service: string; level: LogLevel; destination?: DestinationStream }>;

const SECRET_FIELDS = ['password', 'token', 'authorization', 'secret', 'auth', 'privateKey', 'clientKey', 'bearer'];
const CREDENTIALS_IN_URL = /(\b[a-z][a-z0-9+.-]*:\/\/)[^\s/@]*@/gi;

/** URLs keep no user and password, wherever in a text they stand. */
export const withoutUrlCredentials = (text: string): string => text.replace(CREDENTIALS_IN_URL, '$1***@');

/**
 * JSON lines: `time`, `level` as a word, `service`, `msg`, and the facts. Secrets are blotted
 * out by name and by form.
 */
export function createLog({ service, level, destination }: LogOptions): Logger {
  const options = {
    level,
    base: { service },
    timestamp: stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }), log: scrubFields },
    serializers: { error: describe, err: describe },
    redact: { paths: SECRET_FIELDS.flatMap((name) => [name, `*.${name}`, `*.*.${name}`]), censor: '***' },
    hooks: {
      streamWrite: visibleText,
      logMethod(this: Logger, args: Parameters<Logger['info']>, method: Logger['info']) {
        method.apply(
          this,
          args.map((arg: unknown) => (typeof arg === 'string' ? withoutUrlCredentials(arg) : arg)) as typeof args,
        );
      },
    },
  };
  return pino(options, destination ?? standardOutput());
}

/**
 * Writes at once: of lines that wait for their turn, the end of a process loses or reorders the last ones. On
 * a terminal they are lines for people.
 */
const standardOutput = (): DestinationStream => {
  const output = fileDestination({ dest: 1, sync: true });
  if (process.stdout.isTTY !== true) return output;
  return { write: (line) => void output.write(`${timedLine(line)}\n`) };
};

const scrubFields = (fields: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(fields).map(([key, value]) => [
      key,
      typeof value === 'string' ? withoutUrlCredentials(value) : value,
    ]),
  );

/**
 * Returns only the words of an error: clients attach whole requests to theirs, headers and commands included.
 */
function describe(error: unknown): unknown {
  if (!(error instanceof Error)) return typeof error === 'string' ? withoutUrlCredentials(error) : error;
  const code = error instanceof FlotillaError ? { code: error.code } : {};
  const stack = error instanceof FlotillaError ? {} : { stack: withoutUrlCredentials(error.stack ?? '') };
  return { type: error.name, ...code, message: withoutUrlCredentials(error.message), ...stack };
}
