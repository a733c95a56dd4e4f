/** One difference between two catalogs. `before` and `after` are set if there is a value on that side. */
export type CatalogChange = Readonly<{
  change: 'added' | 'removed' | 'changed';
  what: ChangedThing;
  package: string;
  channel?: string;
  /** Name of the bundle, of the channel entry, or of the deprecated item. */
  name?: string;
  before?: string;
  after?: string;
}>;

/**
 * Kinds of changes. `entry`: a bundle's place in a channel; `replaces`, `skips` and `skipRange`: its edges
 * there. `image`: a bundle's image under the same name and version. `content`: its properties, related images
 * or manifests.
 */
type ChangedThing =
  | 'package'
  | 'defaultChannel'
  | 'channel'
  | 'bundle'
  | 'version'
  | 'image'
  | 'content'
  | 'entry'
  | 'replaces'
  | 'skips'
  | 'skipRange'
  | 'deprecation';

/** The place of a change. */
type ChangePlace = Readonly<Pick<CatalogChange, 'what' | 'package' | 'channel' | 'name'>>;

/** Returns the change of one value, none if both sides are the same. Empty and absent are the same. */
export function valueChange(place: ChangePlace, before = '', after = ''): CatalogChange[] {
  if (before === after) return [];
  const change = before === '' ? 'added' : after === '' ? 'removed' : 'changed';
  return [{ change, ...place, ...(before === '' ? {} : { before }), ...(after === '' ? {} : { after }) }];
}

/** Names on one side only. */
export function nameChanges(
  before: Iterable<string>,
  after: Iterable<string>,
  placeOf: (name: string) => ChangePlace,
): CatalogChange[] {
  const [old, now] = [new Set(before), new Set(after)];
  return [
    ...[...old].filter((name) => !now.has(name)).map((name) => ({ change: 'removed' as const, ...placeOf(name) })),
    ...[...now].filter((name) => !old.has(name)).map((name) => ({ change: 'added' as const, ...placeOf(name) })),
  ];
}
