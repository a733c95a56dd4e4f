/**
 * Bounds on the data that a registry may send. It is outside input: every bound is enforced while streaming.
 */
export type RegistryLimits = Readonly<{
  /** Bytes of all layers of an image as sent. */
  compressedBytes: number;
  /** Bytes of all layers of an image, unpacked, wanted files or not. */
  unpackedBytes: number;
  /** Bytes that may come out of one byte of a layer, beyond the first 64 MiB. */
  expansion: number;
  /** Entries of all layers of an image. */
  entries: number;
  /** Characters of the names of all entries, and of the targets of links, of an image: they are kept. */
  nameCharacters: number;
  /** Bytes of one wanted file. */
  fileBytes: number;
  /** Bytes of all wanted files. */
  wantedBytes: number;
  layers: number;
  /** Bytes of a manifest, an index or an image config. */
  documentBytes: number;
  /** Milliseconds for a whole pull or push. */
  pullMs: number;
  /** Milliseconds until the answer to one request begins. */
  requestMs: number;
  /** Milliseconds without a byte until a body that is being sent counts as broken off. */
  stallMs: number;
  /** Blobs that are pulled from one registry host at a time. */
  transfersPerHost: number;
  /** Small requests to one registry host at a time. */
  requestsPerHost: number;
  /** Tries of one request that met 429, 5xx or a broken connection. */
  attempts: number;
  /** Milliseconds before the second try; doubles from try to try. */
  retryDelayMs: number;
}>;

const MiB = 1024 * 1024;

/** Characters of the name of an entry, on average over those that an image may have. */
const CHARACTERS_OF_NAME = 256;
/** The characters of names that fit a bound on entries. */
export const nameCharactersOf = (entries: number): number => entries * CHARACTERS_OF_NAME;

export const defaultRegistryLimits: RegistryLimits = {
  compressedBytes: 1024 * MiB,
  unpackedBytes: 4096 * MiB,
  expansion: 200,
  entries: 300_000,
  nameCharacters: nameCharactersOf(300_000),
  fileBytes: 256 * MiB,
  wantedBytes: 768 * MiB,
  layers: 256,
  documentBytes: 4 * MiB,
  pullMs: 10 * 60_000,
  requestMs: 30_000,
  stallMs: 30_000,
  transfersPerHost: 4,
  requestsPerHost: 16,
  attempts: 4,
  retryDelayMs: 250,
};
