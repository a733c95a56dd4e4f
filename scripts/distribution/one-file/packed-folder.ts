import { constants, gzipSync } from 'node:zlib';
import type { ArchivedFile } from '../fixed-archive.js';

/**
 * The place of the operating system in the header of gzip. It is set to unknown, so that every machine writes
 * the same.
 */
const GZIP_SYSTEM = { at: 9, unknown: 255 } as const;

/**
 * Returns files as `bin/flotilla-as-one-file.cjs` reads them: compressed, a line of JSON with path and size
 * of each, then their contents in that order.
 */
export function packedFolder(files: readonly ArchivedFile[]): Uint8Array {
  const sorted = files.toSorted((a, b) => (a.path < b.path ? -1 : 1));
  const index = `${JSON.stringify(sorted.map(({ path, content }) => [path, content.length]))}\n`;
  const zipped = gzipSync(Buffer.concat([Buffer.from(index), ...sorted.map(({ content }) => content)]), {
    level: constants.Z_BEST_COMPRESSION,
  });
  zipped[GZIP_SYSTEM.at] = GZIP_SYSTEM.unknown;
  return zipped;
}
