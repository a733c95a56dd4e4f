import { randomUUID } from 'node:crypto';
import { readFile, rm, statfs, writeFile } from 'node:fs/promises';
import { availableParallelism, totalmem } from 'node:os';
import { join } from 'node:path';
import type { MachineFacts } from '#core/cluster/doctor/machine-checks';
import { fileReason, isDiskFailure } from '#platform/files/file-tree.error';
import { makeFolder } from '#platform/files/make-folder';

/** Reads the facts of the machine that a hub needs. Creates the folder for content if it is missing. */
export async function readMachine(contentDir: string): Promise<MachineFacts> {
  const constrained = process.constrainedMemory();
  const memoryBytes = constrained > 0 ? Math.min(constrained, totalmem()) : totalmem();
  return {
    node: process.versions.node,
    memoryBytes,
    processors: availableParallelism(),
    openFiles: await openFiles(),
    contentDir,
    ...(await contentOf(contentDir)),
  };
}

async function contentOf(
  folder: string,
): Promise<Pick<MachineFacts, 'contentFreeBytes' | 'contentProblem' | 'contentIsFull'>> {
  try {
    await makeFolder(folder);
    const probe = join(folder, `.doctor-${randomUUID()}`);
    await writeFile(probe, '');
    await rm(probe);
    const { bavail, bsize } = await statfs(folder);
    return { contentFreeBytes: bavail * bsize };
  } catch (error) {
    return { contentProblem: fileReason(error), contentIsFull: isDiskFailure(error) };
  }
}

/** Reads the limit of open files from Linux; other systems are not asked. */
async function openFiles(): Promise<number | undefined> {
  const limits = await readFile('/proc/self/limits', 'utf8').catch(() => '');
  const [, soft] = /^Max open files\s+(\d+)/m.exec(limits) ?? [];
  return soft === undefined ? undefined : Number(soft);
}
