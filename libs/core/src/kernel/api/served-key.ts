/**
 * Returns `Kind.version.group`, the form of one API in {@link CsvWorld.servedKinds} and `olm.providedAPIs`.
 */
export const servedKey = (api: Readonly<{ group: string; version: string; kind: string }>): string =>
  `${api.kind}.${api.version}.${api.group}`;
