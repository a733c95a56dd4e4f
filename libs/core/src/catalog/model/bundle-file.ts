/** A file of a bundle or catalog directory. `path` is relative, with `/`, without `..`. */
export type BundleFile = Readonly<{ path: string; bytes: Uint8Array }>;
