import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { fileReason } from '../../files/file-tree.error.js';
import { CloudLoginError } from './cloud-http.port.js';

const MOST_BYTES = 256 * 1024;

/**
 * Reads a file with the token of a Pod, or with a description of a login. Reads it each time: the kubelet
 * rotates tokens.
 * @throws CloudLoginError
 */
export async function readLoginFile(file: string): Promise<string> {
  try {
    // A pipe that nothing writes to would be waited for without end.
    const handle = await open(file, constants.O_RDONLY | constants.O_NONBLOCK);
    try {
      if (!(await handle.stat()).isFile()) throw new CloudLoginError(`${file} is not a regular file`);
      const buffer = Buffer.alloc(MOST_BYTES + 1);
      let length = 0;
      for (;;) {
        const { bytesRead } = await handle.read(buffer, length, buffer.length - length);
        length += bytesRead;
        if (bytesRead === 0 || length > MOST_BYTES) break;
      }
      if (length > MOST_BYTES) throw new CloudLoginError(`${file} has more than ${MOST_BYTES} bytes`);
      return buffer.toString('utf8', 0, length);
    } finally {
      await handle.close();
    }
  } catch (error) {
    if (error instanceof CloudLoginError) throw error;
    throw new CloudLoginError(`${file} cannot be read (${fileReason(error)})`);
  }
}

/** Reads a file with one token. @throws CloudLoginError if it has none */
export async function readTokenFile(file: string): Promise<string> {
  const token = (await readLoginFile(file)).trim();
  if (!/^[\x21-\x7e]+$/.test(token)) throw new CloudLoginError(`${file} has no token`);
  return token;
}
