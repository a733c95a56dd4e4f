/** `Kind.version.group`: how {@link CsvWorld.servedKinds} and `olm.providedAPIs` write one API. */
export const servedKey = (api: Readonly<{ group: string; version: string; kind: string }>): string =>
  `${api.kind}.${api.version}.${api.group}`;
