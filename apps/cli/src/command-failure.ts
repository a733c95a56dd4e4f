import { FlotillaError } from '#core/kernel/errors/flotilla.error';
import { fileReason, isDiskFailure } from '#platform/files/file-tree.error';
import { ClusterConfigError } from '#platform/kube/access/cluster-config.error';
import { RegistryError } from '#platform/registry/client/registry-client.port';
import { ExitCode, NotFound, UsageError } from './terminal/io.js';

/** The end of a verb that threw: the line for the user, without "error: ", and the exit code. */
type CommandFailure = Readonly<{ message: string; exit: ExitCode }>;

/**
 * Returns the meaning of an error that no verb expected. A file operation of Node reads as those of the verbs
 * do: `open x: permission denied`. The path and its permissions are the user's, a full disk is not.
 */
export function commandFailure(error: unknown): CommandFailure {
  if (error instanceof NotFound) return { message: error.message, exit: ExitCode.no };
  if (error instanceof ClusterConfigError) return { message: error.message, exit: ExitCode.badInput };
  if (error instanceof UsageError) return { message: error.message, exit: ExitCode.badInput };
  if (error instanceof FlotillaError && OF_SETTINGS.has(error.code)) {
    return { message: error.message, exit: ExitCode.badInput };
  }
  if (error instanceof Error && isOfContent(error)) return { message: error.message, exit: ExitCode.badInput };
  const operation = fileOperation(error);
  if (operation !== undefined) {
    const exit = isDiskFailure(error) ? ExitCode.remoteFailed : ExitCode.badInput;
    return { message: `${operation}: ${fileReason(error)}`, exit };
  }
  return { message: error instanceof Error ? error.message : String(error), exit: ExitCode.remoteFailed };
}

/** True if a registry gave an image that cannot be used: another try ends in the same way. */
const isOfContent = (error: Error): boolean =>
  error instanceof RegistryError ? error.isOfContent : error.cause instanceof Error && isOfContent(error.cause);

/** Errors about a value of a setting or an option. The services end with the same exit code for them. */
const OF_SETTINGS: ReadonlySet<string> = new Set([
  ...['InvalidRedisUrl', 'RedisUnusable', 'UnusableRedisAccess', 'UnusableRedisPassword'],
  ...['ContentFolderUnusable', 'HubKeyUnusable', 'TlsUnusable', 'ConsolePolicyUnusable', 'SessionKeyUnusable'],
  ...['IssuerUnusable', 'ConsoleUnprotected', 'HubApiUnusable'],
]);

const FILE_OPERATIONS: ReadonlySet<string> = new Set(
  'open read write stat lstat mkdir mkdtemp scandir opendir rename unlink rmdir rm copyfile chmod fsync'.split(' '),
);

/** `open PATH` of an error of node:fs; undefined for every other error, such as those of sockets. */
function fileOperation(error: unknown): string | undefined {
  if (!(error instanceof Error && 'syscall' in error && typeof error.syscall === 'string')) return undefined;
  const path = 'path' in error && typeof error.path === 'string' ? error.path : undefined;
  const isFile = FILE_OPERATIONS.has(error.syscall) && (path !== undefined || isDiskFailure(error));
  if (!isFile) return undefined;
  return path === undefined ? error.syscall : `${error.syscall} ${path}`;
}
