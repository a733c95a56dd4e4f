import type { BundleFile } from '#core/catalog/model/bundle-file';
import type { Refuse } from '../../client/image-manifest.js';
import { RegistryError } from '../../client/registry-client.port.js';
import type { RegistryLimits } from '../../client/registry-limits.js';

/** Opens a layer. Returns the result of `consume` once the bytes have proved right. May be called again. */
export type OpenLayer = <T>(layer: number, consume: (bytes: AsyncIterable<Uint8Array>) => Promise<T>) => Promise<T>;

/** Wanted parts of the layers of an image, and bounds. Plain: it crosses a thread boundary. */
export type LayersRequest = Readonly<{
  /** Names of the layers, for errors, in the order of the manifest. */
  layers: readonly string[];
  /** Folders with wanted files, without slashes at their ends; an empty one is the whole image. */
  folders: readonly string[];
  /** The folders in words, for errors. */
  what: string;
  limits: RegistryLimits;
}>;

/** Around the reading of an image. */
export type LayersGuard = Readonly<{
  open: OpenLayer;
  refuse: Refuse;
  /** Aborted if the caller does not want the image any more. */
  signal?: AbortSignal;
  /** Called with bytes before they are written to disk, below 0 when they are gone again. */
  onDisk?: (bytes: number) => void;
}>;

/** A directory that appears whole or not at all: `partial`, next to it, holds the work until then. */
export type UnpackTarget = Readonly<{ directory: string; partial: string }>;
export type UnpackedFiles = Readonly<{ bytes: number; files: number }>;

/** Unpacks the layers of images and gives the files of the wanted folders. */
export type LayersReader = Readonly<{
  /** The files in memory, sorted by path. */
  files: (request: LayersRequest, guard: LayersGuard) => Promise<readonly BundleFile[]>;
  /** Unpacks the files of the one wanted folder into the directory, under paths relative to the folder. */
  unpack: (request: LayersRequest, target: UnpackTarget, guard: LayersGuard) => Promise<UnpackedFiles>;
}>;

/** An image ended the thread that read it: at the limit of its heap, or by a fault of ours. */
export class ReaderEnded extends RegistryError {
  /** True once it is remembered, and says so. */
  isNoted = false;
  constructor(reference: string, message: string) {
    super('TooLarge', reference, message);
  }
}
