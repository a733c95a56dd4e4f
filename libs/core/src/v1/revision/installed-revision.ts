/**
 * The installed bundle, as in status.install.bundle: without `release`, that may be build metadata of
 * `version`.
 */
export type InstalledBundle = Readonly<{ name: string; version: string; release?: string | undefined }>;

/** An installed bundle with the image it came from. */
export type InstalledRevision = Readonly<{ bundle: InstalledBundle; image: string }>;
