import { execFileSync } from 'node:child_process';
import { closeSync, mkdirSync, openSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { afterThisProcess } from '#platform/processes/watchdog';

const SIZE = '64m';
const PIECE = Buffer.alloc(1 << 20);
const BALLAST = 'ballast';

/** A small disk for the content of services, if the machine allows one. */
export class ContentDisk {
  private constructor(
    readonly folder: string,
    /**
     * The reason if there is no disk: the folder then lies on the disk of the machine, and must not be
     * filled.
     */
    readonly whyNot: string | undefined,
  ) {}

  static make(folder: string): ContentDisk {
    mkdirSync(folder, { recursive: true });
    try {
      execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${SIZE}`, 'tmpfs', folder], { stdio: 'pipe' });
    } catch {
      return new ContentDisk(folder, 'a small disk can be mounted only by root, on a system that lets it');
    }
    afterThisProcess('umount -l "$1" 2>/dev/null', [folder]);
    return new ContentDisk(folder, undefined);
  }

  /** Writes until there is no room left. */
  fill(): void {
    const file = openSync(join(this.folder, BALLAST), 'w');
    try {
      for (;;) if (writeSync(file, PIECE) < PIECE.length) break;
    } catch (error) {
      if (Object(error).code !== 'ENOSPC') throw error;
    } finally {
      closeSync(file);
    }
  }

  clear(): void {
    rmSync(join(this.folder, BALLAST), { force: true });
  }

  remove(): void {
    if (this.whyNot === undefined) execFileSync('umount', ['-l', this.folder], { stdio: 'pipe' });
  }
}
