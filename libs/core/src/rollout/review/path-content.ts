import type { FleetPlan } from '../../kernel/api/fleet/fleet-plan.js';
import { kept } from './kept-lines.js';

type Content = FleetPlan['spec'];
type Definition = Content['crds'][number];

/**
 * Combines the changes of all hops of a path, one after the other, into one content to review. It includes
 * the objects of an intermediate hop, even if a later hop removes them. The hash, changes and deprecations
 * are those of the first hop.
 */
export function pathContent([first, ...others]: readonly [Content, ...Content[]]): Content {
  if (others.length === 0) return first;
  const all = [first, ...others];
  const lines = (of: (content: Content) => readonly string[] | undefined) =>
    joined(all.flatMap((one) => of(one) ?? []));
  return {
    ...first,
    path: all.flatMap(({ path }) => path),
    images: { added: lines(({ images }) => images?.added), removed: lines(({ images }) => images?.removed) },
    crds: joinedDefinitions(all.flatMap(({ crds }) => crds)),
    rbac: { added: lines(({ rbac }) => rbac?.added), removed: lines(({ rbac }) => rbac?.removed) },
    webhooks: lines(({ webhooks }) => webhooks),
    dependencies: lines(({ dependencies }) => dependencies),
    neighbours: lines(({ neighbours }) => neighbours),
    objects: {
      created: lines(({ objects }) => objects?.created),
      changed: lines(({ objects }) => objects?.changed),
      deleted: lines(({ objects }) => objects?.deleted),
    },
  };
}

/** Each line once, in the order of the hops. */
const joined = (lines: readonly string[]): string[] => kept([...new Set(lines)]);

/** A CRD that several hops change is one entry. */
function joinedDefinitions(changes: readonly Definition[]): Definition[] {
  const byName = new Map<string, Definition>();
  for (const one of changes) {
    const before = byName.get(one.name);
    byName.set(one.name, before === undefined ? one : laterOver(before, one));
  }
  return [...byName.values()];
}

const laterOver = (before: Definition, after: Definition): Definition => ({
  ...before,
  ...after,
  adds: joined([...before.adds, ...after.adds]),
  removes: joined([...before.removes, ...after.removes]),
  breaking: joined([...before.breaking, ...after.breaking]),
  owners: joined([...before.owners, ...after.owners]),
});
