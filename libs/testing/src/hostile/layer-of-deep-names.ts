import { createHash } from 'node:crypto';
import { createGzip } from 'node:zlib';
import { blob } from '#platform/registry/image-builder';

const BLOCK = 512;

function header(name: string): Buffer {
  const block = Buffer.alloc(BLOCK);
  block.write(name, 0);
  block.write('0000644\0', 100);
  block.write(`${'0'.repeat(11)}\0`, 124);
  block.write('        ', 148);
  block.write('0', 156);
  block.write('ustar\u000000', 257);
  const sum = block.reduce((total, byte) => total + byte, 0);
  block.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  return block;
}

/**
 * A layer within all bounds: each file has directories of its own, together more than a thread may hold
 * that reads an image of at most 100,000 files.
 */
export async function layerOfDeepNames() {
  const gzip = createGzip({ level: 1 });
  const hash = createHash('sha256');
  const packed: Buffer[] = [];
  gzip.on('data', (chunk: Buffer) => packed.push(chunk));
  const ended = new Promise((resolve) => gzip.once('end', resolve));
  for (let at = 0; at < 99_000; at += 500) {
    const part = Buffer.concat(Array.from({ length: 500 }, (_, index) => header(`${at + index}/a/b/c/d/f`)));
    hash.update(part);
    if (!gzip.write(part)) await new Promise((resolve) => gzip.once('drain', resolve));
  }
  hash.update(Buffer.alloc(2 * BLOCK));
  gzip.end(Buffer.alloc(2 * BLOCK));
  await ended;
  const layer = blob('application/vnd.oci.image.layer.v1.tar+gzip', Buffer.concat(packed));
  return { layer, diffId: `sha256:${hash.digest('hex')}` as const };
}
