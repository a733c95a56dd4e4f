/**
 * Takes the wanted files' bytes while layers are read. `C` is their place: the bytes themselves, or a file.
 */
export type FileSink<C> = Readonly<{
  /** Reads the body to its end. `size`: the size in the layer, within the limits. */
  keep: (body: AsyncIterable<Uint8Array>, size: number) => Promise<C>;
  /** Drops the kept files: the layers are read again. */
  clear: () => Promise<void>;
}>;

/** Keeps files in memory. */
export const memorySink: FileSink<Uint8Array> = {
  keep: async (body, size) => {
    const bytes = new Uint8Array(size);
    let at = 0;
    for await (const chunk of body) {
      bytes.set(chunk, at);
      at += chunk.length;
    }
    return bytes;
  },
  clear: async () => undefined,
};
