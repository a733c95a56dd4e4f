import { type FileHandle, mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { OpenContent } from './content-store.port.js';

/** A new file for temporary data that has no name any more: it goes with the process, however that ends. */
export async function unnamedFile(): Promise<FileHandle> {
  const folder = await mkdtemp(join(tmpdir(), 'flotilla-'));
  try {
    return await open(join(folder, 'content'), 'wx+', 0o600);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/**
 * Returns the bytes written to a file as content that closes the file. Up to `heldBytes` are held in memory,
 * and a reader gets these bytes, not a copy.
 */
export async function contentOfFile(file: FileHandle, heldBytes = 0): Promise<OpenContent> {
  const { size } = await file.stat();
  const close = () => file.close();
  if (size <= heldBytes) {
    const { bytesRead, buffer } = await file.read(Buffer.allocUnsafeSlow(size), 0, size, 0);
    const bytes = buffer.subarray(0, bytesRead);
    return { size, held: bytes, read: async (from, length) => bytes.subarray(from, from + length), close };
  }
  const read = async (from: number, length: number) => {
    const { bytesRead, buffer } = await file.read(Buffer.allocUnsafeSlow(length), 0, length, from);
    return buffer.subarray(0, bytesRead);
  };
  return { size, read, close };
}
