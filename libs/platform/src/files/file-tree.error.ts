import { FlotillaError } from '#core/errors/flotilla.error';

/** A directory that cannot be read, or that holds more than is read. `olmText` is what opm says where it says something. */
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
};

/** The error of a failed file operation, in the words of Go programs: `open x: no such file or directory`. */
export function fileError(operation: string, path: string, error: unknown): FileTreeError {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  const reason = TEXTS[code] ?? (error instanceof Error ? error.message : String(error));
  return new FileTreeError(`${operation} ${path}: ${reason}`, 'check the path and its permissions');
}
