type Status = Readonly<Record<string, unknown>>;

/**
 * A status after a server-side apply: what the manager applies replaces what it applied before; fields of
 * others stay. A field counts as a whole, lists too: the definitions of the fleet say no more about statuses.
 */
export function appliedStatus(live: Status, before: Status, applied: Status): Status {
  const kept = Object.entries(live).filter(([key]) => !Object.hasOwn(before, key));
  return { ...Object.fromEntries(kept), ...applied };
}
