import { constants, gzipSync } from 'node:zlib';
import { packTar } from 'modern-tar';

/** A file of an archive; `path` within it, with slashes. */
export type ArchivedFile = Readonly<{ path: string; content: Uint8Array; executable?: boolean }>;

/** The time of every file in every archive: that of npm's own packages. */
const TIME = new Date('1985-10-26T08:15:00Z');
/**
 * The place of the operating system in the header of gzip. It is set to unknown, so that every machine writes
 * the same.
 */
const GZIP_SYSTEM = { at: 9, unknown: 255 } as const;

/** A gzipped tar that depends on paths and contents alone: sorted, with one time and one owner. */
export async function fixedArchive(
  files: readonly ArchivedFile[],
  level: number = constants.Z_BEST_COMPRESSION,
): Promise<Uint8Array> {
  const sorted = files.toSorted((a, b) => (a.path < b.path ? -1 : 1));
  const tar = await packTar(
    sorted.map(({ path, content, executable = false }) => ({
      header: {
        name: path,
        type: 'file' as const,
        size: content.length,
        mode: executable ? 0o755 : 0o644,
        mtime: TIME,
        uid: 0,
        gid: 0,
      },
      body: content,
    })),
  );
  const zipped = gzipSync(tar, { level });
  zipped[GZIP_SYSTEM.at] = GZIP_SYSTEM.unknown;
  return zipped;
}
