import { getHeapStatistics } from 'node:v8';
import { parentPort } from 'node:worker_threads';
import { collectAll } from '#platform/processes/collect-at-rest';
import type { LayersGuard, OpenLayer } from './layers-reader.port.js';
import { layersInProcess } from './read-layers.js';
import {
  type LayerPart,
  type LayersNote,
  type LayersReply,
  type LayersTask,
  problemOf,
  refuseUnnamed,
} from './thread-messages.js';

/** A heap of that size has grown by a large image: its garbage goes before the next one comes. */
const LARGE_BYTES = 16 * 1024 * 1024;

const note = (message: LayersNote) => parentPort?.postMessage(message);

/** The bytes of the layer that is open, as they come from the other thread. */
class OpenedLayer {
  readonly #chunks: (Uint8Array | undefined)[] = [];
  #arrived = Promise.withResolvers<void>();
  readonly verified = Promise.withResolvers<void>();

  take(message: LayerPart): void {
    if ('verified' in message) this.verified.resolve();
    else {
      this.#chunks.push('chunk' in message ? message.chunk : undefined);
      this.#arrived.resolve();
    }
  }

  async *bytes(): AsyncGenerator<Uint8Array> {
    for (;;) {
      while (this.#chunks.length === 0) {
        await this.#arrived.promise;
        this.#arrived = Promise.withResolvers();
      }
      const chunk = this.#chunks.shift();
      if (chunk === undefined) return;
      note({ took: true });
      yield chunk;
    }
  }
}

let opened: OpenedLayer | undefined;

/** The caller's thread ends this one if a layer does not match its digest, or cannot be read. */
const open: OpenLayer = async (layer, consume) => {
  const source = new OpenedLayer();
  opened = source;
  note({ open: layer });
  try {
    const read = await consume(source.bytes());
    note({ closed: 'well' });
    await source.verified.promise;
    return read;
  } catch (error) {
    note({ closed: problemOf(error) });
    throw error;
  }
};

const guard: LayersGuard = { open, refuse: refuseUnnamed, onDisk: (wrote) => note({ wrote }) };

async function read({ task, target }: LayersTask): Promise<LayersReply> {
  if (target !== undefined) return { unpacked: await layersInProcess.unpack(task, target, guard) };
  return { files: await layersInProcess.files(task, guard) };
}

/** Buffers of files that are moved to the other thread, not copied. */
const buffersOf = (reply: LayersReply): ArrayBuffer[] =>
  'files' in reply ? [...new Set(reply.files.map(({ bytes }) => bytes.buffer as ArrayBuffer))] : [];

// Unpacking an image takes seconds and memory; off the main thread a mistake costs one pull.
parentPort?.on('message', async (message: LayersTask | LayerPart) => {
  if (!('task' in message)) return opened?.take(message);
  const reply = await read(message).catch((error: unknown): LayersReply => ({ problem: problemOf(error) }));
  parentPort?.postMessage(reply, buffersOf(reply));
  opened = undefined;
  if (getHeapStatistics().total_heap_size > LARGE_BYTES) collectAll();
});
