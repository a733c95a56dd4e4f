/**
 * Takes the wanted files' bytes while layers are read. `C` says where they are: the
 * bytes themselves, or a file.
 */
export type FileSink<C> = Readonly<{
  /** Reads the body to its end; `size` is what the layer says of it, within the limits. */
  keep: (body: AsyncIterable<Uint8Array>, size: number) => Promise<C>;
  /** Drops what was kept: the layers are read anew. */
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
