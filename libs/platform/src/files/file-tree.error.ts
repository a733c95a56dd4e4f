import { FlotillaError } from '#core/kernel/errors/flotilla.error';

/**
 * A directory that cannot be read, or that holds more than is read. `olmText`: opm's own text, if it has one.
 */
export class FileTreeError extends FlotillaError {
  readonly code = 'FileTreeError';
  readonly retry = 'when-input-changes';
  constructor(
    readonly olmText: string,
    readonly advice: string,
  ) {
    super(`${olmText}: ${advice}`);
  }
}

const TEXTS: Readonly<Record<string, string>> = {
  ENOENT: 'no such file or directory',
  EACCES: 'permission denied',
  EISDIR: 'is a directory',
  ENOTDIR: 'not a directory',
  ELOOP: 'too many levels of symbolic links',
  EPERM: 'operation not permitted',
  EEXIST: 'file exists',
  ENAMETOOLONG: 'file name too long',
  EROFS: 'read-only file system',
  ENOSPC: 'no space left on device',
  EDQUOT: 'disk quota exceeded',
  EFBIG: 'file too large',
  EIO: 'input/output error',
  EMFILE: 'too many open files',
};
/** Failures of the disk itself. No other path and no other right of the user mends them. */
const OF_THE_DISK: ReadonlySet<string> = new Set(['ENOSPC', 'EDQUOT', 'EFBIG', 'EIO', 'EMFILE']);

/** True if the disk refused, and not the path or the permissions. */
export const isDiskFailure = (error: unknown): boolean => OF_THE_DISK.has(codeOf(error));

/** Returns the reason why a file operation failed, in the words of Go programs. */
export function fileReason(error: unknown): string {
  return TEXTS[codeOf(error)] ?? (error instanceof Error ? error.message : String(error));
}

const codeOf = (error: unknown): string => (error instanceof Error && 'code' in error ? String(error.code) : '');

/** The error of a failed file operation, in the words of Go programs: `open x: no such file or directory`. */
export function fileError(operation: string, path: string, error: unknown): FileTreeError {
  const advice = isDiskFailure(error) ? 'free space, or name another disk' : 'check the path and its permissions';
  return new FileTreeError(`${operation} ${path}: ${fileReason(error)}`, advice);
}
