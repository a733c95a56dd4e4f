/** The resourceVersion up to which objects were seen, by kind. */
export type SeenVersions = Readonly<Record<string, string>>;
